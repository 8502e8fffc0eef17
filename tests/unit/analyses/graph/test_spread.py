"""What rows lead to, many at once or one by one: always the same rows."""

from __future__ import annotations

import numpy as np
import pytest

from tfprof.analyses.graph import reach


def _one_by_one(marked, begin, end, others):
    found, stack = marked.copy(), np.flatnonzero(marked).tolist()
    while stack:
        row = stack.pop()
        for one in others[begin[row] : end[row]].tolist():
            if one >= 0 and not found[one]:
                found[one] = True
                stack.append(one)
    return found


@pytest.mark.parametrize("many", [0, 3, 1_000_000])
def test_however_many_go_on_together(many, monkeypatch):
    monkeypatch.setattr(reach, "_MANY", many)
    random = np.random.default_rng(7)
    for count in (1, 2, 30, 400):
        offsets = np.concatenate([[0], np.cumsum(random.integers(0, 4, count))])
        others = random.integers(-1, count, offsets[-1]).astype(np.int32)
        for share in (0.0, 0.05, 0.6):
            given = random.random(count) < share, offsets[:-1], offsets[1:], others
            assert reach.spread(*given).tolist() == _one_by_one(*given).tolist()


def test_a_long_chain():
    count = 100_000
    others = np.arange(1, count + 1, dtype=np.int32)
    others[-1] = -1
    marked = np.zeros(count, bool)
    marked[0] = True
    assert reach.spread(marked, np.arange(count), np.arange(1, count + 1), others).all()
