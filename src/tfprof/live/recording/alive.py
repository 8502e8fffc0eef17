"""Functions and models that a program holds, found where Python keeps its objects.

A program need not hand them over, and nothing of it is wrapped to hear of them.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from typing import Final

from tfprof.live.calls import handles_of
from tfprof.live.live_objects import Live

CONCRETE: Final = "tensorflow.python.eager.polymorphic_function.concrete_function"
_CACHES: Final = ("_variable_creation_config", "_no_variable_creation_config")
_MODELS: Final = (("keras.src.models.model", "Model"), ("tf_keras.src.engine.training", "Model"))


def name_of(concrete: Live) -> str:
    name = concrete.name
    return name.decode(errors="replace") if isinstance(name, bytes) else str(name)


def traced_functions() -> list[Live]:
    """Every function that was traced and is still there."""
    kind = sys.modules[CONCRETE].ConcreteFunction
    alive = [thing for thing in gc.get_objects() if type(thing) is kind]
    return list({name_of(one): one for one in alive}.values())


def traces_of(function: Live) -> list[Live]:
    """The traces of a tf.function so far; its own list of them would trace one more."""
    configs = (getattr(function, name, None) for name in _CACHES)
    caches = (getattr(config, "function_cache", None) for config in configs)
    traces = [one for cache in caches if cache is not None for one in cache.values()]
    return list({name_of(one): one for one in traces}.values())  # two may share a cache


def model_of(concrete: Live) -> Live | None:
    """The Keras model whose variables a function reads most of; the outermost of several."""
    inside = {id(external) for external, _ in getattr(concrete.graph, "captures", ())}
    best, most = None, (0, 0)
    for model in _models():
        try:
            known = len(_handles(model) & inside), len(model.layers)
        except Exception:  # noqa: BLE001, S112  (a user's class, which may do anything)
            continue
        if known[0] and known > most:
            best, most = model, known
    return best


def _handles(model: Live) -> set[int]:
    return {id(handle) for variable in model.variables for handle in handles_of(variable)}


def _models() -> Sequence[Live]:
    kinds = [getattr(sys.modules.get(module), name, None) for module, name in _MODELS]
    loaded = tuple(kind for kind in kinds if kind is not None)
    if not loaded:
        return []
    is_model: dict[type, bool] = {}
    found = []
    for thing in gc.get_objects():
        kind = type(thing)
        if kind not in is_model:
            is_model[kind] = issubclass(kind, loaded)
        if is_model[kind] and getattr(thing, "built", False):
            found.append(thing)
    # a sequential model of Keras 3 is run by a functional one that nobody else knows
    twins = {id(getattr(model, "_functional", None)) for model in found}
    return [model for model in found if id(model) not in twins]
