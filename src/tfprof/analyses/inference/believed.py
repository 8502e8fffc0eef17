"""What can be true of a tensor: no number of a file, and none that was computed, is believed as is.

Sizes that are multiplied op by op soon have more digits than there is memory for, and formulas of
them more terms. A tensor that TensorFlow could not make is damage: of its shape nothing is known.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from tfprof.model.budget import MOST_DIMENSIONS, MOST_ELEMENTS
from tfprof.model.dims import Dim, Open, Size
from tfprof.ops.rule import Tensor, Value

# as an entry, a number that is no size: uint64 has the largest
_LARGEST_ENTRY = 1 << 64
# a formula beyond these is no size that anybody gave
_MOST_TERMS, _MOST_FACTORS = 32, 64


def believed(tensor: Tensor, *, keeps_value: bool = True) -> Tensor:
    """The tensor itself, or what is left of it."""
    if tensor.value is None and tensor.length is None and _is_whole(tensor.shape):
        return tensor
    shape, value = _shape(tensor.shape), tensor.value
    if value is not None:
        value = _value(value) if keeps_value else None
    length = tensor.length
    if length is not None and not _is_size(length):
        length = None
    if shape is tensor.shape and value is tensor.value and length is tensor.length:
        return tensor
    return replace(tensor, shape=shape, value=value, length=length)


@lru_cache(maxsize=1 << 14)
def _is_whole(shape: Open) -> bool:
    """Of most shapes a model has many tensors."""
    return _shape(shape) is shape


def _shape(shape: Open) -> Open:
    if shape is None:
        return None
    total = 1
    for size in shape:
        if isinstance(size, int):
            if size > 1:
                total *= size
        elif size is not None and not _is_size(size):
            return tuple(one if one is None or _is_size(one) else None for one in shape)
    return None if total > MOST_ELEMENTS or len(shape) > MOST_DIMENSIONS else shape


def _value(value: Value) -> Value | None:
    return value if all(entry is None or _is_size(entry) for entry in value) else None


def _is_size(size: Size) -> bool:
    if isinstance(size, Dim):
        return len(size.terms) <= _MOST_TERMS and all(map(_is_term, size.terms.items()))
    return -_LARGEST_ENTRY < size < _LARGEST_ENTRY


def _is_term(term: tuple[tuple[tuple[object, int], ...], int]) -> bool:
    factors, count = term
    powers = sum(power for _, power in factors)
    return powers <= _MOST_FACTORS and -_LARGEST_ENTRY < count < _LARGEST_ENTRY
