"""Convolutions: plain, depthwise, separable and transposed, in one to three dimensions."""

from __future__ import annotations

from collections.abc import Sequence

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.keras_layers.dense import finished, kernel
from tfprof.keras_layers.layer import Layer, Sizes, number, numbers, shape_of
from tfprof.keras_layers.rule import Made, layer
from tfprof.keras_layers.sizes import Unknown, whole
from tfprof.model.dims import Size
from tfprof.ops.rule import INT32, Tensor

_VOLUME = 3


@frozen_dataclass
class Grid:
    """What a window slides over: sizes per sample, apart from the channels."""

    leading: Sizes
    space: Sizes
    channels: Size
    first: bool

    def shaped(self, space: Sequence[Size], channels: Size) -> Sizes:
        return (
            (*self.leading, channels, *space) if self.first else (*self.leading, *space, channels)
        )


def grid(call: Layer, rank: int, leading: int = 1) -> Grid:
    sizes = call.shape
    if len(sizes) != rank + leading + 1:
        raise Unknown(f"{call.class_name} is called with {len(sizes)} dimensions")
    first = call.channels_first
    inner = sizes[leading:]
    space, channels = (inner[1:], inner[0]) if first else (inner[:-1], inner[-1])
    return Grid(sizes[:leading], space, channels, first)


def rank_of(call: Layer) -> int:
    return next(int(letter) for letter in call.class_name if letter.isdigit())


# --- a row is a plane that is one high: TensorFlow has no convolutions of one dimension


def window(call: Layer, sizes: Sequence[int], *, batch: int = 1) -> list[int]:
    """Numbers a dimension as an attribute has them, for at least two dimensions."""
    inner = [1, *sizes] if len(sizes) == 1 else list(sizes)
    return [batch, 1, *inner] if call.channels_first else [batch, *inner, 1]


def sliding(
    call: Layer, strides: Sequence[int], rates: Sequence[int] | None = None
) -> dict[str, object]:
    """What a convolution or a pool states of its window."""
    letters = "DHW"[-max(len(strides), 2) :]
    same = call.text("padding", "valid").lower() == "same"
    stated: dict[str, object] = {
        "strides": window(call, strides),
        "padding": "SAME" if same else "VALID",
        "data_format": f"NC{letters}" if call.channels_first else f"N{letters}C",
    }
    return stated if rates is None else {**stated, "dilations": window(call, rates)}


def as_planes(call: Layer, x: Tensor) -> Tensor:
    """A row as a plane, one high."""
    if rank_of(call) > 1:
        return x
    return call.op("ExpandDims", x, number(_height(call)))


def as_rows(call: Layer, x: Tensor) -> Tensor:
    if rank_of(call) > 1:
        return x
    return call.op("Squeeze", x, squeeze_dims=[_height(call)])


def _height(call: Layer) -> int:
    return 2 if call.channels_first else 1


def as_kernel(call: Layer, weights: Tensor) -> Tensor:
    if rank_of(call) > 1:
        return weights
    return call.op("ExpandDims", weights, number(0))


# --- the layers


@layer("Conv1D Conv2D Conv3D Convolution1D Convolution2D Convolution3D")
def _convolution(call: Layer) -> Made:
    at, rank = grid(call, rank_of(call)), rank_of(call)
    sizes, filters = call.integers("kernel_size", rank), call.integer("filters")
    rates = call.integers("dilation_rate", rank)
    each = whole(at.channels, "the number of channels") // call.integer("groups", 1)
    weights = kernel(call, *sizes, each, filters)
    x = call.x
    if call.text("padding").lower() == "causal":
        ahead = (sizes[0] - 1) * rates[0]
        borders = [(0, 0), (0, 0), (ahead, 0)] if at.first else [(0, 0), (ahead, 0), (0, 0)]
        x = padded(call, x, borders)
    op = "Conv3D" if rank == _VOLUME else "Conv2D"
    return finished(call, _slid(call, op, x, weights), filters)


def _slid(call: Layer, op: str, x: Tensor, weights: Tensor) -> Tensor:
    """A kernel slid over an image. One that is spread slides over images of every so many pixels.

    These are taken out first and put together after, as if they were a larger batch; the image is
    padded so that they are of one size.
    """
    rank = rank_of(call)
    attributes = sliding(call, call.integers("strides", rank))
    rates = call.integers("dilation_rate", rank)
    if all(rate == 1 for rate in rates):
        made = call.op(op, as_planes(call, x), as_kernel(call, weights), attributes=attributes)
        return as_rows(call, made)
    skipped = 1 if call.channels_first else 0
    blocks = [1] * skipped + rates
    borders: list[Size] = [0, 0] * skipped
    cropped: list[Size] = [0, 0] * skipped
    space = shape_of(x)[1 + skipped :]
    for size, wide, rate in zip(space, call.integers("kernel_size", rank), rates, strict=False):
        around = (wide - 1) * rate if attributes["padding"] == "SAME" else 0
        uneven = (size + around) % rate
        rest = (rate - uneven) % rate
        borders += [around // 2, around - around // 2 + rest]
        cropped += [0, rest]
    pairs = (len(blocks), 2)
    apart = call.op(
        "SpaceToBatchND", x, numbers(*blocks), Tensor(pairs, INT32, value=tuple(borders))
    )
    attributes["padding"] = "VALID"
    made = call.op(op, as_planes(call, apart), as_kernel(call, weights), attributes=attributes)
    crops = Tensor(pairs, INT32, value=tuple(cropped))
    return call.op("BatchToSpaceND", as_rows(call, made), numbers(*blocks), crops)


def padded(call: Layer, x: Tensor, borders: Sequence[tuple[int, int]]) -> Tensor:
    """With zeros before and after, by dimension."""
    flat = tuple(size for pair in borders for size in pair)
    return call.op("Pad", x, Tensor((len(borders), 2), INT32, value=flat))


@layer("DepthwiseConv1D DepthwiseConv2D")
def _depthwise(call: Layer) -> Made:
    return finished(call, *_by_channel(call, "kernel"))


def _by_channel(call: Layer, name: str) -> tuple[Tensor, int]:
    """Each channel by itself, and how many channels that makes."""
    rank = rank_of(call)
    at = grid(call, rank)
    times = call.integer("depth_multiplier", 1)
    channels = whole(at.channels, "the number of channels")
    weights = call.weight(name, (*call.integers("kernel_size", rank), channels, times))
    return _slid(call, "DepthwiseConv2dNative", call.x, weights), channels * times


@layer("SeparableConv1D SeparableConv2D SeparableConvolution1D SeparableConvolution2D")
def _separable(call: Layer) -> Made:
    filters, rank = call.integer("filters"), rank_of(call)
    deep, channels = _by_channel(call, "depthwise_kernel")
    weights = call.weight("pointwise_kernel", (*[1] * rank, channels, filters))
    attributes = {**sliding(call, [1] * rank), "padding": "VALID"}
    made = call.op("Conv2D", as_planes(call, deep), as_kernel(call, weights), attributes=attributes)
    return finished(call, as_rows(call, made), filters)


@layer("Conv1DTranspose Conv2DTranspose Conv3DTranspose"
       " Convolution1DTranspose Convolution2DTranspose Convolution3DTranspose")  # fmt: skip
def _transposed(call: Layer) -> Made:
    """Each place of the input is multiplied with the whole kernel."""
    rank = rank_of(call)
    at = grid(call, rank)
    sizes, filters = call.integers("kernel_size", rank), call.integer("filters")
    strides, rates = call.integers("strides", rank), call.integers("dilation_rate", rank)
    channels = whole(at.channels, "the number of channels")
    weights = kernel(call, *sizes, filters, channels)
    out = at.shaped(_spread(call, at.space, sizes, strides, rates), filters)
    place = _height(call)
    plane = out if rank > 1 else (*out[:place], 1, *out[place:])
    op = "Conv3DBackpropInputV2" if rank == _VOLUME else "Conv2DBackpropInput"
    made = call.op(
        op, numbers(*plane), as_kernel(call, weights), as_planes(call, call.x),
        shape=plane, attributes=sliding(call, strides, rates),
    )  # fmt: skip
    return finished(call, as_rows(call, made), filters)


def _spread(
    call: Layer, space: Sizes, sizes: list[int], strides: list[int], rates: list[int]
) -> list[Size]:
    """How large an image becomes when each place of it is drawn out to a window."""
    rank = len(space)
    stated = call.config.get("output_padding")
    more = [None] * rank if stated is None else call.integers("output_padding", rank)
    same = call.text("padding", "valid").lower() == "same"
    found: list[Size] = []
    for size, wide, stride, rate, pad in zip(space, sizes, strides, rates, more, strict=True):
        full = (wide - 1) * rate + 1
        if pad is None:
            found.append(size * stride + (0 if same else max(full - stride, 0)))
        else:
            found.append((size - 1) * stride + full - (2 * (full // 2) if same else 0) + pad)
    return found
