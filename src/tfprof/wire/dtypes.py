"""TensorFlow's DataType numbers: names and sizes. A reference type is its base plus 100."""

from __future__ import annotations

REF_OFFSET = 100

# number: (name without DT_, bits per element or None where elements have no fixed size)
_TYPES: dict[int, tuple[str, int | None]] = {
    1: ("FLOAT", 32), 2: ("DOUBLE", 64), 3: ("INT32", 32), 4: ("UINT8", 8), 5: ("INT16", 16),
    6: ("INT8", 8), 7: ("STRING", None), 8: ("COMPLEX64", 64), 9: ("INT64", 64), 10: ("BOOL", 8),
    11: ("QINT8", 8), 12: ("QUINT8", 8), 13: ("QINT32", 32), 14: ("BFLOAT16", 16),
    15: ("QINT16", 16), 16: ("QUINT16", 16), 17: ("UINT16", 16), 18: ("COMPLEX128", 128),
    19: ("HALF", 16), 20: ("RESOURCE", None), 21: ("VARIANT", None), 22: ("UINT32", 32),
    23: ("UINT64", 64), 24: ("FLOAT8_E5M2", 8), 25: ("FLOAT8_E4M3FN", 8),
    26: ("FLOAT8_E4M3FNUZ", 8), 27: ("FLOAT8_E4M3B11FNUZ", 8), 28: ("FLOAT8_E5M2FNUZ", 8),
    29: ("INT4", 4), 30: ("UINT4", 4), 31: ("INT2", 2), 32: ("UINT2", 2), 33: ("FLOAT4_E2M1FN", 4),
}  # fmt: skip

_PYTHON_NAMES = {1: "float32", 2: "float64", 19: "float16"}
_FLOATING = frozenset({1, 2, 8, 14, 18, 19, 24, 25, 26, 27, 28, 33})

FLOAT, INT32, STRING, INT64, BOOL, HALF, RESOURCE, VARIANT = 1, 3, 7, 9, 10, 19, 20, 21
BFLOAT16 = 14

ENUM_VALUES: dict[str, int] = {"DT_INVALID": 0}
for _number, (_name, _) in _TYPES.items():
    ENUM_VALUES[f"DT_{_name}"] = _number
    ENUM_VALUES[f"DT_{_name}_REF"] = _number + REF_OFFSET


def base(dtype: int) -> int:
    """The type a reference type refers to; any other type is itself."""
    return dtype - REF_OFFSET if dtype > REF_OFFSET else dtype


def name(dtype: int) -> str:
    """The name Python users know: float32, int64, bfloat16."""
    number = base(dtype)
    if number in _PYTHON_NAMES:
        return _PYTHON_NAMES[number]
    return _TYPES[number][0].lower() if number in _TYPES else f"dtype {dtype}"


def number(python_name: str) -> int | None:
    """The number behind a Python name, or None."""
    return _BY_NAME.get(python_name)


def bits(dtype: int) -> int | None:
    """Bits per element; None for strings, resources and numbers we do not know."""
    return _BITS.get(dtype)


def is_floating(dtype: int) -> bool:
    """Whether a variable of this type can be trained."""
    return base(dtype) in _FLOATING


_BITS = {
    dtype: bits for number, (_, bits) in _TYPES.items() for dtype in (number, number + REF_OFFSET)
}
_BY_NAME = {name(number): number for number in _TYPES}
