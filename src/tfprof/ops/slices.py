"""Ops that cut something out: slices, with strides, masks and open bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.dims import Open, Shape, Size, is_positive
from tfprof.ops.arrays import unknown_of_rank
from tfprof.ops.rule import Call, Family, Tensor, Value
from tfprof.ops.shape_tools import (
    by_value,
    known_rank,
    like,
    no_output,
    shape_in,
)
from tfprof.ops.shape_values import plain, small, steps_between

rule = Family("arrays")


# --- cut out


def _sliced(call: Call) -> list[Open | Tensor]:
    begin, size = call.value(1), call.value(2)
    rank = first_known(call.input(0), begin, size, shape_in(call, 1), shape_in(call, 2))
    if rank is None:
        return [None]
    begin, size = begin or unknown_of_rank(rank), size or unknown_of_rank(rank)
    whole = known_rank(call.input(0), rank)
    shape = tuple(_rest(*sizes) for sizes in zip(whole, begin, size, strict=True))
    return [Tensor(shape, value=_sliced_value(call, begin, shape))]


def first_known(*lists: Sequence[Size | None] | None) -> int | None:
    return next((len(one) for one in lists if one is not None), None)


def _rest(whole: Size | None, begin: Size | None, size: Size | None) -> Size | None:
    """From `begin` on, as much as said; -1 is all that is left."""
    if size != -1:
        return size
    if begin == 0:
        return whole
    return None if whole is None or begin is None else whole - begin


def _sliced_value(call: Call, begin: Value, shape: Shape) -> Value | None:
    tensor, sizes, starts = small(call.inputs[0]), plain(shape), plain(begin)
    if tensor is None or sizes is None or starts is None:
        return None
    spans = [range(start, start + size) for start, size in zip(starts, sizes, strict=True)]
    return tensor.picked([tensor.along(axis, span) for axis, span in enumerate(spans)])


# a slice of everything is the input itself
rule.idle("Slice", _sliced, reuse=(0,))


@frozen_dataclass
class _Cut:
    """What a strided slice does to one dimension of its input; a new axis has none."""

    axis: int | None
    begin: Size | None = None
    end: Size | None = None
    step: int | None = 1
    open_begin: bool = True
    open_end: bool = True
    drop: bool = False


class _Span(NamedTuple):
    """Where a cut starts, how far it steps, and how many it takes."""

    first: Size | None
    step: int | None
    size: Size | None


def _cuts(call: Call, rank: int, first: int = 1) -> list[_Cut] | None:
    """The cuts of each dimension in order, the ellipsis written out."""
    begins, ends, steps = (call.value(first + offset) for offset in range(3))
    count = first_known(begins, ends, steps, *(shape_in(call, first + n) for n in range(3)))
    if count is None:
        return None
    begins, ends, steps = (one or unknown_of_rank(count) for one in (begins, ends, steps))

    def marked(mask: str) -> list[bool]:
        bits = call.integer(mask)
        return [bool(bits >> at & 1) for at in range(count)]

    ellipsis, added = marked("ellipsis_mask"), marked("new_axis_mask")
    open_begin, open_end = marked("begin_mask"), marked("end_mask")
    dropped = marked("shrink_axis_mask")
    used = sum(not (ellipsis[at] or added[at]) for at in range(count))
    if True not in ellipsis:
        ellipsis.append(True)
    cuts: list[_Cut] = []
    axis = 0
    for at, dots in enumerate(ellipsis):
        if dots:
            cuts += [_Cut(axis + offset) for offset in range(rank - used)]
            axis += rank - used
        elif added[at]:
            cuts.append(_Cut(None))
        else:
            step = steps[at]
            whole = step if isinstance(step, int) else None
            cuts.append(
                _Cut(axis, begins[at], ends[at], whole, open_begin[at], open_end[at], dropped[at])
            )
            axis += 1
    return cuts


def _span(cut: _Cut, size: Size | None) -> _Span:
    """Symbolic bounds that cannot be compared with the size are taken to lie within it."""
    if cut.drop:
        begin = cut.begin
        if begin is not None and is_positive(0 - begin):
            begin = None if size is None else size + begin
        return _Span(begin, 1, 1)
    step = cut.step
    if cut.open_begin and cut.open_end and step in (1, -1):
        first = 0 if step == 1 else None if size is None else size - 1
        return _Span(first, step, size)
    if size is None or not step:
        return _Span(None, None, None)
    # counted down, the place before the first element is as far as it goes
    low, high = (0, size) if step > 0 else (-1, size - 1)
    first = (low if step > 0 else high) if cut.open_begin else _within(cut.begin, size, low, high)
    last = (high if step > 0 else low) if cut.open_end else _within(cut.end, size, low, high)
    if first is None or last is None:
        return _Span(None, None, None)
    return _Span(first, step, steps_between(first, last, step))


def _within(index: Size | None, size: Size, low: Size, high: Size) -> Size | None:
    """An index counted from the front, and no further out than the bounds."""
    if index is None:
        return None
    place = size + index if is_positive(0 - index) else index
    if is_positive(low - place):
        return low
    return high if is_positive(place - high) else place


def _strided(call: Call) -> list[Open | Tensor]:
    shape = call.input(0)
    cuts = None if shape is None else _cuts(call, len(shape))
    if shape is None or cuts is None:
        return [None]
    spans = [_Span(0, 1, 1) if c.axis is None else _span(c, shape[c.axis]) for c in cuts]
    kept = tuple(span.size for cut, span in zip(cuts, spans, strict=True) if not cut.drop)
    return [Tensor(kept, value=_strided_value(call, cuts, spans))]


def _strided_value(call: Call, cuts: Sequence[_Cut], spans: Sequence[_Span]) -> Value | None:
    tensor = small(call.inputs[0])
    if tensor is None:
        return None
    places = []
    for cut, (first, step, size) in zip(cuts, spans, strict=True):
        if not isinstance(first, int) or step is None or not isinstance(size, int):
            return None
        taken = range(first, first + step * size, step)
        places.append([0] if cut.axis is None else tensor.along(cut.axis, taken))
    return tensor.picked(places)


rule.idle("StridedSlice", _strided, reuse=(0,))
rule.idle("StridedSliceGrad", by_value(0))
rule.idle("StridedSliceAssign", like(), alias=0, allocates=False)
rule("TensorStridedSliceUpdate", like(), reuse=(0,))
rule.idle("ResourceStridedSliceAssign", no_output, allocates=False)
