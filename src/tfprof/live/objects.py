"""What a program holds in memory, as the bytes and the variable table a file would give.

A tf.Graph, a ConcreteFunction, a GraphDef, or what is traced first (`calls`). Shapes that a run
adds go into the bytes, not into the user's graph.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import field

from tfprof.errors import WrongKind
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.live.calls import Shapes, Traced, handle_of, is_layer, loaded, traced, weights_of
from tfprof.live.live_objects import Live
from tfprof.model.graph import as_shape
from tfprof.model.profile import DeclaredVariable
from tfprof.wire.schema import message_class

_COLLECTIONS = ("variables", "local_variables", "trainable_variables")
_TRAINABLE_COLLECTION = "trainable_variables"
_ACCEPTED = (
    "A tf.Graph, a ConcreteFunction, a tf.function, a tf.Module, a Keras model or layer, a "
    "GraphDef (message or bytes) or a path is accepted."
)


@frozen_dataclass
class LiveGraph:
    """`data` is a GraphDef; `graph` the tf.Graph it is of, None where there is none."""

    data: bytes
    variables: Mapping[str, DeclaredVariable] = field(default_factory=dict)
    graph: Live = None


def default_graph() -> Live | None:
    """The default graph of a program that builds graphs; None where TensorFlow runs eagerly."""
    tensorflow = sys.modules.get("tensorflow")
    if tensorflow is None or tensorflow.executing_eagerly():
        return None
    return tensorflow.compat.v1.get_default_graph()


def tf_graph_of(thing: Live, shapes: Shapes | None = None) -> Traced | None:
    """The tf.Graph behind an object; None where the object is a GraphDef."""
    if _is_graph(thing):
        return Traced(thing, thing)
    if not is_layer(thing) and _is_graph(getattr(thing, "graph", None)):
        return Traced.of(thing, thing)  # a ConcreteFunction, a session
    return traced(thing, shapes or Shapes())


def live_graph(
    thing: Live, run_meta: Live = None, shapes: Shapes | None = None, model: Live = None
) -> LiveGraph:
    """Bytes and variables of an object; what `run_meta` says about shapes completes the bytes.

    `shapes` are those of its inputs, for what is traced here. `model` is the Keras model that a
    function trains: it knows which variables are trained.
    """
    if isinstance(thing, bytes):
        return LiveGraph(thing)
    found = tf_graph_of(thing, shapes)
    if found is None:
        return LiveGraph(_message_bytes(thing))
    graph = found.graph
    seen = runtime_shapes(graph, run_meta) if run_meta is not None else {}
    definition = graph.as_graph_def(add_shapes=True)
    for node in definition.node if seen else ():
        if node.name in seen:
            stated = node.attr["_output_shapes"].list
            del stated.shape[:]
            stated.shape.extend(shape.as_proto() for shape in seen[node.name])
    if found.compiled:
        _mark_compiled(definition, found.compiled)
    trained = found.trained() if model is None else _trained_by(graph, model)
    return LiveGraph(definition.SerializeToString(), _variables(graph, trained), graph)


def _mark_compiled(definition: Live, name: str) -> None:
    """As TensorFlow marks what XLA compiles inside of a graph: the body of a function lost that."""
    for node in definition.node:
        node.attr["_XlaMustCompile"].b = True
        node.attr["_XlaScope"].s = name.encode()


def _trained_by(graph: Live, model: Live) -> dict[int, bool]:
    """By id of its handle: a variable that is none of the model's is not trained."""
    others = {id(handle_of(variable)): False for variable in alive_variables(graph)}
    return {**others, **Traced(graph, model).trained()}


def live_variables(thing: Live) -> LiveGraph | None:
    """A model, layer or module as a graph of nothing but its variables; None for anything else.

    They are there without a call, and a call need not use all of them.
    """
    weights = weights_of(thing)
    if weights is None:
        return None
    graph = message_class("GraphDef")()
    declared = {}
    for at, weight in enumerate(weights):
        variable = getattr(weight, "value", None)  # Keras wraps TensorFlow's
        held = variable if hasattr(variable, "handle") else weight
        known = _declared(held, trainable=bool(weight.trainable))
        node = graph.node.add(name=f"{known.name}_{at}", op="VarHandleOp")
        node.attr["dtype"].type = known.dtype
        node.attr["shape"].shape.SetInParent()  # a scalar has a shape without sizes
        for size in known.shape or ():
            node.attr["shape"].shape.dim.add(size=size)
        declared[node.name] = known
    return LiveGraph(graph.SerializeToString(), declared)


def runtime_shapes(graph: Live, run_meta: Live) -> dict[str, list[Live]]:
    """By node, the shapes of its outputs where the run knows more than the graph.

    A run that contradicts the graph is not believed: layout changes happen below the graph.
    """
    shape_class = loaded("tensorflow").TensorShape
    operations = {operation.name: operation for operation in graph.get_operations()}
    found: dict[str, list[Live]] = {}
    for device in run_meta.step_stats.dev_stats:
        for stat in device.node_stats:
            operation = operations.get(stat.node_name)
            if operation is None or not stat.output or len(stat.output) != len(operation.outputs):
                continue
            known = found.get(operation.name) or [out.shape for out in operation.outputs]
            if all(shape.is_fully_defined() for shape in known):
                continue
            seen = [
                shape_class([dim.size for dim in out.tensor_description.shape.dim])
                for out in stat.output
            ]
            found[operation.name] = [
                old.merge_with(new) if old.is_compatible_with(new) else old
                for old, new in zip(known, seen, strict=True)
            ]
    return found


def _is_graph(thing: Live) -> bool:
    return hasattr(thing, "as_graph_def") and hasattr(thing, "get_operations")


def _message_bytes(thing: Live) -> bytes:
    descriptor = getattr(thing, "DESCRIPTOR", None)
    if descriptor is None or descriptor.name != "GraphDef":
        what = descriptor.name if descriptor is not None else type(thing).__name__
        raise WrongKind(f"a {what} is not a graph", hint=_ACCEPTED)
    serialized: bytes = thing.SerializeToString()
    return serialized


def _variables(graph: Live, trained: Mapping[int, bool]) -> dict[str, DeclaredVariable]:
    """By the node that holds it: a variable of the collections, or one a function captured."""
    chosen = {id(v) for v in graph.get_collection(_TRAINABLE_COLLECTION)}
    found = {}
    for name in _COLLECTIONS:
        for variable in graph.get_collection(name):
            if hasattr(variable, "op"):
                holder = variable.op.name
                found[holder] = _declared(variable, trainable=id(variable) in chosen)
    captures = list(getattr(graph, "captures", ()))
    captured = {id(external): inside for external, inside in captures}
    for _, inside in captures:
        known = _by_handle(inside)
        if known is not None:
            found[inside.op.name] = known
    for variable in alive_variables(graph):
        handle = handle_of(variable)
        if id(handle) in captured:
            trainable = trained.get(id(handle), bool(getattr(variable, "trainable", False)))
            found[captured[id(handle)].op.name] = _declared(variable, trainable=trainable)
    return found


def alive_variables(graph: Live) -> list[Live]:
    """The variables of a function that nobody has deleted since it was traced.

    Of one that a strategy distributes, those of the replicas: only they have a handle.
    """
    try:
        found = [variable for variable in getattr(graph, "variables", ()) if variable is not None]
    except AssertionError:  # TensorFlow tells of one that is gone by refusing all of them
        return []
    replicas = [getattr(variable, "values", None) for variable in found]
    return [
        each
        for variable, held in zip(found, replicas, strict=True)
        for each in (held if isinstance(held, tuple | list) else [variable])
    ]


def _by_handle(inside: Live) -> DeclaredVariable | None:
    """What a captured handle says of its variable, which need not be there any more."""
    held = getattr(getattr(inside, "_handle_data", None), "shape_and_type", ())
    if not held:
        return None
    shape = as_shape(held[0].shape)
    return DeclaredVariable(inside.op.name, shape, int(held[0].dtype), None)


def _declared(variable: Live, *, trainable: bool) -> DeclaredVariable:
    dims = variable.shape.as_list() if variable.shape.rank is not None else None
    return DeclaredVariable(
        variable.name.partition(":")[0],
        None if dims is None else tuple(dims),
        variable.dtype.base_dtype.as_datatype_enum,
        trainable,
    )
