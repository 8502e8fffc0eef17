"""bfloat16 and float8: every pattern has the value that ml_dtypes gives it."""

import ml_dtypes
import numpy as np
import pytest

from tfprof.wire.small_floats import bfloat16_to_float32, float8_to_float32

KINDS = ["e5m2", "e4m3fn", "e4m3fnuz", "e4m3b11fnuz", "e5m2fnuz"]
FLOAT8 = [f"float8_{kind}" for kind in KINDS]


@pytest.mark.parametrize("kind", FLOAT8)
def test_every_float8_pattern_has_its_value(kind):
    patterns = np.arange(256, dtype=np.uint8)
    expected = patterns.view(getattr(ml_dtypes, kind)).astype(np.float32)
    values = float8_to_float32(patterns, kind)
    assert values.dtype == np.float32
    np.testing.assert_array_equal(values, expected)
    zero = expected == 0
    assert (np.signbit(values) == np.signbit(expected))[zero].all()


def test_every_bfloat16_pattern_has_its_value():
    patterns = np.arange(1 << 16, dtype=np.uint16)
    expected = patterns.view(ml_dtypes.bfloat16).view(np.uint16).astype(np.uint32) << 16
    values = bfloat16_to_float32(patterns)
    assert values.dtype == np.float32
    np.testing.assert_array_equal(values.view(np.uint32), expected)
    with np.errstate(invalid="ignore"):
        same = patterns.view(ml_dtypes.bfloat16).astype(np.float32)
    np.testing.assert_array_equal(values, same)


def test_the_shape_of_a_tensor_is_kept():
    assert float8_to_float32(np.zeros((2, 3), np.uint8), "float8_e5m2").shape == (2, 3)
    assert bfloat16_to_float32(np.zeros((2, 0, 3), np.uint16)).shape == (2, 0, 3)
