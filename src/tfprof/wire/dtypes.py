"""TensorFlow's DataType numbers: names and sizes. A reference type is its base plus 100."""

from __future__ import annotations

REF_OFFSET = 100

# number: (name without DT_, bytes per element or None where elements have no fixed size)
_TYPES: dict[int, tuple[str, float | None]] = {
    1: ("FLOAT", 4), 2: ("DOUBLE", 8), 3: ("INT32", 4), 4: ("UINT8", 1), 5: ("INT16", 2),
    6: ("INT8", 1), 7: ("STRING", None), 8: ("COMPLEX64", 8), 9: ("INT64", 8), 10: ("BOOL", 1),
    11: ("QINT8", 1), 12: ("QUINT8", 1), 13: ("QINT32", 4), 14: ("BFLOAT16", 2), 15: ("QINT16", 2),
    16: ("QUINT16", 2), 17: ("UINT16", 2), 18: ("COMPLEX128", 16), 19: ("HALF", 2),
    20: ("RESOURCE", None), 21: ("VARIANT", None), 22: ("UINT32", 4), 23: ("UINT64", 8),
    24: ("FLOAT8_E5M2", 1), 25: ("FLOAT8_E4M3FN", 1), 26: ("FLOAT8_E4M3FNUZ", 1),
    27: ("FLOAT8_E4M3B11FNUZ", 1), 28: ("FLOAT8_E5M2FNUZ", 1), 29: ("INT4", 0.5),
    30: ("UINT4", 0.5), 31: ("INT2", 0.25), 32: ("UINT2", 0.25), 33: ("FLOAT4_E2M1FN", 0.5),
}  # fmt: skip

_PYTHON_NAMES = {1: "float32", 2: "float64", 19: "float16"}
_FLOATING = frozenset({1, 2, 8, 14, 18, 19, 24, 25, 26, 27, 28, 33})

FLOAT, INT32, STRING, INT64, BOOL, RESOURCE, VARIANT = 1, 3, 7, 9, 10, 20, 21

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


def size(dtype: int) -> float | None:
    """Bytes per element; None for strings, resources and numbers we do not know."""
    return _TYPES.get(base(dtype), ("", None))[1]


def is_floating(dtype: int) -> bool:
    """Whether a variable of this type can be trained."""
    return base(dtype) in _FLOATING


_BY_NAME = {name(number): number for number in _TYPES}
