"""The pipelines of one host as trees of stages: what calls what, and on whose thread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from tfprof.analyses.input_events.event_names import (
    SEPARATOR,
    is_device_side,
    is_get_next,
    is_root,
    rows_where,
)
from tfprof.analyses.input_events.feeding_pipelines import fed_roots, is_reader, roots_without_fetch
from tfprof.analyses.input_events.iterators import (
    IteratorCalls,
    above,
    iterator_calls,
    leaf,
)
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.xspace import Plane
from tfprof.wire.distinct import distinct

Ints = npt.NDArray[np.int64]


@frozen_dataclass
class Stage:
    """`parent` is a position among the stages, None of the first; `calls` are rows of the calls.

    A detached stage runs on another thread than the one above it, which takes from a buffer.
    """

    path: str
    parent: int | None
    depth: int
    detached: bool
    calls: Ints

    @property
    def label(self) -> str:
        return leaf(self.path)


@frozen_dataclass(eq=False)
class Pipeline:
    """Stages stand as a tree is read: each before those that it reads from.

    Several iterators of one kind one after the other, such as those of epochs, are one pipeline.
    """

    plane: Plane
    calls: IteratorCalls
    stages: Sequence[Stage]
    iterators: int

    @property
    def first(self) -> Stage:
        return self.stages[0]

    def children(self, at: int) -> list[int]:
        return [child for child, stage in enumerate(self.stages) if stage.parent == at]


@frozen_dataclass
class Pipelines:
    """`device_side` counts iterators that only hand on to a device what others made."""

    of_host: Sequence[Pipeline]
    device_side: int


def pipelines(plane: Plane) -> Pipelines:
    calls = iterator_calls(plane)
    trees = list(_trees(calls))
    whole = [tree for tree in trees if is_root(tree.top)]
    device_side = [tree for tree in whole if any(map(is_device_side, tree.paths))]
    groups = _alike([tree for tree in whole if tree not in device_side])
    _add_orphans(groups, [tree for tree in trees if tree not in whole])
    built = [(_stages(calls, group), group) for group in groups]
    # of ids that lead in circles nothing is left
    built = [(stages, group) for stages, group in built if stages]
    made = [Pipeline(plane, calls, stages, group.iterators) for stages, group in built]
    fed = set(fed_roots(plane, calls, rows_where(plane, is_get_next)).tolist())
    fed |= set(roots_without_fetch(plane, calls, rows_where(plane, is_get_next)).tolist())
    feeding = [
        one for one, (_, group) in zip(made, built, strict=True) if fed.issuperset(group.tops)
    ]
    return Pipelines(_below_their_readers(made, feeding), len(device_side))


def _below_their_readers(made: list[Pipeline], feeding: list[Pipeline]) -> list[Pipeline]:
    """Pipelines that feed another one as a part of it, where it is clear which one."""
    others = [one for one in made if one not in feeding]
    readers = [
        (which, at)
        for which, one in enumerate(others)
        for at, stage in enumerate(one.stages)
        if is_reader(stage.path)
    ]
    if len(readers) != 1 or len(feeding) != 1:
        return made
    which, at = readers[0]
    others[which] = _joined(others[which], at, feeding[0])
    return others


def _joined(outer: Pipeline, reader: int, inner: Pipeline) -> Pipeline:
    """The stages of one below a stage of the other, which ends there."""
    above_ = outer.stages[reader]
    below = [
        replace(
            stage,
            path=above_.path + SEPARATOR + stage.path.partition(SEPARATOR)[2],
            parent=reader if stage.parent is None else stage.parent + reader + 1,
            depth=stage.depth + above_.depth + 1,
            detached=stage.detached or stage.parent is None,
        )
        for stage in inner.stages
    ]
    behind = [
        stage
        if stage.parent is None or stage.parent <= reader
        else replace(stage, parent=stage.parent + len(below))
        for stage in outer.stages[reader + 1 :]
    ]
    return replace(outer, stages=[*outer.stages[: reader + 1], *below, *behind])


@dataclass(slots=True, eq=False)
class _Tree:
    """The calls below one root, or of several that are alike."""

    tops: list[int]
    top: str
    calls: list[Ints]
    paths: set[str]
    first: int
    last: int
    iterators: int = 1

    def take(self, other: _Tree) -> None:
        self.tops += other.tops
        self.calls += other.calls
        self.paths |= other.paths
        self.first, self.last = min(self.first, other.first), max(self.last, other.last)


def _trees(calls: IteratorCalls) -> Iterator[_Tree]:
    order = np.argsort(calls.root, kind="stable")
    tops, first = np.unique(calls.root[order], return_index=True)
    bounds = [*first.tolist(), len(order)]
    for top, begin, end in zip(tops.tolist(), bounds, bounds[1:], strict=False):
        rows = order[begin:end]
        paths = calls.path.distinct(rows)
        yield _Tree(
            [top],
            min(paths, key=lambda path: (path.count(SEPARATOR), path)),
            [rows],
            paths,
            int(calls.start[rows].min()),
            int(calls.end[rows].max()),
        )


def _alike(trees: list[_Tree]) -> list[_Tree]:
    """One for each pipeline: iterators of the same stages that never lived at the same time."""
    groups: list[_Tree] = []
    for tree in sorted(trees, key=lambda one: one.first):
        for group in groups:
            same = group.top == tree.top and (
                tree.paths <= group.paths or group.paths <= tree.paths
            )
            if same and group.last <= tree.first:
                group.take(tree)
                group.iterators += 1
                break
        else:
            groups.append(tree)
    return groups


def _add_orphans(groups: list[_Tree], orphans: list[_Tree]) -> None:
    """What was called by something that the capture does not show, to where its path leads."""
    for orphan in sorted(orphans, key=lambda one: (one.top.count(SEPARATOR), one.first)):
        fit = [group for group in groups if above(orphan.top) in group.paths]
        fit = fit or [group for group in groups if group.top == orphan.top]
        if len(fit) == 1:
            fit[0].take(orphan)
        else:
            groups.append(orphan)


@dataclass(slots=True)
class _Found:
    path: str
    calls: Ints
    parent: str | None = None
    detached: bool = False
    children: list[str] = field(default_factory=list)


def _stages(calls: IteratorCalls, group: _Tree) -> list[Stage]:
    rows = np.sort(np.concatenate(group.calls))
    codes = calls.path.codes[rows]
    found = {
        calls.path.table[code]: _Found(calls.path.table[code], rows[codes == code])
        for code in distinct(codes).tolist()
    }
    for stage in found.values():
        _find_parent(calls, found, stage)
    for stage in found.values():
        if stage.parent is not None:
            found[stage.parent].children.append(stage.path)
    return _in_order(found)


def _find_parent(calls: IteratorCalls, found: dict[str, _Found], stage: _Found) -> None:
    """What usually calls it, else what its path names."""
    if is_root(stage.path):
        return
    caller = calls.caller[stage.calls]
    codes = calls.path.codes[caller[caller >= 0]]
    usual = calls.path.table[int(np.bincount(codes).argmax())] if len(codes) else None
    known = [path for path in (usual, above(stage.path)) if path in found and path != stage.path]
    nested = int(np.count_nonzero(calls.holder[stage.calls] >= 0))
    stage.parent = known[0] if known else None
    stage.detached = stage.parent is not None and 2 * nested <= len(caller)


def _in_order(found: dict[str, _Found]) -> list[Stage]:
    """From each stage that has none above it, down."""
    made: list[Stage] = []
    tops = sorted(path for path, stage in found.items() if stage.parent is None)
    todo: list[tuple[str, int | None, int]] = [(path, None, 0) for path in reversed(tops)]
    while todo:
        path, parent, depth = todo.pop()
        stage = found[path]
        made.append(Stage(path, parent, depth, stage.detached, stage.calls))
        at = len(made) - 1
        todo += [(child, at, depth + 1) for child in sorted(stage.children, reverse=True)]
    return made
