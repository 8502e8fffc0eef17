"""Rows that are alike in several columns, against sorting them."""

import numpy as np
import pytest

from tfprof.model import joint_codes as tested


def sorted_codes(columns):
    rows = np.stack(columns, axis=1)
    _, first, codes = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return codes.reshape(-1), first


@pytest.mark.parametrize("table", [1, 1 << 24], ids=["by sorting", "by a table"])
@pytest.mark.parametrize("count", [1, 7, 1000])
def test_as_sorting_has_it(monkeypatch, table, count):
    monkeypatch.setattr(tested, "_TABLE", table)
    monkeypatch.setattr(tested, "_BLOCK", 64)
    draw = np.random.default_rng(count)
    columns = [draw.integers(0, most, count, dtype=np.int32) for most in (3, 9, 1)]
    code, first = tested.joint_codes(columns)
    expected, rows = sorted_codes(columns)
    assert code.tolist() == expected.tolist()
    assert first.tolist() == rows.tolist()


def test_of_nothing():
    code, first = tested.joint_codes([np.zeros(0, np.int32), np.zeros(0, np.int8)])
    assert not len(code)
    assert not len(first)
