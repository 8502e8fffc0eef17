"""Pooling: a comparison or an addition for each element of each window."""

from __future__ import annotations

from tfprof.analyses.keras_layers.convolutions import grid, rank_of, slid
from tfprof.analyses.keras_layers.rule import Call, Cost, count, layer


@layer("MaxPooling1D MaxPooling2D MaxPooling3D AveragePooling1D AveragePooling2D AveragePooling3D"
       " MaxPool1D MaxPool2D MaxPool3D AvgPool1D AvgPool2D AvgPool3D")  # fmt: skip
def _pooling(call: Call) -> Cost:
    at = grid(call, rank_of(call))
    rank = len(at.space)
    windows = call.integers("pool_size", rank, 2)
    strides = windows if call.config.get("strides") is None else call.integers("strides", rank)
    padding = call.text("padding", "valid").lower()
    space = tuple(
        slid(size, window, stride, padding)
        for size, window, stride in zip(at.space, windows, strides, strict=True)
    )
    out = call.made(*at.shaped(space, at.channels))
    return call.cost(out, work=out.elements * count(windows))


@layer("GlobalMaxPooling1D GlobalMaxPooling2D GlobalMaxPooling3D GlobalAveragePooling1D"
       " GlobalAveragePooling2D GlobalAveragePooling3D GlobalMaxPool1D GlobalMaxPool2D"
       " GlobalMaxPool3D GlobalAvgPool1D GlobalAvgPool2D GlobalAvgPool3D")  # fmt: skip
def _global(call: Call) -> Cost:
    at = grid(call, rank_of(call))
    ones = (1,) * len(at.space) if call.flag("keepdims") else ()
    return call.cost(call.made(*at.shaped(ones, at.channels)), work=call.x.elements)


@layer("AdaptiveMaxPooling1D AdaptiveMaxPooling2D AdaptiveMaxPooling3D AdaptiveAveragePooling1D"
       " AdaptiveAveragePooling2D AdaptiveAveragePooling3D")  # fmt: skip
def _adaptive(call: Call) -> Cost:
    at = grid(call, rank_of(call))
    space = tuple(call.integers("output_size", len(at.space)))
    return call.cost(call.made(*at.shaped(space, at.channels)), work=call.x.elements)
