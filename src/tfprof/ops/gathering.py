"""Ops that pick rows, and ops that make a tensor grow or shrink: gather, pad, tile, one-hot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from tfprof.model.dims import Open, Size
from tfprof.ops.arrays import LARGEST, from_front, moved, shared_out, summed, unknown_of_rank
from tfprof.ops.rule import Call, Family, Infer
from tfprof.ops.shape_tools import (
    broadcast,
    dimension,
    known_rank,
    per_input,
    shape_in,
    times,
)
from tfprof.ops.shape_values import Small
from tfprof.ops.slices import first_known

rule = Family("arrays")


# --- gather


def _gathered(params: Open, indices: Open, axis: int | None, batch: int) -> Open:
    if params is None or indices is None:
        return None
    if batch < 0:
        batch += len(indices)
    if axis is None:
        return unknown_of_rank(len(params) + len(indices) - 1 - batch)
    at = from_front(axis, len(params))
    return (*params[:at], *indices[batch:], *params[at + 1 :])


def _gathered_along(call: Call) -> list[Open]:
    axis = call.scalar(2)
    known = axis if isinstance(axis, int) else None
    return [_gathered(call.input(0), call.input(1), known, call.integer("batch_dims"))]


def _gathered_places(call: Call, tensor: Small) -> list[list[int]] | None:
    indices, places = call.input(1), call.numbers(1)
    axis = call.scalar(2) if call.input_count > 2 else 0
    if indices is None or places is None or not isinstance(axis, int) or call.integer("batch_dims"):
        return None
    at = from_front(axis, len(tensor.shape))
    if any(not 0 <= place < tensor.shape[at] for place in places):
        return None
    return [
        tensor.along(other, places if other == at else None) for other in range(len(tensor.shape))
    ]


def _from_variable(call: Call) -> list[Open]:
    held = call.inputs[0].holds
    batch = call.integer("batch_dims")
    return [_gathered(None if held is None else held.shape, call.input(1), batch, batch)]


rule.idle("Gather", lambda call: [_gathered(call.input(0), call.input(1), 0, 0)], dtype="Tparams",
     values=moved(_gathered_places))  # fmt: skip
rule.idle("GatherV2", _gathered_along, dtype="Tparams", values=moved(_gathered_places))
rule.idle("ResourceGather", _from_variable, dtype="dtype")


def _gathered_rows(params: Open, indices: Open) -> list[Open]:
    depth = dimension(indices, -1)
    if params is None or indices is None or not isinstance(depth, int):
        return [None]
    return [(*indices[:-1], *params[depth:])]


def _rows_of_variable(call: Call) -> list[Open]:
    held = call.inputs[0].holds
    return _gathered_rows(None if held is None else held.shape, call.input(1))


rule.idle("GatherNd", lambda call: _gathered_rows(call.input(0), call.input(1)), dtype="Tparams")
rule.idle("ResourceGatherNd", _rows_of_variable, dtype="dtype")

# --- grow and shrink


def _padded(sign: int) -> Infer:
    """Each dimension longer by what stands before and after it, or shorter again."""

    def shapes(call: Call) -> list[Open]:
        shape, pads = call.input(0), call.value(1)
        rank = dimension(call.input(1), 0) if shape is None else len(shape)
        if shape is None or pads is None:
            return [unknown_of_rank(rank) if isinstance(rank, int) else None]
        return [
            tuple(
                summed([size, times_sign(pads[2 * at], sign), times_sign(pads[2 * at + 1], sign)])
                for at, size in enumerate(shape)
            )
        ]

    return shapes


def times_sign(size: Size | None, sign: int) -> Size | None:
    return None if size is None else size * sign


rule.idle("Pad PadV2 MirrorPad", _padded(1), reuse=(0,))
rule("MirrorPadGrad", _padded(-1), work=per_input())


def _per_axis(combine: Callable[[Size | None, Size | None], Size | None]) -> Infer:
    """Each dimension together with what an input says of it."""

    def shapes(call: Call) -> list[Open]:
        factors = call.value(1)
        rank = first_known(call.input(0), factors, shape_in(call, 1))
        if rank is None:
            return [None]
        sizes = known_rank(call.input(0), rank)
        return [tuple(map(combine, sizes, known_rank(factors, rank)))]

    return shapes


def _few(sizes: Sequence[int]) -> bool:
    """Whether so many entries are worth moving; beside a 0, any size has a product of 0."""
    return max(sizes, default=0) <= LARGEST and prod(sizes) <= LARGEST


def _tiled_places(call: Call, tensor: Small) -> list[list[int]] | None:
    factors = call.numbers(1)
    if factors is None or not _few(factors):
        return None
    return [tensor.along(axis) * factor for axis, factor in enumerate(factors)]


rule.idle("Tile", _per_axis(times), values=moved(_tiled_places), reuse=(0,))
rule("TileGrad", _per_axis(shared_out), work=per_input())


def _stretched(call: Call) -> list[Open]:
    asked, shape = shape_in(call, 1), call.input(0)
    return [asked if shape is None else broadcast(asked, shape)]


def _stretched_places(call: Call, tensor: Small) -> list[list[int]] | None:
    asked = call.numbers(1)
    if asked is None or not _few(asked):
        return None
    missing = len(asked) - len(tensor.shape)
    places = [[0] * size for size in asked[:missing]]
    for axis, size in enumerate(tensor.shape):
        along = tensor.along(axis)
        places.append(along if size == asked[missing + axis] else along * asked[missing + axis])
    return places


rule.idle("BroadcastTo", _stretched, values=moved(_stretched_places), reuse=(0,))


def _one_hot(call: Call) -> list[Open]:
    shape, depth = call.input(0), call.scalar(1)
    if shape is None:
        return [None]
    at = from_front(call.integer("axis", -1), len(shape) + 1)
    return [(*shape[:at], depth, *shape[at:])]


rule.idle("OneHot", _one_hot)


def _partitioned(call: Call) -> list[Open]:
    data, which = call.input(0), call.input(1)
    part = None if data is None or which is None else (None, *data[len(which) :])
    return [part] * call.count("num_partitions")


rule.idle("DynamicPartition", _partitioned)
