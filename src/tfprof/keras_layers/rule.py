"""The rules of layer classes: functions that write down the variables and ops of one call.

A rule is registered in the file of its family. What a layer costs is nowhere said: it follows from
the ops (`ops/`), as for a graph that TensorFlow traced. A class without a rule is reported by name,
never guessed. Operations of the functional API (`keras.ops`) are registered apart from layers,
since both have an `Add`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from tfprof.keras_layers.layer import Layer
from tfprof.keras_layers.sizes import Unknown
from tfprof.ops.rule import Tensor

# the outputs of a layer; one tensor stands for a list of one
Made = Tensor | Sequence[Tensor]
Rule = Callable[[Layer], Made]

_LAYERS: dict[str, Rule] = {}
_OPERATIONS: dict[str, Rule] = {}
# where classes with rules come from
_OURS = ("", "keras", "tf_keras", "tensorflow")


def layer(names: str, *, module: str = "") -> Callable[[Rule], Rule]:
    """The rule of some layer classes, split at blanks; of Keras unless a `module` is named."""
    start = f"{module}:" if module else ""
    return _registered(_LAYERS, " ".join(start + name for name in names.split()))


def operation(names: str) -> Callable[[Rule], Rule]:
    """The rule of some operations of the functional API."""
    return _registered(_OPERATIONS, names)


def _registered(registry: dict[str, Rule], names: str) -> Callable[[Rule], Rule]:
    def register(rule: Rule) -> Rule:
        for name in names.split():
            if name in registry:
                raise ValueError(f"{name!r} has two rules")
            registry[name] = rule
        return rule

    return register


def layer_rules() -> Mapping[str, Rule]:
    from tfprof.keras_layers import every_family  # noqa: F401  (registers them)

    return MappingProxyType(_LAYERS)


def operation_rules() -> Mapping[str, Rule]:
    from tfprof.keras_layers import every_family  # noqa: F401  (registers them)

    return MappingProxyType(_OPERATIONS)


def rule_of(call: Layer, module: str) -> Rule:
    """The rule of a class of Keras; one of the same name from elsewhere is another class."""
    name, package = call.class_name, module.partition(".")[0]
    ours = package in _OURS
    is_operation = ".ops." in f"{module}." or (not module and _looks_like_operation(call))
    rules = operation_rules() if is_operation else layer_rules()
    rule = rules.get(name if ours else f"{package}:{name}")
    if rule is None:
        what = "operation" if is_operation and ours else "layer class"
        raise Unknown(f"Unknown {what} {name}")
    return rule


def _looks_like_operation(call: Layer) -> bool:
    """HDF5 files leave out the module. A layer takes its tensors as one argument."""
    if call.class_name not in operation_rules():
        return False
    return call.class_name not in layer_rules() or len(call.args) > 1 or "newshape" in call.config
