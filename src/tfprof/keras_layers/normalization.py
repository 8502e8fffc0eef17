"""Normalisation: batch statistics are stored, all others computed from the input."""

from __future__ import annotations

from collections.abc import Sequence

from tfprof.keras_layers.layer import SCALAR, Layer, Sizes, numbers, shape_of, variable_dtype
from tfprof.keras_layers.rule import Made, layer
from tfprof.keras_layers.sizes import Unknown, axes_of, axis_of, whole
from tfprof.model.dims import Size
from tfprof.ops.rule import FLOAT, Tensor
from tfprof.wire import dtypes

HALVES = (dtypes.HALF, dtypes.number("bfloat16"))


class _Wide:
    """A layer that computes in whole precision whatever it is called with, and its variables."""

    def __init__(self, call: Layer) -> None:
        self.call, self.layer, self.x = call, call, call.x
        if call.dtype in HALVES:
            self.x = call.op("Cast", call.x, dtype=FLOAT)
            self.layer = call.part(call.class_name, {**call.config, "dtype": "float32"}, self.x)

    def weight(self, name: str, shape: Sequence[int], *, trained: bool = True) -> Tensor:
        """A variable that a mixed policy keeps whole is read as it is."""
        is_whole = variable_dtype(self.call.config.get("dtype")) == self.layer.dtype
        reader = self.layer if is_whole else self.call
        read = reader.weight(name, shape, trained=trained)
        wanted = self.layer.dtype
        return read if read.dtype == wanted else self.call.op("Cast", read, dtype=wanted)

    def learned(self, shape: Sequence[int], spread: Sequence[Size]) -> list[Tensor | None]:
        """Scale and offset, as far as there are any, over all but some axes."""
        made: list[Tensor | None] = []
        for flag, name in (("scale", "gamma"), ("center", "beta")):
            there = self.call.flag(flag, absent=True)
            made.append(self.layer.reshaped(self.weight(name, shape), *spread) if there else None)
        return made

    def finished(self, x: Tensor) -> Tensor:
        wanted = self.call.dtype
        return x if x.dtype == wanted else self.call.op("Cast", x, dtype=wanted)


# --- by statistics of many batches


@layer("BatchNormalization SyncBatchNormalization")
def _batch(call: Layer) -> Made:
    """As for a prediction; a layer that trains is changed with the rest of the step."""
    axis = call.config.get("axis", -1)
    axis = axis[0] if isinstance(axis, list) and len(axis) == 1 else axis
    place, rank = axis_of(axis, len(call.shape)), len(call.shape)
    size = whole(call.shape[place], "the normalised axis")
    spread = [size] if place == rank - 1 else [size if one == place else 1 for one in range(rank)]
    wide = _Wide(call)
    gamma, beta = wide.learned((size,), spread)
    mean, variance = (
        wide.layer.reshaped(wide.weight(name, (size,), trained=False), *spread)
        for name in ("moving_mean", "moving_variance")
    )
    if call.flag("renorm"):
        for name in ("moving_stddev", "renorm_mean", "renorm_stddev"):
            call.declare(name, (size,), trained=False)
    if call.training and not call.trainable:
        # what is stored stays: this is how the change into training tells
        variance = wide.layer.op("StopGradient", variance)
    return wide.finished(_by_stored(wide, mean, variance, gamma, beta))


def _by_stored(
    wide: _Wide, mean: Tensor, variance: Tensor, gamma: Tensor | None, beta: Tensor | None
) -> Tensor:
    """A multiplication and an addition for each element."""
    call = wide.layer
    factor = call.each("Rsqrt", call.each("AddV2", variance, SCALAR))
    if gamma is not None:
        factor = call.each("Mul", factor, gamma)
    scaled = call.each("Mul", wide.x, factor)
    moved = call.each("Mul", mean, factor)
    offset = call.each("Neg", moved) if beta is None else call.each("Sub", beta, moved)
    return call.each("AddV2", scaled, offset)


# --- by statistics of a sample


@layer("LayerNormalization")
def _layer(call: Layer) -> Made:
    axes, sizes = _normalised(call)
    spread = [size if axis in axes else 1 for axis, size in enumerate(call.shape)]
    wide = _Wide(call)
    if call.flag("rms_scaling"):
        factor = wide.layer.reshaped(wide.weight("gamma", sizes), *spread)
        return wide.finished(wide.layer.each("Mul", _by_variance(wide, axes), factor))
    gamma, beta = wide.learned(sizes, spread)
    return wide.finished(_by_moments(wide.layer, wide.x, axes, gamma, beta))


def _normalised(call: Layer) -> tuple[list[int], tuple[int, ...]]:
    """The axes, and how long they are."""
    axes = axes_of(call.config.get("axis", -1), len(call.shape))
    return axes, tuple(whole(call.shape[axis], "the normalised axis") for axis in axes)


def _by_variance(wide: _Wide, axes: Sequence[int]) -> Tensor:
    """Divided by the deviation, but not moved."""
    call, x = wide.layer, wide.x
    squares = call.each("Square", call.each("Sub", x, _reduced(call, "Mean", x, axes)))
    variance = _reduced(call, "Mean", squares, axes)
    return call.each("Mul", x, call.each("Rsqrt", call.each("AddV2", variance, SCALAR)))


def _reduced(call: Layer, op: str, x: Tensor, axes: Sequence[int]) -> Tensor:
    """Over some axes, which stay with size 1."""
    shape = [1 if axis in axes else size for axis, size in enumerate(shape_of(x))]
    return call.op(op, x, numbers(*axes), shape=shape, keep_dims=True)


def _by_moments(
    call: Layer, x: Tensor, axes: Sequence[int], gamma: Tensor | None, beta: Tensor | None
) -> Tensor:
    mean = _reduced(call, "Mean", x, axes)
    squares = call.each("SquaredDifference", x, call.op("StopGradient", mean))
    variance = _reduced(call, "Mean", squares, axes)
    factor = call.each("Rsqrt", call.each("AddV2", variance, SCALAR))
    if gamma is not None:
        factor = call.each("Mul", factor, gamma)
    offset = call.each("Mul", call.each("Neg", mean), factor)
    if beta is not None:
        offset = call.each("AddV2", offset, beta)
    return call.each("AddV2", call.each("Mul", x, factor), offset)


@layer("GroupNormalization")
def _group(call: Layer) -> Made:
    """Channels in groups, each by its own statistics."""
    place = axis_of(call.config.get("axis", -1), len(call.shape))
    size = whole(call.shape[place], "the normalised axis")
    stated = call.integer("groups", 32)
    groups = size if stated == -1 else stated
    if groups < 1 or size % groups:
        raise Unknown(f"{size} channels do not make {groups} groups")
    wide = _Wide(call)
    apart = _apart(call.shape, place, groups, size // groups)
    spread = _apart([1] * len(call.shape), place, groups, size // groups)
    axes = [axis for axis in range(1, len(apart)) if axis != place]
    x = wide.layer.reshaped(wide.x, *apart)
    gamma, beta = wide.learned((size,), spread)
    made = _by_moments(wide.layer, x, axes, gamma, beta)
    return wide.finished(wide.layer.reshaped(made, *call.shape))


def _apart(shape: Sequence[Size], place: int, groups: int, each: int) -> Sizes:
    return (*shape[:place], groups, each, *shape[place + 1 :])


@layer("RMSNormalization")
def _root_mean_square(call: Layer) -> Made:
    axes, sizes = _normalised(call)
    wide = _Wide(call)
    inner, x = wide.layer, wide.x
    mean = _reduced(inner, "Mean", inner.each("Square", x), axes)
    scaled = inner.each("Mul", x, inner.each("Rsqrt", inner.each("AddV2", mean, SCALAR)))
    return wide.finished(inner.each("Mul", scaled, wide.weight("scale", sizes)))


@layer("UnitNormalization")
def _unit(call: Layer) -> Made:
    axes = axes_of(call.config.get("axis", -1), len(call.shape))
    length = call.each("Rsqrt", _reduced(call, "Sum", call.each("Square", call.x), axes))
    return call.each("Mul", call.x, call.each("Minimum", length, SCALAR))


# --- by numbers of its own


@layer("LayerScale")
def _layer_scale(call: Layer) -> Made:
    """Of ConvNeXt in keras.applications."""
    return call.each("Mul", call.x, call.weight("gamma", (call.integer("projection_dim"),)))


@layer("Normalization")
def _normalization(call: Layer) -> Made:
    """Subtract and divide, by numbers in the config or learned from data."""
    stated = call.config.get("axis", -1)
    axes = [] if stated is None else axes_of(stated, len(call.shape))
    sizes = [whole(call.shape[axis], "the normalised axis") for axis in axes]
    if call.config.get("mean") is None:
        for name, shape in (("mean", sizes), ("variance", sizes), ("count", [])):
            call.declare(name, shape, trained=False)
    spread = [size if axis in axes else 1 for axis, size in enumerate(call.shape)]
    mean, variance = (_constant(call, spread) for _ in range(2))
    deviation = call.each("Maximum", call.each("Sqrt", variance), SCALAR)
    if call.flag("invert"):
        return call.each("AddV2", mean, call.each("Mul", call.x, deviation))
    return call.each("RealDiv", call.each("Sub", call.x, mean), deviation)


def _constant(call: Layer, shape: Sequence[Size]) -> Tensor:
    return call.ops("Const", outputs=[Tensor(tuple(shape), call.dtype)])[0]
