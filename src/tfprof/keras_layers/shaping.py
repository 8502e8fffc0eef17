"""Layers that move values and compute nothing."""

from __future__ import annotations

from collections.abc import Sequence

from tfprof.keras_layers.convolutions import grid, padded, rank_of
from tfprof.keras_layers.layer import SCALAR, Layer, Sizes, number, numbers, shape_of
from tfprof.keras_layers.rule import Made, layer
from tfprof.keras_layers.sizes import Unknown, count, positive
from tfprof.model.dims import Size, divided
from tfprof.ops.rule import BOOL, FLOAT, INT32, Tensor


@layer("Identity ActivityRegularization StochasticDepth")
def _same(call: Layer) -> Made:
    return call.x


@layer("Masking")
def _masking(call: Layer) -> Made:
    """Steps that are nothing but the mask's value become zero."""
    differs = call.each("NotEqual", call.x, SCALAR, dtype=BOOL)
    kept = call.op("Any", differs, numbers(len(call.shape) - 1), keep_dims=True)
    return call.op("SelectV2", kept, call.x, SCALAR, dtype=call.x.dtype)


# --- another shape or order


@layer("Flatten")
def _flatten(call: Layer) -> Made:
    x = channels_last(call, call.x) if call.channels_first else call.x
    batch, *left = call.shape
    return call.reshaped(x, batch, count(left))


def channels_last(call: Layer, x: Tensor) -> Tensor:
    return call.transposed(x, 0, *range(2, len(shape_of(x))), 1)


def channels_first(call: Layer, x: Tensor) -> Tensor:
    last = len(shape_of(x)) - 1
    return call.transposed(x, 0, last, *range(1, last))


@layer("Reshape")
def _reshape(call: Layer) -> Made:
    batch, *left = call.shape
    target = call.config.get("target_shape")
    if not isinstance(target, list | tuple):
        raise Unknown("Reshape has no 'target_shape'")
    known = [-1 if size is None else size for size in target]
    return call.reshaped(call.x, batch, *filled(count(left), known))


def filled(elements: Size, target: Sequence[object]) -> Sizes:
    """A target with its -1 worked out."""
    sizes: list[Size] = [size for size in target if isinstance(size, int)]
    if len(sizes) != len(target):
        raise Unknown("the shape to take is not written in numbers")
    if -1 not in sizes:
        return tuple(sizes)
    place = sizes.index(-1)
    rest = divided(elements, count([size for at, size in enumerate(sizes) if at != place]))
    if rest is None:
        raise Unknown(f"{elements} elements cannot be divided among {list(target)}")
    sizes[place] = rest
    return tuple(sizes)


@layer("Permute")
def _permute(call: Layer) -> Made:
    return call.transposed(call.x, 0, *call.integers("dims", len(call.shape) - 1))


# --- more or less of it


@layer("RepeatVector")
def _repeat(call: Layer) -> Made:
    batch, features = call.shape
    return repeated(call, call.reshaped(call.x, batch, 1, features), call.integer("n"), 1)


def repeated(call: Layer, x: Tensor, times: int, axis: int) -> Tensor:
    """Each entry along an axis so many times; how long that becomes is computed, too."""
    shape = shape_of(x)
    factors = [times if at == axis + 1 else 1 for at in range(len(shape) + 1)]
    tiled = call.op("Tile", call.op("ExpandDims", x, number(axis + 1)), numbers(*factors))
    length = call.op("Mul", number(times), number(shape[axis]), dtype=INT32)
    made = (*shape[:axis], shape[axis] * times, *shape[axis + 1 :])
    return call.op("Reshape", tiled, length, shape=made)


def _pairs(call: Layer, name: str, rank: int) -> list[tuple[int, int]]:
    """Before and after, by dimension; one number stands for both, or for all."""
    value = call.config.get(name)
    is_pair = isinstance(value, list | tuple) and len(value) == 2 and isinstance(value[0], int)
    if rank == 1 and is_pair:
        value = [value]
    if isinstance(value, int):
        value = [value] * rank
    if not isinstance(value, list | tuple) or len(value) != rank:
        raise Unknown(f"{call.class_name} has no {rank} pairs {name!r}")
    return [(one, one) if isinstance(one, int) else (int(one[0]), int(one[1])) for one in value]


def _around(call: Layer, name: str) -> list[tuple[int, int]]:
    """The pairs of a config, with nothing for batch and channels."""
    at = grid(call, rank_of(call))
    pairs = _pairs(call, name, len(at.space))
    return [(0, 0), (0, 0), *pairs] if at.first else [(0, 0), *pairs, (0, 0)]


@layer("ZeroPadding1D ZeroPadding2D ZeroPadding3D")
def _pad(call: Layer) -> Made:
    return padded(call, call.x, _around(call, "padding"))


@layer("Cropping1D Cropping2D Cropping3D")
def _crop(call: Layer) -> Made:
    borders = _around(call, "cropping")
    sizes = [
        positive(size - sum(pair), "a cropped size")
        for size, pair in zip(call.shape, borders, strict=True)
    ]
    return cut(call, call.x, [before for before, _ in borders], sizes)


def cut(call: Layer, x: Tensor, begins: Sequence[Size], sizes: Sequence[Size]) -> Tensor:
    """A part of a tensor: from where in each dimension, and how much."""
    ends = numbers(*(begin + size for begin, size in zip(begins, sizes, strict=True)))
    steps = numbers(*[1] * len(sizes))
    return call.op("StridedSlice", x, numbers(*begins), ends, steps, shape=sizes, dtype=x.dtype)


# --- images of another size


@layer("UpSampling1D UpSampling2D UpSampling3D")
def _up(call: Layer) -> Made:
    """Nearest neighbours are repeated, along one dimension after the other."""
    at = grid(call, rank_of(call))
    factors = call.integers("size", len(at.space), 2)
    method = call.text("interpolation", "nearest")
    is_turned = at.first and len(factors) == 2
    x = channels_last(call, call.x) if is_turned else call.x
    first = 2 if at.first and not is_turned else 1
    if method != "nearest":
        sizes = [size * factor for size, factor in zip(at.space, factors, strict=True)]
        x = resized(call, x, sizes, method)
    else:
        for axis, factor in enumerate(factors, first):
            x = repeated(call, x, factor, axis)
    return channels_first(call, x) if is_turned else x


_METHODS = {
    "nearest": "ResizeNearestNeighbor", "bilinear": "ResizeBilinear", "bicubic": "ResizeBicubic",
    "area": "ResizeArea",
}  # fmt: skip
_ANY_METHOD = "ScaleAndTranslate"


def resized(
    call: Layer, image: Tensor, sizes: Sequence[Size], method: str, *, smooth: bool = False
) -> Tensor:
    """Images with their channels last. TensorFlow has an op for others than its first methods."""
    batch, *_, channels = shape_of(image)
    shape = (batch, *sizes, channels)
    op = _METHODS.get(method, _ANY_METHOD)
    if smooth and method in ("bilinear", "bicubic"):
        op = _ANY_METHOD
    dtype = image.dtype if method == "nearest" else FLOAT
    if op == _ANY_METHOD:
        factors = call.each("RealDiv", Tensor((2,), FLOAT), Tensor((2,), FLOAT))
        made = call.op(op, image, numbers(*sizes), factors, SCALAR, shape=shape, dtype=dtype)
    else:
        made = call.op(op, image, numbers(*sizes), shape=shape, dtype=dtype)
    if dtype == image.dtype:
        return made
    bounded = call.each("Maximum", call.each("Minimum", made, SCALAR), SCALAR)
    return call.op("Cast", bounded, dtype=image.dtype)
