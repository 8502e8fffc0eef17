"""Whether a traced function trains: whether it updates variables that are trained.

A function that evaluates updates variables as well, those of its metrics. So what counts is which
variable an op updates: handles are followed from what the function captures and takes, through the
functions that it calls in turn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.live.live_objects import Live

_UPDATE: Final = re.compile(
    r"Assign(Add|Sub)?(VariableOp)?|Resource(Sparse)?Apply\w+|(Sparse)?Apply\w+"
    r"|ResourceScatter\w+|Scatter(Nd)?(Add|Sub|Update)|ResourceStridedSliceAssign"
)
_OPTIMIZER: Final = re.compile(r"(Resource)?(Sparse)?Apply\w+")
# inputs that are not handed on to the functions: the condition, the branch
_OWN_INPUTS: Final = {"If": 1, "StatelessIf": 1, "Case": 1, "StatelessCase": 1}
_PASSES_ON: Final = ("Identity", "IdentityN")


@frozen_dataclass
class _Body:
    """The nodes of a function, and which tensors are handles of trained variables."""

    nodes: Sequence[Live]
    handles: frozenset[str]


def trains(concrete: Live) -> bool:
    """Of one trace of a tf.function."""
    graph = concrete.graph
    operations = graph.get_operations()
    kinds = {operation.type for operation in operations}
    if any(_OPTIMIZER.fullmatch(kind) for kind in kinds):
        return True
    updates = any(_UPDATE.fullmatch(kind) for kind in kinds)
    try:
        definition = graph.as_graph_def()
    except Exception:  # noqa: BLE001  (a graph of over 2 GB, for one)
        return updates
    library = {function.signature.name: function for function in definition.library.function}
    inner = {node.op for function in library.values() for node in function.node_def}
    if not updates and not any(_UPDATE.fullmatch(kind) for kind in inner):
        return False
    if any(_OPTIMIZER.fullmatch(kind) for kind in inner):
        return True
    return _updates_trained(_Body(definition.node, _trained_handles(concrete)), library)


def _trained_handles(concrete: Live) -> frozenset[str]:
    """The names that the handles of trained variables have inside the graph."""
    from tfprof.live.objects import alive_variables  # loads numpy, which the script has by now

    graph = concrete.graph
    trained = {id(one.handle) for one in alive_variables(graph) if _is_trained(one)}
    found = {inner.op.name for outer, inner in graph.captures if id(outer) in trained}
    # what is handed over as an argument may be any variable
    captured = {inner.op.name for _, inner in graph.captures}
    found |= {
        tensor.op.name
        for tensor in graph.inputs
        if tensor.dtype == "resource" and tensor.op.name not in captured
    }
    return frozenset(found)


def _is_trained(variable: Live) -> bool:
    return bool(variable.trainable) and bool(variable.dtype.is_floating)


def _updates_trained(body: _Body, library: dict[str, Live]) -> bool:
    """Whether an op below it updates one; functions that call each other are looked at once."""
    waiting, seen = [body], set()
    while waiting:
        here = waiting.pop()
        handles = set(here.handles)
        for node in here.nodes:
            inputs = [_tensor(name) for name in node.input if not name.startswith("^")]
            if not handles.intersection(inputs):
                continue
            if _UPDATE.fullmatch(node.op) and inputs[0] in handles:
                return True
            if node.op in _PASSES_ON:
                handles.add(node.name)
            given = [name in handles for name in inputs[_OWN_INPUTS.get(node.op, 0) :]]
            for name in _called(node):
                if name in library and (name, *given) not in seen:
                    seen.add((name, *given))
                    waiting.append(_inside(library[name], given))
    return False


def _inside(function: Live, given: Sequence[bool]) -> _Body:
    arguments = [argument.name for argument in function.signature.input_arg]
    handles = (name for name, is_handle in zip(arguments, given, strict=False) if is_handle)
    return _Body(function.node_def, frozenset(handles))


def _called(node: Live) -> Iterator[str]:
    for value in node.attr.values():
        if value.HasField("func"):
            yield value.func.name
        for each in value.list.func:
            yield each.name


def _tensor(name: str) -> str:
    """The node behind `node`, `node:1` or `node:output:0`."""
    return name.partition(":")[0]
