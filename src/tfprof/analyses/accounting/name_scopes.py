"""The scopes that names stand in: `a` and `a/b` of `a/b/c`, whether or not a node is called so.

Names in byte order have those of one scope in one row. So a scope is new where a name and the one
before it part, and all of them are found by looking at bytes, without a string of each.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.wire.spans import Spans

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

# more than anybody nests; a name of a megabyte has half a million
MOST_SCOPES = 4096
_NO_SCOPE = -1
_NO_NODE = -1


def too_deep(names: Sequence[str]) -> int:
    """Of how many names not all scopes are made: each is as long as what it stands in."""
    if max(map(len, names), default=0) <= MOST_SCOPES:
        return 0
    return sum(name.count("/") > MOST_SCOPES for name in names)


def with_scopes(names: list[str], root: str) -> tuple[list[str], Ints, Ints]:
    """The root, then nodes and missing scopes in byte order; the node and the parent of each.

    `names` are different ones in byte order.
    """
    spans = Spans.of_texts(names)
    slashes = _Slashes.of(spans)
    node, place = _met(names, spans, slashes)
    missing = np.flatnonzero(node == _NO_NODE)
    # at one place, all are beginnings of the name that follows
    missing = missing[np.lexsort((slashes.size[missing], place[missing]))]
    count = len(names) + len(missing) + 1
    of_names = 1 + np.arange(len(names))
    of_names += np.searchsorted(place[missing], np.arange(len(names)), side="right")
    of_missing = 1 + np.arange(len(missing)) + place[missing]
    of_scopes = np.append(of_names, 0)[node]
    of_scopes[missing] = of_missing
    parent_of = np.append(of_scopes, 0)  # what is in no scope is in the root
    parent, row = np.zeros(count, np.int64), np.full(count, _NO_NODE, np.int64)
    parent[of_names], parent[of_missing] = (
        parent_of[slashes.of_name],
        parent_of[slashes.above[missing]],
    )
    row[of_names] = np.arange(len(names))
    labels = np.full(count, root, object)
    labels[of_names], labels[of_missing] = names, slashes.spans(spans, missing).texts()
    return labels.tolist(), row, parent


@frozen_dataclass(slots=False)
class _Slashes:
    """The different scopes, as the first name and the bytes of it that are one.

    `above` is the scope that each stands in, and `of_name` the scope of each name.
    """

    first: Ints
    size: Ints
    is_shared: Mask
    above: Ints
    of_name: Ints

    @classmethod
    def of(cls, names: Spans) -> _Slashes:
        slash = np.flatnonzero(np.frombuffer(names.data, np.uint8) == ord("/"))
        begin = np.searchsorted(slash, names.starts)
        count = np.diff(np.append(begin, len(slash)))
        shared = names.shared_with_previous()
        of_name = np.full(len(names), _NO_SCOPE, np.int64)
        none = np.zeros(0, np.int64)
        found, made = [(none, none, none)], 0
        # level by level: the scopes of a name stand in those that it has so far
        rows = np.flatnonzero(count)
        for level in range(MOST_SCOPES):
            if not len(rows):
                break
            size = slash[begin[rows] + level] - names.starts[rows]
            is_new = size >= shared[rows]
            new = rows[is_new]
            found.append((new, size[is_new], of_name[new]))
            # what is not new is the scope of the name before
            of_name[rows] = made - 1 + np.cumsum(is_new)
            made += len(new)
            rows = rows[count[rows] > level + 1]
        first, size, above = map(np.concatenate, zip(*found, strict=True))
        return cls(first, size, shared[first] == size, above, of_name)

    def spans(self, names: Spans, scopes: Ints) -> Spans:
        starts = names.starts[self.first[scopes]]
        return Spans(names.data, starts, starts + self.size[scopes])


def _met(names: list[str], spans: Spans, scopes: _Slashes) -> tuple[Ints, Ints]:
    """The node that is called as each scope, and which name each stands before."""
    node, place = np.full(len(scopes.first), _NO_NODE, np.int64), scopes.first.copy()
    # otherwise the name before does not begin so, and then none does
    shared = np.flatnonzero(scopes.is_shared)
    before = scopes.first[shared] - 1
    is_it = (spans.ends - spans.starts)[before] == scopes.size[shared]
    node[shared[is_it]] = before[is_it]
    # between `a` and `a/b` stands `a-1`
    far = shared[~is_it]
    for scope, text in zip(far.tolist(), scopes.spans(spans, far).texts(), strict=True):
        place[scope] = at = bisect_left(names, text)
        if names[at] == text:
            node[scope] = at
    return node, place
