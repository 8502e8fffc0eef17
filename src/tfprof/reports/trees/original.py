"""What the original looks at beyond the views, for a surface that speaks its language."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from tfprof.analyses.accounting.counted_executions import kept_executions, misses_stream
from tfprof.analyses.accounting.fill_oplog import NO_FLOPS, fill_oplog
from tfprof.analyses.accounting.nodes import Nodes, build_nodes
from tfprof.analyses.accounting.op import op_list
from tfprof.model.options import Options
from tfprof.reports.trees.answer import displayed_code
from tfprof.reports.trees.prepared import Prepared
from tfprof.results.trees import Costs, InputShapes
from tfprof.wire.distinct import distinct

__all__ = [
    "NO_FLOPS",
    "Details",
    "Nodes",
    "build_nodes",
    "fill_oplog",
    "kept_executions",
    "misses_stream",
]


class Member(NamedTuple):
    """A graph node inside a row of the op or code view."""

    name: str
    costs: Costs
    device: str


class Details:
    """The nodes behind a view; looked at only if somebody asks."""

    def __init__(self, prepared: Prepared, view: str, options: Options) -> None:
        self._data, self._view, self._options = prepared.data, view, options
        self._nodes = prepared.nodes(options)

    def inputs_of(self, name: str) -> InputShapes:
        row = self._nodes.row_of.get(name)
        if row is None:
            return ()
        return tuple(self._nodes.input_shapes(row, compat=self._options.compat))

    def nodes_of(self, row: int) -> list[Member]:
        """What a displayed row is made of, in order of names."""
        nodes = self._nodes
        return [
            Member(nodes.names[at], Costs(*nodes.costs[at].tolist()), nodes.devices[at])
            for at in self._members[row]
        ]

    @cached_property
    def _members(self) -> list[list[int]]:
        if self._view == "op":
            rows = op_list(self._nodes, self._options).rows
            return [distinct(row.picked).tolist() for row in rows]
        code, shown = displayed_code(self._data, self._nodes, self._options)
        return [distinct(code.made[at]).tolist() for at in shown.at.tolist()]
