"""Resource handles: who touches the variable behind one, also inside called functions."""

from __future__ import annotations

from collections.abc import Iterator

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.late_pattern import late_pattern
from tfprof.model.graph import Function, Graph, Node, Shape

_FUNCTION_ATTRIBUTES = ("f", "body", "cond", "then_branch", "else_branch", "branches")
# While gives all its inputs to body and cond; If and Case keep the first for themselves
SKIPPED_INPUTS = {"If": 1, "StatelessIf": 1, "Case": 1, "StatelessCase": 1}
TOUCHES = late_pattern(
    r"ReadVariableOp|VariableShape|VarIsInitializedOp|Assign(Add|Sub)?VariableOp|DestroyResourceOp"
    r"|Resource(Gather|GatherNd|Scatter\w*|(Sparse)?Apply\w+|StridedSliceAssign)"
)
WRITES = late_pattern(
    r"Assign(Add|Sub)?(VariableOp)?|Scatter\w+|Resource(Scatter\w*|StridedSliceAssign)"
    r"|(Resource)?(Sparse)?Apply\w+"
)


@frozen_dataclass
class Touch:
    """An op that takes a handle, and as which input."""

    node: Node
    position: int


def touches(handle: Node) -> Iterator[Touch]:
    """Every op that takes the handle, here and in the functions it is passed to."""
    stack = [handle]
    seen = {(id(handle.graph), handle.row)}
    while stack:
        holder = stack.pop()
        for reader, position in holder.readers():
            if reader.op == "Identity":
                inner = [reader]
            else:
                yield Touch(reader, position)
                inner = [body.node(argument) for body, argument in _inside(reader, position)]
            for node in inner:
                key = (id(node.graph), node.row)
                if key not in seen:
                    seen.add(key)
                    stack.append(node)


def _inside(call: Node, position: int) -> Iterator[tuple[Graph, int]]:
    for function in functions_of(call):
        argument = position - SKIPPED_INPUTS.get(call.op, 0)
        if 0 <= argument < len(function.arguments):
            yield function.body, argument


def functions_of(call: Node) -> Iterator[Function]:
    """The functions a call names."""
    library = call.graph.functions
    if not library:
        return
    if call.op in library:
        yield library[call.op]
    attributes = call.attributes
    for key in _FUNCTION_ATTRIBUTES:
        if key not in attributes:
            continue
        value = attributes[key]
        named = [value.func] if value.HasField("func") else list(value.list.func)
        yield from (library[f.name] for f in named if f.name in library)


def is_variable(handle: Node) -> bool:
    """Whether a handle of unknown kind leads to a variable, not to a table or an iterator."""
    return any(TOUCHES.fullmatch(touch.node.op) for touch in touches(handle))


def value_of(handle: Node) -> tuple[Shape | None, int]:
    """Shape and dtype of the variable behind a captured handle, from an op that reads it."""
    dtype = 0
    for touch in touches(handle):
        if touch.node.op == "ReadVariableOp":
            dtype = touch.node.type_attribute("dtype") or dtype
            shapes = touch.node.output_shapes()
            if shapes and shapes[0] is not None:
                return shapes[0], dtype
        elif touch.node.op == "ResourceGather":
            dtype = touch.node.type_attribute("dtype") or dtype
    return None, dtype
