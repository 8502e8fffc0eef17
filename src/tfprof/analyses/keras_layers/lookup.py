"""Which rule a call goes by: layers and operations share names, and so do classes of others."""

from __future__ import annotations

from tfprof.analyses.keras_layers.rule import Call, Rule, Unknown, layer_rules, operation_rules

_OURS = ("", "keras", "tf_keras", "tensorflow")


def rule_of(call: Call, module: str) -> Rule:
    """The rule of a class of Keras; one of the same name from elsewhere has none."""
    name = call.class_name
    ours = module.partition(".")[0] in _OURS
    is_operation = ".ops." in f"{module}." or (not module and _looks_like_operation(call))
    rules = operation_rules() if is_operation else layer_rules()
    rule = rules.get(name) if ours else None
    if rule is None:
        what = "operation" if is_operation and ours else "layer class"
        raise Unknown(f"Unknown {what} {name}")
    return rule


def _looks_like_operation(call: Call) -> bool:
    """HDF5 files leave out the module. A layer takes its tensors as one argument."""
    if call.class_name not in operation_rules():
        return False
    return call.class_name not in layer_rules() or len(call.args) > 1 or "newshape" in call.config
