"""Scopes found by looking at bytes, against names that are split at their slashes."""

from itertools import pairwise, starmap

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tfprof.analyses.accounting import name_scopes
from tfprof.analyses.accounting.name_scopes import too_deep, with_scopes
from tfprof.wire.spans import Spans

# slashes, what sorts before them and after, letters of two to four bytes, the lowest of all
letters = st.sampled_from("ab//-._\x00é\U0001f600")
names = st.lists(st.text(letters, max_size=24), max_size=14).map(lambda some: sorted(set(some)))


def split(names, most=name_scopes.MOST_SCOPES):
    """Every scope by name, and what it stands in; None is the root."""
    above = {}
    todo = list(names)
    while todo:
        name = todo.pop()
        if name not in above:
            parts = name.split("/")[: most + 1]
            above[name] = "/".join(parts[:-1] if len(parts) <= most else parts[:most])
            above[name] = above[name] if "/" in name else None
            todo += [above[name]] if above[name] is not None else []
    return dict(sorted(above.items()))


def check(names, most=name_scopes.MOST_SCOPES):
    labels, row, parent = with_scopes(names, "root")
    above = split(names, most)
    assert labels == ["root", *above]
    place = {None: 0, **{name: at for at, name in enumerate(above, 1)}}
    assert parent.tolist() == [0, *(place[one] for one in above.values())]
    known = {name: at for at, name in enumerate(names)}
    assert row.tolist() == [-1, *(known.get(name, -1) for name in above)]


@given(names)
@example([])
@example([""])
@example(["", "/", "//", "a//b", "a/b-1", "a/b.c/d", "a/b/c"])
@example(["a/b", "a/b-1/c", "a/b/c", "a0"])
def test_scopes_are_those_of_the_names(names):
    check(names)


@given(names)
def test_of_deep_names_only_the_first_scopes_are_made(names):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(name_scopes, "MOST_SCOPES", 3)
        check(names, 3)


def test_names_that_are_too_deep_are_counted():
    deep = "a/" * (name_scopes.MOST_SCOPES + 1)
    assert too_deep(["a" * 10_000, deep, deep[2:], deep + "b"]) == 2


@given(st.lists(st.binary(max_size=30), max_size=12))
def test_shared_bytes_are_those_that_two_begin_with(pieces):
    def shared(one, other):
        return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
                    min(len(one), len(other)))  # fmt: skip

    found = Spans.of(pieces).shared_with_previous() if pieces else np.zeros(0)
    assert found.tolist() == [0, *starmap(shared, pairwise(pieces))][: len(pieces)]
