"""What is random in a training step: dropout and noise. In a prediction values pass as they are."""

from __future__ import annotations

from collections.abc import Sequence

from tfprof.keras_layers.layer import SCALAR, Layer, number, shape_of
from tfprof.keras_layers.rule import Made, layer
from tfprof.model.dims import Size
from tfprof.ops.rule import BOOL, FLOAT, INT32, INT64, Tensor

# seeds are kept in a variable that is no parameter
_SEED = Tensor((2,), INT64)


def uniform(call: Layer, x: Tensor, shape: Sequence[Size], dtype: int = FLOAT) -> Tensor:
    """Random numbers between 0 and 1 of some shape, which is made of that of `x`."""
    span = call.each("Sub", SCALAR, SCALAR, dtype=dtype)
    drawn = _drawn(call, "StatelessRandomUniformV2", x, shape, dtype)
    return call.each("AddV2", call.each("Mul", drawn, span), SCALAR)


def normal(call: Layer, x: Tensor) -> Tensor:
    """Around a mean, with a deviation; a number for each of `x`."""
    drawn = _drawn(call, "StatelessRandomNormalV2", x, shape_of(x), x.dtype)
    return call.each("AddV2", call.each("Mul", drawn, SCALAR), SCALAR)


def _drawn(call: Layer, op: str, x: Tensor, shape: Sequence[Size], dtype: int) -> Tensor:
    sizes = call.op("Shape", x, dtype=INT32)
    key, counter = seeded(call)
    return call.op(op, sizes, key, counter, number(1), shape=shape, dtype=dtype)


def advanced(call: Layer) -> None:
    """A generator is set one further."""
    call.each("AddV2", _SEED, Tensor((2,), INT64))


def seeded(call: Layer) -> Sequence[Tensor]:
    """Key and counter of a generator."""
    advanced(call)
    seed = call.each("FloorMod", call.each("Mul", _SEED, SCALAR), SCALAR)
    return call.ops("StatelessRandomGetKeyCounter", call.op("Cast", seed, dtype=INT32))


def dropped(call: Layer, x: Tensor, rate: object, noise: Sequence[Size] | None = None) -> Tensor:
    """What random numbers keep in training: the mask stays for the gradient.

    The mask has the shape `noise`, if that is another than the tensor's.
    """
    if not call.training or not isinstance(rate, int | float) or rate <= 0:
        return x
    if rate >= 1:
        return call.op("ZerosLike", x)
    shape = shape_of(x)
    scaled = call.each("Mul", x, SCALAR)
    drawn = uniform(call, x, shape if noise is None else noise, x.dtype)
    mask = call.each("GreaterEqual", drawn, SCALAR, dtype=BOOL)
    return call.op("SelectV2", mask, scaled, SCALAR, shape=shape, dtype=x.dtype)


@layer("Dropout")
def _dropout(call: Layer) -> Made:
    return dropped(call, call.x, call.config.get("rate"), _noise(call))


def _noise(call: Layer) -> list[Size]:
    """The shape in a config, where dimensions may be left to the input."""
    stated = call.config.get("noise_shape")
    wanted = stated if isinstance(stated, list | tuple) else [None] * len(call.shape)
    return [
        size if want is None else int(want) for size, want in zip(call.shape, wanted, strict=True)
    ]


@layer("SpatialDropout1D SpatialDropout2D SpatialDropout3D")
def _spatial(call: Layer) -> Made:
    """Whole channels go at once."""
    batch, *inner = call.shape
    ones: list[Size] = [1] * (len(inner) - 1)
    first = call.channels_first and len(inner) > 2
    noise = [batch, inner[0], *ones] if first else [batch, *ones, inner[-1]]
    return dropped(call, call.x, call.config.get("rate"), noise)


@layer("AlphaDropout")
def _alpha(call: Layer) -> Made:
    """What goes becomes the lowest value of selu, then all is scaled back."""
    x = call.x
    if not call.training or not call.config.get("rate"):
        return x
    kept = call.each("GreaterEqual", uniform(call, x, _noise(call)), SCALAR, dtype=BOOL)
    kept = call.op("Cast", kept, dtype=x.dtype)
    lowest = call.each("Mul", SCALAR, call.each("Sub", SCALAR, kept))
    mixed = call.each("AddV2", call.each("Mul", x, kept), lowest)
    return call.each("AddV2", call.each("Mul", SCALAR, mixed), SCALAR)


@layer("GaussianDropout")
def _gaussian_dropout(call: Layer) -> Made:
    if not call.training or not call.config.get("rate"):
        return call.x
    return call.each("Mul", call.x, normal(call, call.x))


@layer("GaussianNoise")
def _gaussian_noise(call: Layer) -> Made:
    if not call.training or not call.config.get("stddev"):
        return call.x
    return call.each("AddV2", call.x, normal(call, call.x))
