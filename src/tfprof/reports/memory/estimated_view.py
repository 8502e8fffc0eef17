"""What a step needs, on a screen: the peak, what lives at it, the batches, and what would help."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tfprof.model import units
from tfprof.model.quantity import Quantity, total
from tfprof.reports.memory.what_if_view import what_if_facts, what_if_tables
from tfprof.reports.memory.words import curves_of, size, whole
from tfprof.results.memory import (
    BatchMemory,
    EstimatedDevice,
    EstimatedMemory,
    Fits,
    LinePiece,
    bytes_by_kind,
)
from tfprof.views.shapes import Column, Curve, Facts, Fold, Part, Series, Table, Unit, Value

_LIVE_SHOWN = 8
_PIECES_SHOWN = 2


def estimated_parts(memory: EstimatedMemory) -> list[Part]:
    what_if = memory.what_if or ()
    facts = [*_facts(memory), *what_if_facts(what_if, memory.fits.max_batch)]
    return [Facts(facts), *_numbers(memory), *what_if_tables(what_if)]


def against_parts(memory: EstimatedMemory, other: EstimatedMemory) -> list[Part]:
    """A curve for each model, and what lies between them."""
    named = {"first": memory, "second": other}
    facts = [(key.title(), f"{one.title}, {one.computed}") for key, one in named.items()]
    curves = curves_of(memory)
    columns = [
        Column("batch", "batch", Unit.COUNT),
        Column("first", "first", Unit.BYTES),
        Column("second", "second", Unit.BYTES),
        Column("difference", "difference", Unit.BYTES),
        Column("share", "of the first", Unit.SHARE),
    ]
    rows = [
        _compared(one, another) for one, another in zip(memory.batches, other.batches, strict=True)
    ]
    curves = [
        Curve(f"{key}: {curve.name}", curve.values)
        for key, curve in zip(named, curves, strict=True)
    ]
    return [Facts(facts), Table(columns, rows), _series(memory, curves)]


def _compared(first: BatchMemory, second: BatchMemory) -> list[Value]:
    peaks = [row.peak_bytes[row.highest] for row in (first, second)]
    a, b = map(whole, peaks)
    return [first.batch, *peaks, b - a, b / a if a else 0.0]


def _facts(memory: EstimatedMemory) -> Iterator[tuple[str, str]]:
    said = [f"batch {memory.batches[0].batch}"] if memory.batch_is_open else []
    yield "Computed", ", ".join([memory.computed, *said, f"model {memory.model}"])
    if len(memory.devices) == 1:
        yield from _one_device(memory.highest, total(memory.variables.values()))
    else:
        for device in sorted({*memory.devices, *memory.variables}):
            held = memory.variables.get(device, Quantity.derived(0))
            yield device, _device_text(memory.devices.get(device), held)
    yield from _other_form(memory)
    if memory.highest.peak_at:
        yield "At the peak", f"{memory.highest.peak_at}: {_kinds_text(memory.highest)}"
    if memory.fits.budget_bytes is not None:
        yield "Fits", _fits_text(memory.fits, memory.fits.budget_bytes)


def _one_device(found: EstimatedDevice, held: Quantity) -> Iterator[tuple[str, str]]:
    yield "Peak", f"{size(found.peak_bytes)} beside the variables{_spread(found)}"
    yield "Variables", size(held)
    yield "Total", size(_together(found, whole(held)))
    yield from (("Formula", _piece_text(piece)) for piece in found.pieces[-_PIECES_SHOWN:])


def _other_form(memory: EstimatedMemory) -> Iterator[tuple[str, str]]:
    """On one line: of the device that needs most."""
    device = memory.batches[0].highest
    if memory.optimised is not None:
        peak = size(memory.optimised.devices[device].peak_bytes)
        yield "Optimised", f"{peak} beside the variables, as Grappler rewrites the graph"
    elif memory.written is not None:
        peak = size(memory.written.devices[device].peak_bytes)
        yield "Written", f"{peak} beside the variables, without Grappler"


def _together(found: EstimatedDevice, held: int) -> Quantity:
    """With variables that lie on devices where nothing else does."""
    known = found.total_bytes.known
    return replace(found.total_bytes, value=whole(found.peak_bytes) + held if known else None)


def _spread(found: EstimatedDevice) -> str:
    low, high = found.interval
    if high is None:
        return ""
    return f" ({units.size(low)} to {units.size(high)})" if low != high else ""


def _device_text(found: EstimatedDevice | None, held: Quantity) -> str:
    if found is None:
        return f"{size(held)} of variables"
    return (
        f"{size(found.peak_bytes)}{_spread(found)} at the peak, {size(held)} of "
        f"variables: {size(found.total_bytes)}"
    )


def _piece_text(piece: LinePiece) -> str:
    to = f"{piece.to}" if piece.to is not None else "any"
    return f"{piece.slope:,}·B + {piece.intercept:,} bytes for B from {piece.start} to {to}"


def _kinds_text(found: EstimatedDevice) -> str:
    kinds = bytes_by_kind(found.live_at_peak)
    return ", ".join(f"{kind} {units.size(taken)}" for kind, taken in kinds.items())


def _fits_text(fits: Fits, budget: int) -> str:
    if fits.unknown:
        return f"no batch is known to fit in {units.size(budget)}: {fits.unknown}"
    if not fits.max_batch:
        return f"not even one sample in {units.size(budget)}"
    return (
        f"batch {fits.max_batch} in {units.size(budget)}; safe: {fits.safe_batch} (at most, "
        f"{fits.margin:.0%} to spare); bound by {fits.bound_by}"
    )


def _numbers(memory: EstimatedMemory) -> list[Part]:
    """Of one batch what is alive, of several the peaks."""
    if len(memory.batches) == 1:
        return [_live_table(memory.highest)]
    return [_batches_table(memory), _series(memory, curves_of(memory))]


def _series(memory: EstimatedMemory, curves: list[Curve]) -> Series:
    return Series([row.batch for row in memory.batches], curves)


def _live_table(found: EstimatedDevice) -> Table:
    columns = [
        Column("name", "alive at the peak"),
        Column("op", "op"),
        Column("kind", "kind"),
        Column("bytes", "bytes", Unit.BYTES),
        Column("share", "share", Unit.SHARE),
    ]
    peak = whole(found.peak_bytes)
    rows: list[list[Value]] = [
        [one.name, one.op, one.kind, one.bytes, one.bytes / max(1, peak)]
        for one in found.live_at_peak
    ]
    return Table(columns, rows, fold=Fold(_LIVE_SHOWN, "bytes", peak))


def _batches_table(memory: EstimatedMemory) -> Table:
    """Of several devices the one that needs most stands for all."""
    columns = [
        Column("batch", "batch", Unit.COUNT),
        Column("peak_bytes", "peak", Unit.BYTES),
        Column("low", "at least", Unit.BYTES),
        Column("high", "at most", Unit.BYTES),
        Column("total_bytes", "with variables", Unit.BYTES),
    ]
    rows: list[list[Value]] = [
        [row.batch, row.peak_bytes[device], *row.interval[device], row.total_bytes[device]]
        for row in memory.batches
        for device in [row.highest]
    ]
    return Table(columns, rows)
