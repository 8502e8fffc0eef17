"""Floats that numpy has no type for: bfloat16 and the float8 kinds, as float32."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

# exponent bits, bias, whether infinities exist, and how NaN is spelled
_FLOAT8 = {
    "float8_e5m2": (5, 15, "ieee"),
    "float8_e4m3fn": (4, 7, "all ones"),
    "float8_e4m3fnuz": (4, 8, "minus zero"),
    "float8_e4m3b11fnuz": (4, 11, "minus zero"),
    "float8_e5m2fnuz": (5, 16, "minus zero"),
}


def bfloat16_to_float32(bits: npt.NDArray[np.uint16]) -> Floats:
    """A bfloat16 is the upper half of a float32."""
    return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)


def float8_to_float32(bits: npt.NDArray[np.uint8], kind: str) -> Floats:
    return _float8_values(kind)[bits]


@cache
def _float8_values(kind: str) -> Floats:
    """The value of each of the 256 patterns."""
    exponent_bits, bias, nan = _FLOAT8[kind]
    mantissa_bits = 7 - exponent_bits
    pattern = np.arange(256)
    sign = np.where(pattern >= 128, -1.0, 1.0)
    exponent = pattern >> mantissa_bits & (1 << exponent_bits) - 1
    fraction = (pattern & (1 << mantissa_bits) - 1) / (1 << mantissa_bits)
    normal = (1 + fraction) * 2.0 ** (exponent - bias)
    values = sign * np.where(exponent == 0, fraction * 2.0 ** (1 - bias), normal)
    if nan == "minus zero":
        values[128] = np.nan
    elif nan == "all ones":
        values[(pattern & 127) == 127] = np.nan
    else:
        top = exponent == (1 << exponent_bits) - 1
        values[top] = np.where(fraction[top] == 0, sign[top] * np.inf, np.nan)
    return values.astype(np.float32)
