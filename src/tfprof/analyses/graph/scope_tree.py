"""Names as a tree of scopes in which no place has more inside than can be looked at.

`a/b/c` stands in `a/b`, which stands in `a`. Where many things stand in one scope, what is alike is
folded: `layer_1` to `layer_48`, or all `Const`. Rows are in preorder; the root comes first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass, mutable_dataclass
from tfprof.late_pattern import late_pattern

Ints = npt.NDArray[np.int64]

NODE, SCOPE, GROUP = range(3)
ROOT = 0
# from so many on, what is alike in a scope is folded; so many may stand in any place
CROWDED, MOST = 30, 80
# alike are at least so many
_FEW = 4
# deeper than anybody nests; what is left of the name stays whole
_DEEPEST = 40
_NUMBER = late_pattern(r"\d+")


@frozen_dataclass
class ScopeTree:
    """`node` is the one behind a row, -1 for scopes and groups; `row_of` leads back.

    A node that is also a scope stands in it, first and in brackets.
    """

    labels: Sequence[str]
    parent: Ints
    depth: Ints
    kind: npt.NDArray[np.uint8]
    node: Ints
    row_of: Ints

    def __len__(self) -> int:
        return len(self.labels)

    def summed(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """What all nodes in a row have together, from the values of nodes; from the inside out."""
        total = np.zeros(len(self))
        total[self.row_of] = values
        for depth in range(int(self.depth.max(initial=0)), 0, -1):
            rows = np.flatnonzero(self.depth == depth)
            np.add.at(total, self.parent[rows], total[rows])
        return total


@mutable_dataclass
class _Place:
    """A scope or a group: those inside are nodes, or places as -1 - number."""

    label: str
    kind: int
    inside: list[int]


def scope_tree(names: Sequence[str], ops: Sequence[str]) -> ScopeTree:
    """Of nodes that all have another name; `ops` are their types."""
    made = _Places(names, ops)
    for place in range(len(made.places)):
        made.fold(place)
    return made.in_order()


class _Places:
    def __init__(self, names: Sequence[str], ops: Sequence[str]) -> None:
        self.places = [_Place("", SCOPE, [])]
        self._number = {"": ROOT}
        self._ops = ops
        paths = [_taken_apart(name) for name in names]
        self._labels = [label for _, label in paths]
        for path, _ in paths:
            self._scope(path)
        inside: dict[int, int] = {}
        for node, (_, label) in enumerate(paths):
            own = self._number.get(names[node], ROOT)
            if own != ROOT:
                inside[own] = node
                self._labels[node] = f"({label})"
        is_own = set(inside.values())
        for node, (path, _) in enumerate(paths):
            if node not in is_own:
                self.places[self._number[path]].inside.append(node)
        for scope, node in inside.items():
            self.places[scope].inside.insert(0, node)

    def _scope(self, path: str) -> None:
        """With those around it; each stands where its first node does."""
        new = []
        while path not in self._number:
            self._number[path] = len(self._number)
            new.append(path)
            path = path.rpartition("/")[0]
        self.places += [_Place("", SCOPE, []) for _ in new]
        for one in reversed(new):
            around, _, label = one.rpartition("/")
            number = self._number[one]
            self.places[number].label = label
            self.places[self._number[around]].inside.append(-1 - number)

    def label(self, one: int) -> str:
        return self._labels[one] if one >= 0 else self.places[-1 - one].label

    def fold(self, place: int) -> None:
        found = self.places[place].inside
        if len(found) > CROWDED:
            found = self._together(found, self._series, self._numbered)
        if len(found) > CROWDED:
            found = self._together(found, self._type, lambda some: self._ops[some[0]])
        found = self._ranges(found)
        if len(found) == 1 and found[0] < 0 and self.places[-1 - found[0]].kind == GROUP:
            found = self.places[-1 - found[0]].inside
        self.places[place].inside = found

    def _series(self, one: int) -> object:
        """What is of one kind, and called the same but for numbers."""
        if one < 0 and self.places[-1 - one].kind == GROUP:
            return None
        kind = self._ops[one] if one >= 0 else None
        label = self.label(one)
        same = _NUMBER.sub("#", label)
        return (same, kind) if same != label else None

    def _type(self, one: int) -> object:
        return self._ops[one] if one >= 0 else None

    def _numbered(self, some: Sequence[int]) -> str:
        """What they are all called, with the numbers they go through: layer_1…48."""
        labels = [self.label(one) for one in some]
        between = _NUMBER.split(labels[0])
        counted = zip(*(_NUMBER.findall(label) for label in labels), strict=True)
        written = [_range_text(numbers) for numbers in counted]
        return "".join(text + number for text, number in zip(between, [*written, ""], strict=True))

    def _ends(self, some: Sequence[int]) -> str:
        first, last = self.label(some[0]), self.label(some[-1])
        return first if first == last else f"{first} … {last}"

    def _together(
        self,
        inside: list[int],
        key_of: Callable[[int], object],
        label_of: Callable[[Sequence[int]], str],
    ) -> list[int]:
        alike: dict[object, list[int]] = {}
        for one in inside:
            key = key_of(one)
            if key is not None:
                alike.setdefault(key, []).append(one)
        groups = {key: some for key, some in alike.items() if len(some) >= _FEW}
        found: list[int] = []
        for one in inside:
            key = key_of(one)
            some = groups.get(key) if key is not None else None
            if some is None:
                found.append(one)
            elif some[0] == one:
                found.append(self._group(label_of(some), some))
        return found

    def _group(self, label: str, some: Sequence[int]) -> int:
        self.places.append(_Place(label, GROUP, self._ranges(list(some))))
        return -len(self.places)

    def _ranges(self, inside: list[int]) -> list[int]:
        """Cut into stretches where they are too many, and these again."""
        while len(inside) > MOST:
            parts = [inside[at : at + MOST] for at in range(0, len(inside), MOST)]
            inside = [self._range(part) for part in parts]
        return inside

    def _range(self, part: list[int]) -> int:
        if len(part) == 1:
            return part[0]
        self.places.append(_Place(self._ends(part), GROUP, part))
        return -len(self.places)

    def in_order(self) -> ScopeTree:
        labels: list[str] = []
        parents: list[int] = []
        depths: list[int] = []
        kinds: list[int] = []
        nodes: list[int] = []
        waiting = [(-1, -1, 0)]
        while waiting:
            one, parent, depth = waiting.pop()
            row = len(labels)
            labels.append(self.label(one))
            parents.append(parent)
            depths.append(depth)
            nodes.append(max(one, -1))
            if one >= 0:
                kinds.append(NODE)
                continue
            place = self.places[-1 - one]
            kinds.append(place.kind)
            waiting += [(inner, row, depth + 1) for inner in reversed(place.inside)]
        node = np.array(nodes, np.int64)
        row_of = np.zeros(len(self._labels), np.int64)
        row_of[node[node >= 0]] = np.flatnonzero(node >= 0)
        return ScopeTree(
            labels,
            np.array(parents, np.int64),
            np.array(depths, np.int64),
            np.array(kinds, np.uint8),
            node,
            row_of,
        )


def _range_text(numbers: Sequence[str]) -> str:
    by_size = sorted(set(numbers), key=lambda one: (len(one.lstrip("0")), one))
    return by_size[0] if len(by_size) == 1 else f"{by_size[0]}…{by_size[-1]}"


def _taken_apart(name: str) -> tuple[str, str]:
    """The scope of a name, and what is left of it."""
    if name.count("/") <= _DEEPEST:
        path, _, label = name.rpartition("/")
        return path, label
    *scopes, label = name.split("/", _DEEPEST)
    return "/".join(scopes), label
