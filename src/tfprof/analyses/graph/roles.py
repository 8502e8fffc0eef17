"""What a variable is for, when no file says so: from Apply ops, slot names and the data flow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum

import numpy as np

from tfprof.analyses.graph.handles import WRITES
from tfprof.analyses.graph.reach import Mask, ancestors
from tfprof.analyses.graph.subgraph import (
    BACKWARD,
    PHASES,
    UPDATE,
    hanging_on_data,
    phases,
)
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.late_pattern import late_pattern
from tfprof.model.graph import Graph, Node
from tfprof.wire import dtypes
from tfprof.wire.distinct import with_first


class Role(Enum):
    TRAINABLE = "trainable"
    NON_TRAINABLE = "non_trainable"
    OPTIMIZER = "optimizer"
    OTHER = "other"


_APPLY = late_pattern(r"(Resource)?(Sparse)?Apply\w+")
_SLOT = late_pattern(
    r"(.+)/(Momentum|Adam|RMSProp|Adagrad|AdagradDA|Adadelta|Ftrl|Nesterov|LARS|LAMB"
    r"|momentum|velocity|accumulator|[mv]|vhat|rms|mg)(_\d+)?"
)
_POWER = late_pattern(r"(.*/)?beta[12]_power(_\d+)?")
_AVERAGE = late_pattern(r"(.+)/ExponentialMovingAverage(_\d+)?")
_RESTORE = late_pattern(r"(.*/)?save(_\d+)?/.*")
_MOVING_AVERAGE_UPDATE = late_pattern(r"(.*/)?AssignMovingAvg(_\d+)?(/.*)?")
_DRAWS = late_pattern(r"Rng\w+|Stateless(Random|Truncated)\w+|Stateful\w*(Uniform|Normal|Int)\w*")
# each output of these has an Identity of its own, read or not
_MANY_OUTPUTS = frozenset({"If", "StatelessIf", "Case", "StatelessCase", "While", "StatelessWhile"})
# sinks that observe a variable without being part of the model
_OBSERVERS = late_pattern(
    r"Save\w*|\w*Summary\w*|VarIsInitializedOp|IsVariableInitialized|NoOp|Assert|Print\w*"
    r"|MergeV2Checkpoints|DestroyResourceOp|Shape|ShapeN|Size|Rank|VariableShape"
)


@frozen_dataclass
class VariableFlow:
    """Where the values of variables go: one look at the graph, many questions.

    `forward` marks what leads to a result, `learned` what leads to a gradient, `trained` what a
    gradient leads to, `seen` what hangs on the data.
    """

    graph: Graph
    forward: Mask
    learned: Mask
    trained: Mask
    seen: Mask

    @classmethod
    def of(cls, graph: Graph, variables: Iterable[int]) -> VariableFlow:
        """A result is a value that nobody reads and that is no update."""
        offsets, _ = graph.readers
        unread = np.flatnonzero(np.diff(offsets) == 0)
        results = [code for code, op in enumerate(graph.ops.table) if not _ends_flow(op)]
        sinks = unread[np.isin(graph.ops.codes[unread], results)]
        sinks = sinks[~_reads(graph, variables)[sinks]]  # a read that nobody uses is no result
        outcome = [row for row in sinks.tolist() if _is_result(graph.node(row))]
        phase = phases(graph)
        forward = ancestors(graph, outcome, control=False)
        backward = np.flatnonzero(phase == PHASES.index(BACKWARD)).tolist()
        learned = ancestors(graph, backward, control=False)
        seen = hanging_on_data(graph)
        if not (forward & seen).any():
            forward |= learned  # all that is returned are metrics, read when they have been written
        return cls(graph, forward, learned, phase == PHASES.index(UPDATE), seen)

    def feeds_model(self, variable: Node) -> bool:
        """Whether a result of the model depends on the variable's value."""
        return _leads_to(variable, self.forward)

    def feeds_gradient(self, variable: Node) -> bool:
        return _leads_to(variable, self.learned)

    def feeds_random_numbers(self, variable: Node) -> bool:
        """Whether the variable, as whole numbers, is what random numbers are drawn with."""
        stack, seen = [variable], {variable.row}
        while stack:
            for reader, position in stack.pop().readers():
                if _DRAWS.fullmatch(reader.op):
                    return True
                if reader.row not in seen and not _writes(reader, position):
                    seen.add(reader.row)
                    if not dtypes.is_floating(reader.type_attribute("DstT")):
                        stack.append(reader)
        return False

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


def _leads_to(variable: Node, marked: Mask) -> bool:
    return any(
        bool(marked[reader.row])
        for reader, position in variable.readers()
        if not _writes(reader, position)
    )


def _reads(graph: Graph, variables: Iterable[int]) -> Mask:
    """The nodes that read the data of one of these."""
    edges = graph.edges
    held, found = np.zeros(len(graph), bool), np.zeros(len(graph), bool)
    held[list(variables)] = True
    data = np.flatnonzero((edges.port >= 0) & (edges.node >= 0))
    found[edges.reader[data[held[edges.node[data]]]]] = True
    return found


def _is_result(sink: Node) -> bool:
    """Not the output of a branch or loop that nobody uses."""
    sources = sink.inputs
    if sink.op != "Identity" or not sources or sources[0] < 0:
        return True
    source = sink.graph.node(sources[0])
    return not (source.op in _MANY_OUTPUTS and sink.name.startswith(f"{source.name}/"))


def _ends_flow(op: str) -> bool:
    return bool(WRITES.fullmatch(op) or _OBSERVERS.fullmatch(op))


def _writes(node: Node, position: int) -> bool:
    return position == 0 and WRITES.fullmatch(node.op) is not None


def may_write(graph: Graph) -> bool:
    return any(WRITES.fullmatch(op) for op in graph.ops.table)


def updates(variable: Node) -> list[Node]:
    """The ops that change the variable in a step: neither its initialiser nor a restore."""
    return [
        reader
        for reader, position in variable.readers()
        if _writes(reader, position)
        and reader.name != f"{variable.name}/Assign"
        and not _RESTORE.fullmatch(reader.name)
    ]


def roles_by_apply(graph: Graph) -> dict[int, Role]:
    """By row: `Apply*` ops take what they train first, and their own state after it."""
    edges = graph.edges
    is_apply = graph.ops.map(lambda op: _APPLY.fullmatch(op) is not None)
    data = np.flatnonzero((edges.port >= 0) & (edges.node >= 0) & is_apply[edges.reader])
    read, first = with_first(edges.node[data])
    at = data[first]  # what several apply is told by the first
    is_trained = at == edges.offsets[edges.reader[at]]
    roles = (Role.TRAINABLE if one else Role.OPTIMIZER for one in is_trained.tolist())
    return dict(zip(read.tolist(), roles, strict=True))


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
    if not floating and flow.feeds_random_numbers(variable):
        return Role.OTHER
    if flow.feeds_model(variable):
        return _of_model(variable, changed, flow) if floating else Role.NON_TRAINABLE
    if flow.feeds_other_update(variable):
        return Role.OPTIMIZER
    if floating and changed and all(_averages_weights(node, flow) for node in changed):
        return Role.OPTIMIZER
    return Role.NON_TRAINABLE if floating else Role.OTHER


def _of_model(variable: Node, changed: list[Node], flow: VariableFlow) -> Role:
    if all(_MOVING_AVERAGE_UPDATE.fullmatch(node.name) for node in changed):
        return Role.NON_TRAINABLE
    if any(flow.trained[node.row] for node in changed):
        return Role.TRAINABLE
    # a metric changes with the data, and nothing is learned from it
    return Role.NON_TRAINABLE if flow.feeds_gradient(variable) else Role.OTHER


def _averages_weights(update: Node, flow: VariableFlow) -> bool:
    """Not from the data as those of batch normalisation, but from weights, most often new ones."""
    return bool(flow.trained[update.row] or not flow.seen[update.row])
