"""Names that are stretches of a file say what the same names in a list say."""

from __future__ import annotations

import numpy as np
import pytest

from tfprof.model.names import Names
from tfprof.wire.spans import Spans

TEXTS = [f"scope_{at}/näme" if at % 3 else f"gradients/{at}" for at in range(40)]


def _both() -> list[Names]:
    return [Names(TEXTS), Names(Spans.of([text.encode() for text in TEXTS]))]


@pytest.mark.parametrize("names", _both())
def test_some_of_them(names):
    rows = np.array([7, 0, 33, 7])
    assert names.at(rows) == [TEXTS[row] for row in rows]
    assert names.at(rows[:0]) == []
    near = names.may_have("gradient").tolist()
    assert {row for row, text in enumerate(TEXTS) if "gradient" in text} <= set(near)


@pytest.mark.parametrize("names", _both())
def test_one_by_one(names):
    assert [names[row] for row in range(len(TEXTS))] == TEXTS
    assert names[-1] == TEXTS[-1]
    assert names[3:5] == TEXTS[3:5]
    with pytest.raises(IndexError):
        names[len(TEXTS)]
