"""Costs by the code that made the nodes: a tree of stack frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tfprof.analyses.accounting import nodes as n
from tfprof.analyses.accounting.ancestry import ROOT_AT, Walk, renumbered
from tfprof.analyses.accounting.op import picker
from tfprof.analyses.accounting.tree import CostTree
from tfprof.model import metrics
from tfprof.model.oplog import CodeFrame, OpLog
from tfprof.model.options import EVERYTHING, Options
from tfprof.results import trees as c
from tfprof.wire.distinct import distinct

GRADIENT = " (gradient)"
_LONGEST, _KEPT = 20, 17


@dataclass
class CodeTree:
    """The cost tree, and by row the nodes that were made there."""

    tree: CostTree
    made: list[n.Ints]
    frames: list[CodeFrame | None]
    lost_gradients: int

    @property
    def nodes_in(self) -> list[int]:
        """How many different nodes were made at each row."""
        return [len(distinct(rows)) for rows in self.made]


@dataclass
class _Frames:
    """Frames in order of creation; those of one parent with one label are one."""

    labels: list[str] = field(default_factory=lambda: [c.ROOT_NAME])
    parent: list[int] = field(default_factory=lambda: [ROOT_AT])
    children: list[dict[str, int]] = field(default_factory=lambda: [{}])
    made: list[list[int]] = field(default_factory=lambda: [[]])
    frames: list[CodeFrame | None] = field(default_factory=lambda: [None])

    def attach(self, stack: Sequence[CodeFrame], suffix: str, node: int) -> None:
        at = ROOT_AT
        for frame in stack:
            label = frame_label(frame) + suffix
            if label not in self.children[at]:
                self.children[at][label] = len(self.labels)
                self.labels.append(label)
                self.parent.append(at)
                self.children.append({})
                self.made.append([])
                self.frames.append(frame)
            at = self.children[at][label]
        self.made[at].append(node)


def frame_label(frame: CodeFrame) -> str:
    function = frame.function
    encoded = function.encode()
    if len(encoded) >= _LONGEST:
        function = encoded[:_KEPT].decode("utf-8", "replace") + "..."
    return f"{frame.file.rpartition('/')[2]}:{frame.line}:{function}"


def code_tree(nodes: n.Nodes, log: OpLog, options: Options) -> CodeTree:
    frames, lost = _frames(nodes, log)
    count = len(frames.labels)
    everything = options.account_type_regexes == EVERYTHING
    pick = picker(nodes, options)
    own = np.zeros((count, metrics.COLUMNS), np.int64)
    counts = np.zeros(count, bool)
    made = [pick(np.array(rows, np.int64)) for rows in frames.made]
    for at, picked in enumerate(made):
        counts[at] = everything or len(picked) > 0
        own[at] = nodes.costs[picked].sum(axis=0)
    counts[ROOT_AT] = False
    parent = np.array(frames.parent)
    walk = Walk.of(parent)
    kept = walk.sums(counts.astype(np.int64)) > 0
    kept[ROOT_AT] = True
    rows = np.flatnonzero(kept).tolist()
    tree = CostTree(
        [frames.labels[at] for at in rows],
        np.full(len(rows), -1),
        renumbered(parent[kept], kept),
        walk.kept(kept),
        own[kept],
        walk.sums(own)[kept],
        counts[kept],
    )
    return CodeTree(tree, [made[at] for at in rows], [frames.frames[at] for at in rows], lost)


def _frames(nodes: n.Nodes, log: OpLog) -> tuple[_Frames, int]:
    """Gradients stand under the code of the node they belong to, marked as gradients."""
    frames = _Frames()
    gradients: dict[str, list[int]] = {}
    for row, name in enumerate(nodes.names):
        if nodes.graph_row[row] < 0:
            continue  # made by the runtime, not by code
        stack = log.code(name)
        if not stack:
            continue
        forward = _forward_name(name)
        if forward is not None:
            gradients.setdefault(forward, []).append(row)
        else:
            frames.attach(stack, "", row)
    lost = 0
    for forward in sorted(gradients):
        stack = log.code(forward) if forward in nodes.row_of else ()
        lost += not stack
        for row in gradients[forward] if stack else ():
            frames.attach(stack, GRADIENT, row)
    return frames, lost


def _forward_name(name: str) -> str | None:
    begin, end = name.find("gradients/"), name.find("_grad/")
    if begin < 0 or end < 0:
        return None
    begin += len("gradients/")
    return name[begin:end] if begin <= end else ""
