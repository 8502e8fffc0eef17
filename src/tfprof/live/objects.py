"""What a program holds in memory, as the bytes and the variable table a file would give.

A tf.Graph, a ConcreteFunction, a tf.function, a Keras model, a GraphDef. Nothing handed in is
changed: shapes that a run adds go into the bytes, not into the user's graph.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

from tfprof.errors import ExtraMissing, UsageError, WrongKind
from tfprof.live.live_objects import Live
from tfprof.model.graph import as_shape
from tfprof.model.profile import DeclaredVariable

_COLLECTIONS = ("variables", "local_variables", "trainable_variables")
_TRAINABLE_COLLECTION = "trainable_variables"
_ACCEPTED = (
    "A tf.Graph, a ConcreteFunction, a tf.function, a Keras model, a GraphDef (message or bytes) "
    "or a path is accepted."
)


@dataclass(frozen=True, slots=True)
class LiveGraph:
    """`data` is a GraphDef; `graph` the tf.Graph it is of, None where there is none."""

    data: bytes
    variables: Mapping[str, DeclaredVariable] = field(default_factory=dict)
    graph: Live = None


def loaded(name: str) -> Live:
    """A module of TensorFlow or Keras; loads it if that has not happened yet."""
    try:
        return importlib.import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        raise ExtraMissing(f"this needs {package}", hint=f"pip install {package}") from None


def default_graph() -> Live | None:
    """The default graph of a program that builds graphs; None where TensorFlow runs eagerly."""
    tensorflow = sys.modules.get("tensorflow")
    if tensorflow is None or tensorflow.executing_eagerly():
        return None
    return tensorflow.compat.v1.get_default_graph()


def tf_graph_of(thing: Live) -> tuple[Live, dict[int, bool]]:
    """The tf.Graph behind an object, and by id of a variable's handle whether it is trained.

    The graph is None where the object is a GraphDef.
    """
    if _is_graph(thing):
        return thing, {}
    if _is_keras(thing):
        return _keras_graph(thing)
    if _is_graph(getattr(thing, "graph", None)):  # a ConcreteFunction, a session
        return thing.graph, {}
    if hasattr(thing, "get_concrete_function"):
        return _only_trace(thing).graph, {}
    return None, {}


def live_graph(thing: Live, run_meta: Live = None) -> LiveGraph:
    """Bytes and variables of an object; what `run_meta` says about shapes completes the bytes."""
    if isinstance(thing, bytes):
        return LiveGraph(thing)
    graph, trained = tf_graph_of(thing)
    if graph is None:
        return LiveGraph(_message_bytes(thing))
    shapes = runtime_shapes(graph, run_meta) if run_meta is not None else {}
    definition = graph.as_graph_def(add_shapes=True)
    for node in definition.node if shapes else ():
        if node.name in shapes:
            stated = node.attr["_output_shapes"].list
            del stated.shape[:]
            stated.shape.extend(shape.as_proto() for shape in shapes[node.name])
    return LiveGraph(definition.SerializeToString(), _variables(graph, trained), graph)


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


def _is_keras(thing: Live) -> bool:
    modules = (sys.modules.get(name) for name in ("keras", "tf_keras"))
    return any(module is not None and isinstance(thing, module.Model) for module in modules)


def _message_bytes(thing: Live) -> bytes:
    descriptor = getattr(thing, "DESCRIPTOR", None)
    if descriptor is None or descriptor.name != "GraphDef":
        what = descriptor.name if descriptor is not None else type(thing).__name__
        raise WrongKind(f"a {what} is not a graph", hint=_ACCEPTED)
    serialized: bytes = thing.SerializeToString()
    return serialized


def _only_trace(function: Live) -> Live:
    """The concrete function of a tf.function: by its signature, or the one it was traced to."""
    if getattr(function, "input_signature", None) is not None:
        return function.get_concrete_function()
    lister = getattr(function, "_list_all_concrete_functions", None)
    traced = list(lister()) if lister is not None else []
    if len(traced) != 1:
        raise UsageError(
            f"the tf.function has no input_signature and was traced {len(traced)} times",
            hint="Hand over one trace: fn.get_concrete_function(tf.TensorSpec(...)).",
        )
    return traced[0]


def _keras_graph(model: Live) -> tuple[Live, dict[int, bool]]:
    """A Keras model's forward pass, and what it trains."""
    tensorflow = loaded("tensorflow")
    inputs = _keras_inputs(model)
    if inputs is None:
        raise UsageError(
            f"the Keras model {model.name} does not know its inputs yet",
            hint="Hand over a trace: tf.function(model).get_concrete_function(tf.TensorSpec(...)).",
        )
    specs = tensorflow.nest.map_structure(
        lambda tensor: tensorflow.TensorSpec(tensor.shape, tensor.dtype, tensor.name), inputs
    )
    forward = tensorflow.function(lambda given: model(given, training=False))
    trained = {
        id(_handle(variable)): bool(variable.trainable)
        for variable in model.variables
        if _handle(variable) is not None
    }
    return forward.get_concrete_function(specs).graph, trained


def _keras_inputs(model: Live) -> Live:
    """What the model is called with, in the structure it expects; None before it is built."""
    flat = getattr(model, "inputs", None)
    if not flat:
        return None
    if len(flat) == 1 and not isinstance(getattr(model, "input", None), dict):
        return flat[0]
    return getattr(model, "input", flat)


def _handle(variable: Live) -> Live:
    """The resource behind a variable of TensorFlow or of Keras."""
    inside = getattr(getattr(variable, "value", None), "handle", None)  # Keras wraps TensorFlow's
    return inside if inside is not None else getattr(variable, "handle", None)


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
    for variable in _alive(graph):
        handle = _handle(variable)
        if id(handle) in captured:
            trainable = trained.get(id(handle), bool(getattr(variable, "trainable", False)))
            found[captured[id(handle)].op.name] = _declared(variable, trainable=trainable)
    return found


def _alive(graph: Live) -> list[Live]:
    """The variables of a function that nobody has deleted since it was traced."""
    try:
        return [variable for variable in getattr(graph, "variables", ()) if variable is not None]
    except AssertionError:  # TensorFlow tells of one that is gone by refusing all of them
        return []


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
