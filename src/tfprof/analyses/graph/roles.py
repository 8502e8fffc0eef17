"""What a variable is for, when no file says so: from Apply ops, slot names and the data flow."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

import numpy as np

from tfprof.analyses.graph.handles import WRITES
from tfprof.analyses.graph.reach import Mask, ancestors
from tfprof.model.graph import Graph, Node


class Role(Enum):
    TRAINABLE = "trainable"
    NON_TRAINABLE = "non_trainable"
    OPTIMIZER = "optimizer"
    OTHER = "other"


_APPLY = re.compile(r"(Resource)?(Sparse)?Apply\w+")
_SLOT = re.compile(
    r"(.+)/(Momentum|Adam|RMSProp|Adagrad|AdagradDA|Adadelta|Ftrl|Nesterov|LARS|LAMB"
    r"|momentum|velocity|accumulator|[mv]|vhat|rms|mg)(_\d+)?"
)
_POWER = re.compile(r"(.*/)?beta[12]_power(_\d+)?")
_AVERAGE = re.compile(r"(.+)/ExponentialMovingAverage(_\d+)?")
_RESTORE = re.compile(r"(.*/)?save(_\d+)?/.*")
_MOVING_AVERAGE_UPDATE = re.compile(r"(.*/)?AssignMovingAvg(_\d+)?(/.*)?")
# each output of these has an Identity of its own, read or not
_MANY_OUTPUTS = frozenset({"If", "StatelessIf", "Case", "StatelessCase", "While", "StatelessWhile"})
# sinks that observe a variable without being part of the model
_OBSERVERS = re.compile(
    r"Save\w*|\w*Summary\w*|VarIsInitializedOp|IsVariableInitialized|NoOp|Assert|Print\w*"
    r"|MergeV2Checkpoints|DestroyResourceOp|Shape|ShapeN|Size|Rank|VariableShape"
)


@dataclass(frozen=True, slots=True)
class VariableFlow:
    """Where the values of variables go: one look at the graph, many questions."""

    graph: Graph
    forward: Mask

    @classmethod
    def of(cls, graph: Graph, variables: Iterable[int]) -> VariableFlow:
        """`forward` marks what leads to a result: a value nobody reads and that is no update."""
        offsets, _ = graph.readers
        unread = np.flatnonzero(np.diff(offsets) == 0)
        results = [code for code, op in enumerate(graph.ops.table) if not _ends_flow(op)]
        sinks = unread[np.isin(graph.ops.codes[unread], results)]
        held = set(variables)
        outcome = [row for row in sinks.tolist() if _is_result(graph.node(row), held)]
        return cls(graph, ancestors(graph, outcome, control=False))

    def feeds_model(self, variable: Node) -> bool:
        """Whether a result of the model depends on the variable's value."""
        return any(
            bool(self.forward[reader.row])
            for reader, position in variable.readers()
            if not _writes(reader, position)
        )

    def feeds_other_update(self, variable: Node) -> bool:
        """Whether the update of another variable depends on this one's value."""
        stack = [reader for reader, position in variable.readers() if not _writes(reader, position)]
        seen = {node.row for node in stack}
        while stack:
            node = stack.pop()
            if WRITES.fullmatch(node.op):
                target = node.inputs[0] if node.inputs else -1
                if target not in (variable.row, -1):
                    return True
            for reader, position in node.readers():
                if reader.row not in seen and not (position == 0 and WRITES.fullmatch(reader.op)):
                    seen.add(reader.row)
                    stack.append(reader)
        return False


def _is_result(sink: Node, variables: set[int]) -> bool:
    """Neither a read that nobody uses, nor the output of a branch or loop that nobody uses."""
    sources = sink.inputs
    if variables.intersection(sources):
        return False
    if sink.op != "Identity" or not sources or sources[0] < 0:
        return True
    source = sink.graph.node(sources[0])
    return not (source.op in _MANY_OUTPUTS and sink.name.startswith(f"{source.name}/"))


def _ends_flow(op: str) -> bool:
    return bool(WRITES.fullmatch(op) or _OBSERVERS.fullmatch(op))


def _writes(node: Node, position: int) -> bool:
    return position == 0 and WRITES.fullmatch(node.op) is not None


def updates(variable: Node) -> list[Node]:
    """The ops that change the variable in a step: neither its initialiser nor a restore."""
    return [
        reader
        for reader, position in variable.readers()
        if _writes(reader, position)
        and reader.name != f"{variable.name}/Assign"
        and not _RESTORE.fullmatch(reader.name)
    ]


def role_by_apply(variable: Node) -> Role | None:
    """`Apply*` ops take what they train first, and their own state after it."""
    for reader, position in variable.readers():
        if _APPLY.fullmatch(reader.op):
            return Role.TRAINABLE if position == 0 else Role.OPTIMIZER
    return None


def role_by_name(name: str, others: Mapping[str, object]) -> Role | None:
    """The names optimizers give: `<variable>/Momentum`, `beta1_power`."""
    if _POWER.fullmatch(name):
        return Role.OPTIMIZER
    slot = _SLOT.fullmatch(name)
    if slot and (slot[1] in others or slot[1].rpartition("/")[2] in others):
        return Role.OPTIMIZER
    average = _AVERAGE.fullmatch(name)
    return Role.OTHER if average and average[1] in others else None


def role_by_flow(variable: Node, flow: VariableFlow, *, floating: bool) -> Role:
    """In a training graph: what a variable's value leads to, and whether a step changes it."""
    changed = updates(variable)
    if flow.feeds_model(variable):
        only_averaged = all(_MOVING_AVERAGE_UPDATE.fullmatch(node.name) for node in changed)
        return Role.TRAINABLE if floating and not only_averaged else Role.NON_TRAINABLE
    if flow.feeds_other_update(variable):
        return Role.OPTIMIZER
    return Role.NON_TRAINABLE if floating else Role.OTHER
