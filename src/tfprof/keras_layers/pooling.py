"""Pooling: with windows, over all of an image, or to an image of a wanted size."""

from __future__ import annotations

from collections.abc import Sequence

from tfprof.keras_layers.convolutions import grid, rank_of
from tfprof.keras_layers.layer import SCALAR, Layer, number, numbers
from tfprof.keras_layers.reducing import mean
from tfprof.keras_layers.rule import Made, layer
from tfprof.keras_layers.shaping import channels_first, channels_last
from tfprof.keras_layers.sizes import count
from tfprof.ops.rule import BOOL, FLOAT, INT32, Tensor

_VOLUME = 3


def _op(call: Layer, rank: int) -> str:
    """TensorFlow pools planes and volumes; a row is a plane that is one high."""
    kind = "MaxPool" if "Max" in call.class_name else "AvgPool"
    return f"{kind}3D" if rank == _VOLUME else kind


def _channels_last(call: Layer) -> Tensor:
    """On a CPU, TensorFlow pools nothing else."""
    return channels_last(call, call.x) if call.channels_first else call.x


def _as_it_came(call: Layer, x: Tensor) -> Tensor:
    return channels_first(call, x) if call.channels_first else x


def _pooled(
    call: Layer, x: Tensor, windows: Sequence[int], strides: Sequence[int], padding: str
) -> Tensor:
    """A window slid over an image whose channels come last."""
    rank = len(windows)
    letters = "DHW"[-max(rank, 2) :]
    is_row = rank == 1
    image = call.op("ExpandDims", x, number(1)) if is_row else x
    made = call.op(
        _op(call, rank),
        image,
        ksize=_sides(windows),
        strides=_sides(strides),
        padding=padding,
        data_format=f"N{letters}C",
    )
    return call.op("Squeeze", made, squeeze_dims=[1]) if is_row else made


def _sides(sizes: Sequence[int]) -> list[int]:
    return [1, 1, *sizes, 1] if len(sizes) == 1 else [1, *sizes, 1]


@layer("MaxPooling1D MaxPooling2D MaxPooling3D AveragePooling1D AveragePooling2D AveragePooling3D"
       " MaxPool1D MaxPool2D MaxPool3D AvgPool1D AvgPool2D AvgPool3D")  # fmt: skip
def _pooling(call: Layer) -> Made:
    rank = len(grid(call, rank_of(call)).space)
    windows = call.integers("pool_size", rank, 2)
    strides = windows if call.config.get("strides") is None else call.integers("strides", rank)
    padding = "SAME" if call.text("padding", "valid").lower() == "same" else "VALID"
    return _as_it_came(call, _pooled(call, _channels_last(call), windows, strides, padding))


@layer("GlobalMaxPooling1D GlobalMaxPooling2D GlobalMaxPooling3D GlobalAveragePooling1D"
       " GlobalAveragePooling2D GlobalAveragePooling3D GlobalMaxPool1D GlobalMaxPool2D"
       " GlobalMaxPool3D GlobalAvgPool1D GlobalAvgPool2D GlobalAvgPool3D")  # fmt: skip
def _global(call: Layer) -> Made:
    at = grid(call, rank_of(call))
    first = 2 if at.first else 1
    over = numbers(*range(first, first + len(at.space)))
    keeps = call.flag("keepdims")
    if "Max" in call.class_name:
        return call.op("Max", call.x, over, keep_dims=keeps)
    if call.mask is None or len(at.space) > 1:
        return mean(call, call.x, over, keep=keeps)
    there = call.op("ExpandDims", call.mask, number(3 - first))
    kept = call.op("SelectV2", there, call.x, SCALAR, shape=call.shape, dtype=call.dtype)
    counted = call.op("Cast", there, dtype=call.dtype)
    sums = [call.op("Sum", one, over, keep_dims=keeps) for one in (kept, counted)]
    return call.each("RealDiv", *sums)


# --- to a wanted size, whatever the image has


@layer("AdaptiveMaxPooling1D AdaptiveMaxPooling2D AdaptiveMaxPooling3D AdaptiveAveragePooling1D"
       " AdaptiveAveragePooling2D AdaptiveAveragePooling3D")  # fmt: skip
def _adaptive(call: Layer) -> Made:
    """One dimension after the other; of an open one Keras makes nothing on TensorFlow."""
    at = grid(call, rank_of(call))
    wanted = call.integers("output_size", len(at.space))
    sizes = [size for size in at.space if isinstance(size, int)]
    if len(sizes) < len(wanted):
        out, read = at.shaped(wanted, at.channels), count(call.shape)
        return call.by_hand(call.class_name, call.x, shape=out, work=read)
    x = _channels_last(call)
    for axis, (size, parts) in enumerate(zip(sizes, wanted, strict=True)):
        x = _shared_out(call, x, axis, size, parts)
    return _as_it_came(call, x)


def _shared_out(call: Layer, x: Tensor, axis: int, size: int, parts: int) -> Tensor:
    """Parts that overlap: all windows of two lengths are pooled, then the wanted ones picked."""
    rank = rank_of(call)
    length = -(-size // parts)
    pools = []
    for window in (length, length + 1):
        windows = [window if place == axis else 1 for place in range(rank)]
        pools.append(_pooled(call, x, windows, [1] * rank, "VALID"))
    both = call.op("ConcatV2", *pools, number(axis + 1))
    return call.op("GatherV2", both, _picked(call, parts), number(axis + 1))


def _picked(call: Layer, parts: int) -> Tensor:
    """Which windows those are is computed, too."""
    bounds = []
    for first, rounding in ((0, "Floor"), (1, "Ceil")):
        listed = call.op("Range", number(first), number(first + parts), number(1), dtype=INT32)
        scaled = call.each("Mul", call.op("Cast", listed, dtype=FLOAT), SCALAR)
        rounded = call.each(rounding, call.each("RealDiv", scaled, SCALAR))
        bounds.append(call.each("Minimum", call.op("Cast", rounded, dtype=INT32), SCALAR))
    starts, ends = bounds
    is_longer = call.each("Equal", call.each("Sub", ends, starts), SCALAR, dtype=BOOL)
    shifted = call.each("AddV2", starts, SCALAR)
    return call.op("SelectV2", is_longer, shifted, starts, dtype=INT32)
