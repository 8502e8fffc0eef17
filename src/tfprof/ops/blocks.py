"""Ops on blocks of pixels, and on the diagonals of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from tfprof.model.dims import Open, Size, is_positive
from tfprof.ops.arrays import shared_out, summed, unknown_of_rank
from tfprof.ops.gathering import times_sign
from tfprof.ops.rule import Call, Family, Infer
from tfprof.ops.shape_tools import (
    dimension,
    known_rank,
    like,
    merged,
    slid,
    times,
)

rule = Family("arrays")


# --- blocks of pixels


def _blocks(deeper: int) -> Infer:
    """Blocks of pixels made channels, or channels made blocks."""

    def shapes(call: Call) -> list[Open]:
        shape, block = call.input(0), call.integer("block_size")
        layout = call.text("data_format", "NHWC")
        if shape is None:
            return [unknown_of_rank(5 if layout == "NCHW_VECT_C" else 4)]
        first = layout.index("H")
        sizes = list(shape)
        for axis, factor in ((first, block), (first + 1, block)):
            sizes[axis] = _scaled(sizes[axis], factor, up=deeper < 0)
        channels = layout.index("C")
        sizes[channels] = _scaled(sizes[channels], block * block, up=deeper > 0)
        return [tuple(sizes)]

    return shapes


def _scaled(size: Size | None, factor: int, *, up: bool) -> Size | None:
    return times(size, factor) if up else shared_out(size, factor)


rule.idle("SpaceToDepth", _blocks(1))
rule.idle("DepthToSpace", _blocks(-1))


def _batches(call: Call) -> list[Open]:
    """Pixels of each block to batches of their own, or back; what is padded or cropped between."""
    shape = call.input(0)
    if shape is None:
        return [None]
    if call.op.endswith("ND"):
        blocks: Sequence[int] | None = call.numbers(1)
        edges = call.value(2)
        count = dimension(call.input(1), 0) if blocks is None else len(blocks)
    else:
        blocks = [call.integer("block_size")] * 2
        edges = call.value(1)
        count = 2
    if not isinstance(count, int):
        return [unknown_of_rank(len(shape))]
    if blocks is None:
        return [(*unknown_of_rank(count + 1), *shape[count + 1 :])]
    out = call.op.startswith("SpaceTo")
    sizes = list(shape)
    sizes[0] = _scaled(shape[0], prod(blocks), up=out)
    for at, block in enumerate(blocks):
        before, after = (None, None) if edges is None else edges[2 * at : 2 * at + 2]
        size = shape[at + 1]
        if out:
            sizes[at + 1] = shared_out(summed([size, before, after]), block)
        else:
            cropped = [times_sign(before, -1), times_sign(after, -1)]
            sizes[at + 1] = summed([times(size, block), *cropped])
    return [tuple(sizes)]


rule.idle("SpaceToBatch SpaceToBatchND BatchToSpace BatchToSpaceND", _batches)


def _patches(call: Call) -> list[Open]:
    """Windows laid out as channels."""
    windows, strides = call.integers("ksizes"), call.integers("strides")
    rates = call.integers("rates") or [1] * len(windows)
    shape = known_rank(call.input(0), len(windows))
    padding = call.text("padding")
    sizes = [
        slid(shape[at], (windows[at] - 1) * rates[at] + 1, strides[at], padding)
        for at in range(1, len(windows) - 1)
    ]
    return [(shape[0], *sizes, times(shape[-1], *windows[1:-1]))]


rule.idle("ExtractImagePatches | ExtractVolumePatches", _patches)

# --- diagonals

rule.idle("MatrixBandPart | BatchMatrixBandPart", like(), reuse=(0,))
rule.idle("MatrixSetDiag MatrixSetDiagV2 MatrixSetDiagV3 | BatchMatrixSetDiag", like(), reuse=(0,))
rule.idle("MatrixDiag | BatchMatrixDiag", lambda call: [_square(call.input(0))])
rule.idle("Diag", lambda call: [_twice(call.input(0))])


def _square(shape: Open) -> Open:
    return None if shape is None else (*shape, shape[-1])


def _twice(shape: Open) -> Open:
    return None if shape is None else shape + shape


def _half(call: Call) -> list[Open]:
    shape = call.input(0)
    if shape is None:
        return [None]
    middle = len(shape) // 2
    return [merged(shape[:middle], shape[middle:])]


rule.idle("DiagPart", _half)


def _diagonals(call: Call, index: int) -> tuple[int, int] | None:
    """The lowest and the highest diagonal that an input lists."""
    which = call.numbers(index)
    return (which[0], which[-1]) if which else None


def _diagonal_part(call: Call) -> list[Open]:
    shape = call.input(0)
    which = _diagonals(call, 1) if call.input_count > 1 else (0, 0)
    if shape is None or which is None:
        return [None]
    low, high = which
    rows, columns = shape[-2], shape[-1]
    length = None
    if rows is not None and columns is not None:
        length = _shorter(rows + min(high, 0), columns - max(low, 0))
    many = (high - low + 1,) if low != high else ()
    return [(*shape[:-2], *many, length)]


def _shorter(one: Size, other: Size) -> Size | None:
    if is_positive(one - other + 1):
        return other
    return one if is_positive(other - one) else None


def _longer(one: Size, other: Size) -> Size | None:
    if is_positive(one - other + 1):
        return one
    return other if is_positive(other - one) else None


rule.idle("MatrixDiagPart MatrixDiagPartV2 MatrixDiagPartV3 | BatchMatrixDiagPart", _diagonal_part)


def _from_diagonals(call: Call) -> list[Open]:
    shape, which = call.input(0), _diagonals(call, 1)
    if shape is None or which is None:
        return [None]
    low, high = which
    outer = shape[:-1] if low == high else shape[:-2]
    length = shape[-1]
    rows, columns = call.scalar(2), call.scalar(3)
    if length is None or rows is None or columns is None:
        known = (None if size == -1 else size for size in (rows, columns))
        return [(*outer, *known)]
    least = (length - min(high, 0), length + max(low, 0))
    if rows == -1 and columns == -1:
        side = _longer(*least)
        return [(*outer, side, side)]
    return [(*outer, least[0] if rows == -1 else rows, least[1] if columns == -1 else columns)]


rule.idle("MatrixDiagV2 MatrixDiagV3", _from_diagonals)
