"""The cell of a recurrent layer over images: an LSTM whose products are convolutions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tfprof.keras_layers.cells import Cell, Masks, Stepped, long_short, masked, register, split
from tfprof.keras_layers.convolutions import as_kernel, as_planes, as_rows, grid, rank_of, sliding
from tfprof.keras_layers.layer import Layer, Sizes
from tfprof.keras_layers.sizes import whole
from tfprof.ops.rule import Tensor

_VOLUME = 3
_GATES = 4


def _states(cell: Layer) -> list[Sizes]:
    at, rank = grid(cell, rank_of(cell)), rank_of(cell)
    windows, strides = cell.integers("kernel_size", rank), cell.integers("strides", rank)
    rates = cell.integers("dilation_rate", rank)
    same = cell.text("padding", "valid").lower() == "same"
    space = [
        -(-(size if same else size - (window - 1) * rate) // stride)
        for size, window, stride, rate in zip(at.space, windows, strides, rates, strict=True)
    ]
    return [at.shaped(space, cell.integer("filters"))[1:]] * 2


def _step(cell: Layer, states: Sequence[Tensor], masks: Masks) -> Stepped:
    before, carried = states
    rank, filters = rank_of(cell), cell.integer("filters")
    windows = cell.integers("kernel_size", rank)
    channels = whole(grid(cell, rank).channels, "the number of channels")
    kernel = cell.weight("kernel", (*windows, channels, _GATES * filters))
    recurrent = cell.weight("recurrent_kernel", (*windows, filters, _GATES * filters))
    slides = sliding(cell, cell.integers("strides", rank), cell.integers("dilation_rate", rank))
    x = _convolved(cell, masked(cell, cell.x, masks.of_input, _GATES), kernel, slides)
    if cell.flag("use_bias", absent=True):
        x = _biased(cell, x, cell.weight("bias", (_GATES * filters,)))
    stays = {**sliding(cell, [1] * rank), "padding": "SAME"}
    h = _convolved(cell, masked(cell, before, masks.of_state, _GATES), recurrent, stays)
    gates = [cell.each("AddV2", one, other) for one, other in zip(x, h, strict=True)]
    return long_short(cell, gates, carried)


def _convolved(
    cell: Layer, seen: Sequence[Tensor], kernel: Tensor, attributes: Mapping[str, Any]
) -> list[Tensor]:
    """Each gate by itself."""
    op = "Conv3D" if rank_of(cell) == _VOLUME else "Conv2D"
    kernels = split(cell, kernel, _GATES, rank_of(cell) + 1)
    return [
        as_rows(cell, cell.op(op, as_planes(cell, x), as_kernel(cell, own), attributes=attributes))
        for x, own in zip(seen, kernels, strict=True)
    ]


def _biased(cell: Layer, x: Sequence[Tensor], bias: Tensor) -> list[Tensor]:
    ones = [1] * rank_of(cell)
    filters = cell.integer("filters")
    shape = (1, filters, *ones) if cell.channels_first else (1, *ones, filters)
    return [
        cell.each("AddV2", one, cell.reshaped(own, *shape))
        for one, own in zip(x, split(cell, bias, _GATES, 0), strict=True)
    ]


register("ConvLSTM1D ConvLSTM2D ConvLSTM3D", Cell(_states, _step, lambda _: _GATES))
