"""Convolutions: plain, depthwise, separable and transposed, in one to three dimensions."""

from __future__ import annotations

from dataclasses import dataclass

from tfprof.analyses.keras_layers.activations import with_activation
from tfprof.analyses.keras_layers.dense import bias, kernel
from tfprof.analyses.keras_layers.rule import (
    Call,
    Cost,
    Sizes,
    Tensor,
    Unknown,
    Variable,
    count,
    layer,
    positive,
    whole,
)
from tfprof.model.dims import Size, ceil_div


@dataclass(frozen=True, slots=True)
class Grid:
    """What a window slides over: sizes per sample, apart from the channels."""

    leading: Sizes
    space: Sizes
    channels: Size
    first: bool

    def shaped(self, space: Sizes, channels: Size) -> Sizes:
        return (
            (*self.leading, channels, *space) if self.first else (*self.leading, *space, channels)
        )


def grid(call: Call, rank: int, shape: Sizes | None = None, leading: int = 1) -> Grid:
    sizes = call.x.shape if shape is None else shape
    if len(sizes) != rank + leading + 1:
        raise Unknown(f"{call.class_name} is called with {len(sizes)} dimensions")
    first = call.channels_first
    inner = sizes[leading:]
    space, channels = (inner[1:], inner[0]) if first else (inner[:-1], inner[-1])
    return Grid(sizes[:leading], space, channels, first)


def slid(size: Size, window: int, stride: int, padding: str) -> Size:
    """How often a window fits while it slides; `window` already spread by its dilation."""
    if padding in ("same", "causal"):
        return ceil_div(size, stride)
    return positive((size - window) // stride + 1, "an output's size")


def slid_over(call: Call, space: Sizes, windows: list[int], name: str = "strides") -> Sizes:
    rank = len(space)
    strides = call.integers(name, rank)
    spread = call.integers("dilation_rate", rank)
    padding = call.text("padding", "valid").lower()
    return tuple(
        slid(size, (window - 1) * wide + 1, stride, padding)
        for size, window, stride, wide in zip(space, windows, strides, spread, strict=True)
    )


def rank_of(call: Call) -> int:
    return next(int(letter) for letter in call.class_name if letter.isdigit())


def _answer(
    call: Call, out: Tensor, variables: list[Variable], added: list[Variable], macs: Size
) -> Cost:
    work, note = with_activation(call, out.elements * len(added), out.elements)
    return call.cost(out, variables=variables + added, macs=macs, work=work, note=note)


@layer("Conv1D Conv2D Conv3D Convolution1D Convolution2D Convolution3D")
def _convolution(call: Call) -> Cost:
    at = grid(call, rank_of(call))
    windows = call.integers("kernel_size", len(at.space))
    filters, groups = call.integer("filters"), call.integer("groups", 1)
    each = whole(at.channels, "the number of channels") // groups
    out = call.made(*at.shaped(slid_over(call, at.space, windows), filters))
    variables = kernel(call, (*windows, each, filters))
    return _answer(
        call, out, variables, bias(call, filters), out.elements * (whole(count(windows), "") * each)
    )


@layer("DepthwiseConv1D DepthwiseConv2D")
def _depthwise(call: Call) -> Cost:
    at = grid(call, rank_of(call))
    windows = call.integers("kernel_size", len(at.space))
    times = call.integer("depth_multiplier", 1)
    channels = whole(at.channels, "the number of channels")
    out = call.made(*at.shaped(slid_over(call, at.space, windows), channels * times))
    variables = [Variable("kernel", (*windows, channels, times))]
    macs = out.elements * count(windows)
    return _answer(call, out, variables, bias(call, channels * times), macs)


@layer("SeparableConv1D SeparableConv2D SeparableConvolution1D SeparableConvolution2D")
def _separable(call: Call) -> Cost:
    at = grid(call, rank_of(call))
    windows = call.integers("kernel_size", len(at.space))
    filters, times = call.integer("filters"), call.integer("depth_multiplier", 1)
    channels = whole(at.channels, "the number of channels")
    space = slid_over(call, at.space, windows)
    out = call.made(*at.shaped(space, filters))
    variables = [
        Variable("depthwise_kernel", (*windows, channels, times)),
        Variable("pointwise_kernel", (*[1] * len(windows), channels * times, filters)),
    ]
    places = count((*at.leading, *space))
    macs = places * (channels * times) * (count(windows) + filters)
    return _answer(call, out, variables, bias(call, filters), macs)


@layer("Conv1DTranspose Conv2DTranspose Conv3DTranspose"
       " Convolution1DTranspose Convolution2DTranspose Convolution3DTranspose")  # fmt: skip
def _transposed(call: Call) -> Cost:
    """Each place of the input is multiplied with the whole kernel."""
    at = grid(call, rank_of(call))
    rank = len(at.space)
    windows, filters = call.integers("kernel_size", rank), call.integer("filters")
    strides, spread = call.integers("strides", rank), call.integers("dilation_rate", rank)
    stated = call.config.get("output_padding")
    more = [None] * rank if stated is None else call.integers("output_padding", rank)
    same = call.text("padding", "valid").lower() == "same"
    space: list[Size] = []
    for size, window, stride, wide, pad in zip(
        at.space, windows, strides, spread, more, strict=True
    ):
        full = (window - 1) * wide + 1
        if pad is None:
            space.append(size * stride + (0 if same else max(full - stride, 0)))
        else:
            space.append((size - 1) * stride + full - (2 * (full // 2) if same else 0) + pad)
    channels = whole(at.channels, "the number of channels")
    out = call.made(*at.shaped(tuple(space), filters))
    macs = call.x.elements * (count(windows) * filters)
    variables = kernel(call, (*windows, filters, channels))
    return _answer(call, out, variables, bias(call, filters), macs)
