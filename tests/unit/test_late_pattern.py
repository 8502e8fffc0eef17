"""A pattern that is compiled late does what one does that is compiled at once."""

from __future__ import annotations

import copy
import pickle
import re

import pytest

from tfprof.late_pattern import late_pattern


def test_does_what_a_pattern_does():
    late, now = late_pattern(r"(a+)b", re.IGNORECASE), re.compile(r"(a+)b", re.IGNORECASE)
    for text in ("AAb", "xab", ""):
        for do in ("fullmatch", "match", "search"):
            found, expected = getattr(late, do)(text), getattr(now, do)(text)
            assert (found and found.groups()) == (expected and expected.groups())
    assert late.sub(r"<\1>", "xaab") == now.sub(r"<\1>", "xaab")
    assert (late.pattern, late.flags) == (now.pattern, now.flags)
    assert late_pattern(rb"\d+").findall(b"1 22") == [b"1", b"22"]


def test_is_compiled_when_it_is_used():
    broken = late_pattern("(")
    with pytest.raises(re.error):
        broken.match("a")


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_copied(again):
    one = late_pattern("a|b")
    assert one.match("b")
    assert again(one).match("b")
    assert again(late_pattern("c")).match("c")
