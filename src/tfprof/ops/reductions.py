"""Ops that make one element of many: sums, means, extremes, norms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import add, mul

from tfprof.model.dims import Open, Size, elements, is_positive
from tfprof.ops.rule import BOOL, INT64, Call, Count, Family, Fold, Value, flops
from tfprof.ops.shape_tools import all_but_results, axes, per_input, reduced, times
from tfprof.ops.shape_values import small, typed

rule = Family("reductions")

# two entries of a value together; None where that cannot be said
_Join = Callable[[Size | None, Size | None], Size | None]


def _over(call: Call) -> list[int] | None:
    shape = call.input(0)
    return None if shape is None else axes(call, 1, len(shape))


def _reduction(call: Call) -> list[Open]:
    return [reduced(call.input(0), _over(call), keep=call.flag("keep_dims"))]


def _reading(factor: int = 1) -> Count:
    """So many operations an element read; none if nothing is reduced, as the input is passed on."""

    def work(call: Call) -> Size | None:
        read = elements(call.input(0))
        return 0 if read is not None and _over(call) == [] else times(factor, read)

    return work


def _folded(join: _Join, empty: Size | None) -> Fold:
    """The reduction of a small tensor of whole numbers."""

    def values(call: Call) -> list[Value | None]:
        tensor, over = small(call.inputs[0]), _over(call)
        if tensor is None or over is None:
            return [None]
        rank = range(len(tensor.shape))
        kept = tensor.places_over([axis for axis in rank if axis not in over])
        inner = tensor.places_over([axis for axis in rank if axis in over])
        return [
            tuple(
                _joined([tensor.entries[at + step] for step in inner], join, empty) for at in kept
            )
        ]

    return values


def _joined(entries: Sequence[Size | None], join: _Join, empty: Size | None) -> Size | None:
    if empty is not None:
        entries = [empty, *entries]
    return reduce(join, entries) if entries else None


def _known(compute: Callable[[Size, Size], Size | None]) -> _Join:
    return lambda one, other: None if one is None or other is None else compute(one, other)


def _larger(one: Size, other: Size) -> Size | None:
    return one if _at_least(one, other) else other if _at_least(other, one) else None


def _smaller(one: Size, other: Size) -> Size | None:
    return other if _at_least(one, other) else one if _at_least(other, one) else None


def _at_least(one: Size, other: Size) -> bool:
    return is_positive(one - other + 1)


def _both(one: Size | None, other: Size | None) -> Size | None:
    if 0 in (one, other):
        return 0
    return None if one is None or other is None else 1


def _either(one: Size | None, other: Size | None) -> Size | None:
    if any(isinstance(entry, int) and entry for entry in (one, other)):
        return 1
    return None if one is None or other is None else 0


# the input itself goes on where nothing is reduced
rule(
    "Sum", _reduction, values=_folded(_known(add), 0), work=_reading(), reuse=(0,),
    float_ops=all_but_results,
)  # fmt: skip
rule("Prod", _reduction, values=_folded(_known(mul), 1), work=_reading(), reuse=(0,))
rule("Max", _reduction, values=_folded(_known(_larger), None), work=_reading(), reuse=(0,))
rule("Min", _reduction, values=_folded(_known(_smaller), None), work=_reading(), reuse=(0,))
rule("Mean", _reduction, work=_reading(), reuse=(0,), float_ops=per_input())
rule("EuclideanNorm", _reduction, work=_reading(2))
rule("All", _reduction, dtype=BOOL, values=_folded(_both, 1), reuse=(0,))
rule("Any", _reduction, dtype=BOOL, values=_folded(_either, 0), reuse=(0,))


def _place(call: Call) -> list[Open]:
    shape = call.input(0)
    if shape is None:
        return [None]
    over = axes(call, 1, len(shape))
    if over is None:
        return [(None,) * max(0, len(shape) - 1)]
    return [reduced(shape, over, keep=False)]


rule(
    "ArgMax ArgMin", typed(_place, "output_type", INT64), dtype="output_type",
    work=all_but_results, float_ops=flops,
)  # fmt: skip


def _half_squared_norm(call: Call) -> Size | None:
    size = elements(call.input(0))
    return None if size is None else 0 if size == 0 else size * 3 - 1


rule("L2Loss", lambda _: [()], work=_half_squared_norm, float_ops=flops)
