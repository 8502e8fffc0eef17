"""Bytes of memory in sentences, and as curves."""

from __future__ import annotations

from tfprof.model import units
from tfprof.model.quantity import Quantity
from tfprof.results.memory import EstimatedMemory
from tfprof.views.shapes import Curve


def whole(quantity: Quantity) -> int:
    """Bytes are whole numbers; what is not known takes none."""
    return int(quantity.number or 0)


def size(quantity: Quantity) -> str:
    """With the mark of what is estimated, or at least so much."""
    return quantity.kind.mark + (units.size(whole(quantity)) if quantity.known else "")


def curves_of(memory: EstimatedMemory, *, with_all: bool = False) -> list[Curve]:
    """Of the device that needs most: a model's own and its what-ifs, or that of each model.

    With `all` there is to hold: variables and inputs as well.
    """
    models = [memory, *([memory.against] if memory.against is not None else [])]
    curves = [Curve(one.title, _peaks(one)) for one in models]
    held = [_beside(one) for one in models]
    for one in memory.what_if or ():
        curves.append(Curve(one.name, one.then.peaks))
        held.append(held[0])
    if not with_all:
        return curves
    return [
        Curve(curve.name, [peak + more for peak, more in zip(curve.values, known, strict=True)])
        for curve, known in zip(curves, held, strict=True)
    ]


def _peaks(memory: EstimatedMemory) -> list[int]:
    return [whole(row.peak_bytes[row.highest]) for row in memory.batches]


def _beside(memory: EstimatedMemory) -> list[int]:
    return [
        whole(row.persistent_bytes[device]) + row.input_bytes[device]
        for row in memory.batches
        for device in [row.highest]
    ]
