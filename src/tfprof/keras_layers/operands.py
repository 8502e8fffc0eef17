"""What operations of the functional API are called with: tensors, and constants in the file."""

from __future__ import annotations

from collections.abc import Sequence

from tfprof.keras_layers.layer import SCALAR, Layer, Sizes, shape_of
from tfprof.keras_layers.merging import alike
from tfprof.keras_layers.sizes import count
from tfprof.model.dims import Size
from tfprof.ops.rule import BOOL, Tensor
from tfprof.wire import dtypes

_DEEPEST = 20


def operand(value: object) -> Tensor:
    """A tensor, or what stands for a constant that is written in the file."""
    if isinstance(value, Tensor):
        return value
    shape = _shape_of_constant(value)
    return Tensor(shape) if shape else SCALAR


def _shape_of_constant(value: object) -> Sizes:
    value = _listed(value)
    shape: list[Size] = []
    while isinstance(value, list | tuple) and value and len(shape) < _DEEPEST:
        shape.append(len(value))
        value = value[0]
    return tuple(shape)


def _listed(value: object) -> object:
    """An array in a file is an object with its values in it."""
    if not isinstance(value, dict):
        return value
    config = value.get("config")
    return config.get("value") if isinstance(config, dict) else None


def is_fraction(value: object) -> bool:
    """Whether a constant is more than a whole number."""
    value = _listed(value)
    for _ in range(_DEEPEST):
        if not isinstance(value, list | tuple) or not value:
            break
        value = value[0]
    return isinstance(value, float)


def operands(call: Layer, values: Sequence[object], *, floating: bool = False) -> list[Tensor]:
    """Tensors and constants in one data type."""
    fraction = any(is_fraction(one) for one in values if not isinstance(one, Tensor))
    return alike(call, [operand(one) for one in values], floating=floating or fraction)


def truths(call: Layer, values: Sequence[object]) -> list[Tensor]:
    found = [operand(one) for one in values]
    return [one if one.dtype in (0, BOOL) else call.op("Cast", one, dtype=BOOL) for one in found]


def dtype_named(name: object) -> int:
    return (dtypes.number(name) or 0) if isinstance(name, str) else 0


def flat(call: Layer, x: Tensor) -> Tensor:
    return call.reshaped(x, count(shape_of(x)))
