"""What a graph is put together from: nodes with their costs and edges, then a tree of all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tfprof.analyses.graph.scope_tree import ScopeTree, scope_tree
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.device import short_names
from tfprof.model.dims import Open, formula
from tfprof.results.model_graph import GraphEdges, GraphMetric, ModelGraph

Ints = npt.NDArray[np.int64]
UNKNOWN_SHAPE = 0


@frozen_dataclass
class NodeMetric:
    """What every node has of a metric, NaN where it is not known.

    `lost` nodes have some that nobody knows; what did not run has none, and is lost to no sum.
    """

    key: str
    title: str
    unit: str
    about: str
    values: npt.NDArray[np.float64] | None = None
    why: str = ""
    lost: npt.NDArray[np.bool_] | None = None


class Shapes:
    """A table of shapes as they are written, each once."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {None: UNKNOWN_SHAPE}
        self.table = ["?"]

    def number(self, shape: Open) -> int:
        found = self._numbers.get(shape)
        if found is None:
            found = self._numbers[shape] = len(self.table)
            self.table.append(_written(shape or ()))
        return found


def _written(shape: Iterable[object]) -> str:
    """As people write it: B×224×224×3; in brackets where it could be any number."""
    sizes = [_size(one) for one in shape]
    if len(sizes) == 1:
        return f"[{sizes[0]}]"
    return "×".join(sizes) if sizes else "scalar"


def _size(size: object) -> str:
    if size is None:
        return "?"
    return str(size) if isinstance(size, int) else formula(size)  # type: ignore[arg-type]


@dataclass(slots=True)
class Reads:
    """Edges between nodes, as they are found."""

    source: list[int] = field(default_factory=list)
    target: list[int] = field(default_factory=list)
    shape: list[int] = field(default_factory=list)

    def add(self, source: int, target: int, shape: int = UNKNOWN_SHAPE) -> None:
        self.source.append(source)
        self.target.append(target)
        self.shape.append(shape)

    def in_tree(self, tree: ScopeTree, shapes: Sequence[str]) -> GraphEdges:
        return GraphEdges(
            tree.row_of[np.array(self.source, np.int64)],
            tree.row_of[np.array(self.target, np.int64)],
            np.array(self.shape, np.int64),
            shapes,
        )


@frozen_dataclass
class Found:
    """Nodes by number, each with another name."""

    of: str
    names: Sequence[str]
    ops: Sequence[str]
    devices: Sequence[str]
    metrics: Sequence[NodeMetric]
    data: Reads
    control: Reads
    shapes: Shapes
    notes: Sequence[str] = ()

    def graph(self) -> ModelGraph:
        tree = scope_tree(self.names, self.ops)
        short = short_names(one for one in dict.fromkeys(self.devices) if one)
        ops, op = _table(self.ops, tree, {})
        devices, device = _table(self.devices, tree, short)
        return ModelGraph(
            self.of,
            tree.labels,
            tree.parent,
            tree.kind,
            op,
            ops,
            device,
            devices,
            [_totals(one, tree) for one in self.metrics],
            self.data.in_tree(tree, self.shapes.table),
            self.control.in_tree(tree, ["?"]),
            self.notes,
        )


def _table(
    values: Sequence[str], tree: ScopeTree, shown: Mapping[str, str]
) -> tuple[list[str], Ints]:
    """The different values, nothing first; the number of each row's, 0 for what is no node."""
    numbers: dict[str, int] = {"": 0}
    of_nodes = [numbers.setdefault(shown.get(one, one), len(numbers)) for one in values]
    column = np.zeros(len(tree), np.int64)
    column[tree.row_of] = of_nodes
    return list(numbers), column


def _totals(metric: NodeMetric, tree: ScopeTree) -> GraphMetric:
    told = metric.key, metric.title, metric.unit, metric.about
    if metric.values is None:
        return GraphMetric(*told, metric.why)
    known = ~np.isnan(metric.values)
    total = tree.summed(np.where(known, metric.values, 0))
    total[tree.summed(known.astype(np.float64)) == 0] = np.nan
    lost = metric.lost if metric.lost is not None else np.zeros(len(known), bool)
    partly = tree.summed(lost.astype(np.float64)) > 0
    partly &= ~np.isnan(total)
    return GraphMetric(*told, metric.why, total, partly)
