"""Models, layers, modules and functions: what only a call turns into a graph.

A call needs inputs. The user may give their shapes; else a model knows them from how it was made,
built or called, and a function from its signature or its one trace.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Final

from tfprof.errors import ExtraMissing, UsageError
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.live.live_objects import Live

_KERAS: Final = ("keras", "tf_keras")
_SUFFIX: Final = "_shape"
_MUST_COMPILE: Final = "_XlaMustCompile"
_GIVE: Final = (
    "Say what it is called with, the batch first: flops(model, input_shape=(None, 28, 28, 1)); "
    "tf.TensorSpec([None, 128], tf.int32) says a dtype, too. Or hand over a trace: "
    "tf.function(model).get_concrete_function(tf.TensorSpec(...))."
)


@frozen_dataclass
class Shapes:
    """What a user says about the inputs.

    `structure` is how to call: a shape, a TensorSpec, a list or dict of them. `by_name` are sizes
    for inputs of a graph, and how to call only what knows no inputs itself.
    """

    structure: Live = None
    by_name: Mapping[str, Sequence[int | str | None]] = field(default_factory=dict)


@frozen_dataclass
class Arguments:
    """TensorSpecs to call with."""

    positional: tuple[Live, ...] = ()
    by_name: Mapping[str, Live] = field(default_factory=dict)


def loaded(name: str) -> Live:
    """A module of TensorFlow or Keras; loads it if that has not happened yet."""
    try:
        return importlib.import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        raise ExtraMissing(f"this needs {package}", hint=f"pip install {package}") from None


def is_layer(thing: Live) -> bool:
    """A layer or a model of Keras."""
    modules = (sys.modules.get(name) for name in _KERAS)
    return any(module is not None and isinstance(thing, module.layers.Layer) for module in modules)


def is_module(thing: Live) -> bool:
    tensorflow = sys.modules.get("tensorflow")
    return tensorflow is not None and isinstance(thing, tensorflow.Module)


@frozen_dataclass
class Traced:
    """A call as a tf.Graph. It does not keep what was called alive, and with it the variables."""

    graph: Live
    called: Live
    # of a function that XLA has to compile, its name
    compiled: str = ""

    @classmethod
    def of(cls, concrete: Live, called: Live) -> Traced:
        return cls(concrete.graph, called, compiled_name(concrete))

    def trained(self) -> dict[int, bool]:
        """By id of its handle, whether a variable of Keras is trained."""
        variables = self.called.variables if is_layer(self.called) else ()
        return {
            id(handle): bool(variable.trainable)
            for variable in variables
            for handle in handles_of(variable)
        }


def compiled_name(concrete: Live) -> str:
    """Of one trace that XLA has to compile, its name; its graph alone does not say that."""
    definition: Live = getattr(concrete, "function_def", None)
    if definition is None or not definition.attr[_MUST_COMPILE].b:
        return ""
    return str(getattr(concrete.graph, "name", "")) or str(definition.signature.name)


def traced(thing: Live, shapes: Shapes) -> Traced | None:
    """One call; None for what cannot be called."""
    if is_layer(thing):
        model = thing if thing.built else _like(thing)
        return Traced.of(_trace_of_layer(model, shapes), model)
    if hasattr(thing, "get_concrete_function"):
        return Traced.of(_trace_of_function(thing, shapes, "the tf.function"), thing)
    if is_module(thing):
        return Traced.of(_trace_of_module(thing, shapes), thing)
    return None


def _trace_of_layer(model: Live, shapes: Shapes) -> Live:
    """A forward pass of a Keras model or layer."""
    accepted = inspect.signature(model.call).parameters
    training = {"training": False} if "training" in accepted else {}

    def forward(*given: Live, **named: Live) -> Live:
        return model(*given, **named, **training)

    known = _known_inputs(model, accepted) if shapes.structure is None else []
    ways = known or _given(shapes, accepted, _dtype(model))
    return _first_trace(loaded("tensorflow").function(forward), ways, f"the Keras {_what(model)}")


def _trace_of_module(module: Live, shapes: Shapes) -> Live:
    what = f"the tf.Module {type(module).__name__}"
    if not callable(module):
        raise UsageError(
            f"{what} has no __call__", hint="Hand over one of its functions: module.forward."
        )
    call: Live = module.__call__
    if hasattr(call, "get_concrete_function"):
        return _trace_of_function(call, shapes, what)
    ways = _given(shapes, inspect.signature(call).parameters)
    return _first_trace(loaded("tensorflow").function(call), ways, what)


def _trace_of_function(function: Live, shapes: Shapes, what: str) -> Live:
    """By its signature, the shapes given, or the one trace it has."""
    if getattr(function, "input_signature", None) is not None:
        return function.get_concrete_function()
    lister = getattr(function, "_list_all_concrete_functions", None)
    found = list(lister()) if lister is not None else []
    if len(found) == 1 and shapes.structure is None:
        return found[0]
    python: Live = getattr(function, "python_function", function)
    ways = _given(shapes, inspect.signature(python).parameters)
    if not ways:
        raise UsageError(
            f"{what} has no input_signature and was traced {len(found)} times",
            hint="Hand over one trace, fn.get_concrete_function(tf.TensorSpec(...)), or say what "
            "it is called with: input_shape=(None, 8).",
        )
    return _first_trace(function, ways, what)


def _first_trace(function: Live, ways: Sequence[Arguments], what: str) -> Live:
    """The first way to call it that works; the error is that of the first that does not."""
    if not ways:
        raise UsageError(f"{what} does not know its inputs yet", hint=_GIVE)
    refused: Exception | None = None
    for way in ways:
        try:
            return function.get_concrete_function(*way.positional, **way.by_name)
        except Exception as fault:  # noqa: BLE001  (what a user's code raises, nobody knows)
            refused = refused or fault
    shown = ", ".join(str(spec.shape) for spec in _flat(ways[0]))
    raise UsageError(f"{what} cannot be called with {shown}: {_said(refused)}", hint=_GIVE)


def _said(fault: Exception | None) -> str:
    """The line of a long report that says what is wrong."""
    lines = [line.strip() for line in str(fault).splitlines() if line.strip()]
    told = [line for line in lines if "Error" in line] or lines
    return told[-1] if told else type(fault).__name__


def _flat(way: Arguments) -> list[Live]:
    found: list[Live] = loaded("tensorflow").nest.flatten([way.positional, dict(way.by_name)])
    return found


def _like(layer: Live) -> Live:
    """Another one by its configuration, so that the user's stays unbuilt; itself without one."""
    try:
        return type(layer).from_config(layer.get_config())
    except Exception:  # noqa: BLE001  (a user's class, which need not have a configuration)
        return layer


def _known_inputs(layer: Live, accepted: Mapping[str, Live]) -> list[Arguments]:
    """What the layer remembers of how it was made, called or built; nothing before that."""
    tensorflow = loaded("tensorflow")
    flat = getattr(layer, "inputs", None)
    if flat:  # a functional model: the structure that it expects
        single = len(flat) == 1 and not isinstance(getattr(layer, "input", None), dict)
        inputs = flat[0] if single else getattr(layer, "input", flat)
        spec = tensorflow.nest.map_structure(
            lambda tensor: tensorflow.TensorSpec(tensor.shape, tensor.dtype, tensor.name), inputs
        )
        return [Arguments((spec,))]
    called = layer.save_spec() if hasattr(layer, "save_spec") else None
    if called is not None:
        return [Arguments(tuple(called[0]), called[1])]
    built = layer.get_build_config() or {}
    shapes = built.get("shapes_dict") or built.get("input_shape")
    if not shapes:
        return []
    if "shapes_dict" in built:
        shapes = {name.removesuffix(_SUFFIX): shape for name, shape in shapes.items()}
    open_batch = _mapped(lambda shape: (None, *shape[1:]), shapes)
    return [way for known in (open_batch, shapes) for way in _ways(known, accepted, _dtype(layer))]


def _given(shapes: Shapes, accepted: Mapping[str, Live], dtype: str = "float32") -> list[Arguments]:
    """What the user says; nothing where that is nothing."""
    said = shapes.structure if shapes.structure is not None else dict(shapes.by_name)
    return _ways(said, accepted, dtype) if said is not None and said != {} else []


def _ways(shapes: Live, accepted: Mapping[str, Live], dtype: str = "float32") -> list[Arguments]:
    """How to call with these shapes: in numbers as a layer wants them, then in whole ones."""
    return [_arguments(shapes, accepted, each) for each in (dtype, "int32")]


def _arguments(shapes: Live, accepted: Mapping[str, Live], dtype: str) -> Arguments:
    specs = _mapped(lambda shape: _spec(shape, dtype), shapes)
    if not isinstance(specs, Mapping):
        return Arguments((specs,))
    named = {name: _renamed(spec, name) for name, spec in specs.items()}
    if set(named) <= set(accepted):
        return Arguments((), named)
    # one input has one shape, whatever it is called; several are the dict that the call takes
    return Arguments(tuple(named.values()) if len(named) == 1 else (named,))


def _mapped(change: Callable[[Live], Live], shapes: Live) -> Live:
    """A structure of shapes with each shape changed: a shape is itself a tuple or a list."""
    if isinstance(shapes, Mapping):
        return {name: _mapped(change, inner) for name, inner in shapes.items()}
    if hasattr(shapes, "dtype") or all(_is_size(size) for size in shapes):
        return change(shapes)
    return [_mapped(change, inner) for inner in shapes]


def _is_size(size: object) -> bool:
    return size is None or isinstance(size, int | str)


def _spec(shape: Live, dtype: str) -> Live:
    if hasattr(shape, "dtype"):  # a TensorSpec, or a tensor
        return loaded("tensorflow").TensorSpec(shape.shape, shape.dtype)
    sizes = [size if isinstance(size, int) else None for size in shape]  # a letter is a symbol
    return loaded("tensorflow").TensorSpec(sizes, dtype)


def _renamed(spec: Live, name: str) -> Live:
    tensorflow = loaded("tensorflow")
    if not isinstance(spec, tensorflow.TensorSpec):
        return spec
    return tensorflow.TensorSpec(spec.shape, spec.dtype, name)


def _dtype(layer: Live) -> str:
    return str(getattr(layer, "compute_dtype", None) or "float32")


def _what(layer: Live) -> str:
    kind = "model" if hasattr(layer, "fit") else "layer"
    return f"{kind} {layer.name}"


def weights_of(thing: Live) -> list[Live] | None:
    """The variables of a model, layer or module; None for anything else."""
    if is_layer(thing):
        if not thing.built:
            raise UsageError(f"the Keras {_what(thing)} is not built yet", hint=_GIVE)
        return list(thing.weights)
    if is_module(thing):
        found = list(thing.variables)
        if not found:
            raise UsageError(
                f"the tf.Module {type(thing).__name__} has no variables yet",
                hint="Those that a call makes are there after the first one.",
            )
        return found
    return None


def handles_of(variable: Live) -> list[Live]:
    """The same of every copy, where a distribution strategy has one on each device."""
    inside = getattr(variable, "value", None)
    copies = getattr(inside, "values", None) or getattr(variable, "values", None)
    if isinstance(copies, tuple):
        return [copy.handle for copy in copies if hasattr(copy, "handle")]
    handle = handle_of(variable)
    return [] if handle is None else [handle]


def handle_of(variable: Live) -> Live:
    """The resource behind a variable of TensorFlow or of Keras."""
    inside = getattr(getattr(variable, "value", None), "handle", None)  # Keras wraps TensorFlow's
    return inside if inside is not None else getattr(variable, "handle", None)
