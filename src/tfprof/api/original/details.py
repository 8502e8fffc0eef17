"""What a result tells beyond its rows: the inputs of a node, the nodes of a row."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from tfprof.analyses.accounting.code import code_tree
from tfprof.analyses.accounting.nodes import Nodes, build_nodes
from tfprof.analyses.accounting.op import op_list
from tfprof.analyses.accounting.tree import code_filter, display
from tfprof.api.original.results import Details, Row
from tfprof.model.options import Options
from tfprof.model.profile import ProfileData
from tfprof.views.costs import InputShape


class Lookup:
    """The nodes behind a view; counted again, but only if somebody asks."""

    def __init__(self, data: ProfileData, command: str, options: Options) -> None:
        self.data, self.command, self.options = data, command, options

    def details(self) -> Details:
        return Details(self.nodes_of, self.inputs_of)

    @cached_property
    def nodes(self) -> Nodes:
        return build_nodes(self.data, self.options.step, compat=self.options.compat)

    def inputs_of(self, name: str) -> Sequence[tuple[int, InputShape]]:
        row = self.nodes.row_of.get(name)
        return [] if row is None else self.nodes.input_shapes(row, compat=self.options.compat)

    def nodes_of(self, row: int) -> list[Row]:
        return [self._node(node) for node in self._members[row]]

    def _node(self, row: int) -> Row:
        costs = tuple(self.nodes.costs[row].tolist())
        return Row(self.nodes.names[row], costs, costs, self.nodes.devices[row])

    @cached_property
    def _members(self) -> list[list[int]]:
        """By displayed row, the nodes it is made of, in order of their names."""
        if self.command == "op":
            return [
                np.unique(row.picked).tolist() for row in op_list(self.nodes, self.options).rows
            ]
        if self.data.oplog is None:
            return []
        found = code_tree(self.nodes, self.data.oplog, self.options)
        passes = code_filter(found.tree, self.options)
        shown = display(
            found.tree, self.options, passes, skips_closed=True, nodes_in=found.nodes_in
        )
        return [np.unique(found.made[at]).tolist() for at in shown.at.tolist()]
