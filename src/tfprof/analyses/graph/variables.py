"""The variables of a graph, however the graph holds them, and what each is for.

Trainable, other state of the model (statistics of batches), state of the optimizer (with moving
averages of what it trains), or something else (counters, seeds). The evidence, strongest first:
what the files declare (collections, object graph, op log, variable table), the input of an `Apply*`
op, the names of optimizer slots, the data flow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field

import numpy as np

from tfprof.analyses.graph.handles import functions_of, is_variable, value_of
from tfprof.analyses.graph.inlined import inlined
from tfprof.analyses.graph.reach import Extent, extent
from tfprof.analyses.graph.roles import (
    Role,
    VariableFlow,
    may_write,
    role_by_flow,
    role_by_name,
    roles_by_apply,
    updates,
)
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.dims import packed
from tfprof.model.graph import Graph, Node, Shape, as_shape, elements, shape_in, type_in
from tfprof.model.profile import DeclaredVariable, ProfileData
from tfprof.model.remembered import is_kept, remembered
from tfprof.wire import dtypes
from tfprof.wire.schema import Proto

REF_VARIABLES = ("Variable", "VariableV2")
_FROZEN_SOURCES = ("Const",)


@frozen_dataclass
class Variable:
    name: str
    shape: Shape | None
    dtype: int
    # None: nothing says whether it is trained
    role: Role | None
    # of the node that holds it; None where it is in no graph
    op: str | None = field(default=None, compare=False)

    @property
    def elements(self) -> int | None:
        return elements(self.shape)

    @property
    def bytes(self) -> int | None:
        held = packed(self.elements, self.dtype)
        return held if isinstance(held, int) else None


def find_variables(data: ProfileData, part: Extent | None = None) -> list[Variable]:
    """The variables of the model, in graph order."""
    if data.graph is None:
        return []
    return list(_found(data, data.graph, part or extent(data)))


@remembered(
    lambda data, graph, part: ((graph, data.declared, data.oplog), (part.rows.tobytes(),)),
    lambda _data, graph, _part: is_kept(graph),
)
def _found(data: ProfileData, graph: Graph, part: Extent) -> list[Variable]:
    held = list(_held(data, graph, part))
    declared = _declared(data)
    decide = _decider(graph, [node.row for node, _, _ in held], declared)
    names = graph.names.at(np.array([node.row for node, _, _ in held], np.int64))
    return [
        Variable(name, shape, dtype, decide(node.row, name, dtype), node.op)
        for name, (node, shape, dtype) in zip(names, held, strict=True)
    ]


_Held = tuple[Node, Shape | None, int]


def _held(data: ProfileData, graph: Graph, part: Extent) -> Iterator[_Held]:
    inside = set(part.rows.tolist()) if len(part.rows) < len(graph) else None
    seen: set[tuple[bytes, bytes]] = set()
    told = _told_of_references(graph)
    for node in graph.of_type(*REF_VARIABLES, "VarHandleOp", "Placeholder"):
        if inside is not None and node.row not in inside:
            continue
        op = node.op
        if op in REF_VARIABLES:
            yield node, *told[node.row]
            continue
        attributes = node.attributes
        if op == "VarHandleOp":
            # two handles of one shared name are one variable
            key = (attributes["container"].s, attributes["shared_name"].s)
            if not key[1] or key not in seen:
                seen.add(key)
                yield node, shape_in(attributes), type_in(attributes, "dtype")
        elif type_in(attributes, "dtype") == dtypes.RESOURCE:
            yield from _captured(data, node)


def _told_of_references(graph: Graph) -> dict[int, tuple[Shape | None, int]]:
    """Shape and type of each, read together: each has attributes of its own, with its name in."""
    rows = graph.ops.where(*REF_VARIABLES).astype(np.int64)
    shapes, types = (graph.attributes.column(name, rows) for name in ("shape", "dtype"))
    # values that are alike are one object
    known = {id(value): shape_in({"shape": value}) for value in _different(shapes)}
    codes = {id(value): int(value.type) for value in _different(types)}
    return {
        row: (known.get(id(shapes.get(row))), codes.get(id(types.get(row)), 0))
        for row in rows.tolist()
    }


def _different(column: Mapping[int, Proto]) -> Iterator[Proto]:
    return iter({id(value): value for value in column.values()}.values())


def _captured(data: ProfileData, node: Node) -> Iterator[_Held]:
    """A variable that a function's graph captured stands there as a placeholder."""
    stated = data.declared.variables.get(node.name)
    if stated is not None:
        yield node, stated.shape, stated.dtype
    elif is_variable(node):
        shape, dtype = value_of(node)
        yield node, shape, dtype


def _declared(data: ProfileData) -> dict[str, bool]:
    """Node name to trainable, where a file says so."""
    found = {
        name: variable.trainable
        for name, variable in data.declared.variables.items()
        if variable.trainable is not None
    }
    graph = data.graph
    if graph is not None and data.declared.captures:
        for node in graph.of_type("PartitionedCall", "StatefulPartitionedCall"):
            for function in functions_of(node):
                captured = data.declared.captures.get(function.name, ())
                found.update(_match_captures(graph, node, captured))
    log = data.oplog.trainable if data.oplog is not None else set()
    if log and not found:
        found = dict.fromkeys(graph.names, False) if graph is not None else {}
        found.update(dict.fromkeys(log, True))
    return found


def _match_captures(
    graph: Graph, call: Node, captured: tuple[DeclaredVariable | None, ...]
) -> Iterator[tuple[str, bool]]:
    """A call's last inputs are what its function captured, in the order the object graph lists."""
    inputs = call.inputs[-len(captured) :] if captured else []
    if len(inputs) == len(captured):
        for row, variable in zip(inputs, captured, strict=True):
            if variable is not None and variable.trainable is not None and row >= 0:
                yield graph.names[row], variable.trainable


def _decider(
    graph: Graph, rows: list[int], declared: dict[str, bool]
) -> Callable[[int, str, int], Role | None]:
    names = dict.fromkeys(graph.names.at(np.array(rows, np.int64)))
    whole = inlined(graph).graph
    is_training = may_write(whole) and any(updates(whole.node(row)) for row in rows)
    by_apply = roles_by_apply(whole)
    flow = VariableFlow.of(whole, rows) if is_training else None

    def decide(row: int, name: str, dtype: int) -> Role | None:
        if declared.get(name):
            return Role.TRAINABLE
        role = by_apply.get(row) or role_by_name(name, names)
        if name in declared and role is Role.TRAINABLE:
            role = None  # said to be not trainable: only the kind of state is open
        if role is None and flow is not None:
            role = role_by_flow(whole.node(row), flow, floating=dtypes.is_floating(dtype))
        if name in declared:
            return role if role not in (None, Role.TRAINABLE) else Role.NON_TRAINABLE
        return role

    return decide


def frozen_weights(data: ProfileData, part: Extent) -> list[Variable]:
    """The weights of a graph without variables: its floating constants that are no scalar."""
    graph = data.graph
    if graph is None:
        return []
    inside = set(part.rows.tolist())
    found = []
    for node in graph.of_type(*_FROZEN_SOURCES):
        dtype = node.type_attribute("dtype")
        if node.row not in inside or not dtypes.is_floating(dtype):
            continue
        shape = as_shape(node.attributes["value"].tensor.tensor_shape)
        if shape and (elements(shape) or 0) > 1:
            found.append(Variable(node.name, shape, dtype, Role.OTHER, node.op))
    return found
