"""The Keras models that a function uses: in its closure, among its globals, in its object."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterator
from typing import Final

from tfprof.live.live_objects import Live

_MODELS: Final = (("keras.src.models.model", "Model"), ("tf_keras.src.engine.training", "Model"))
_MOST: Final = 8


def models_of(function: Live) -> list[Live]:
    """Those that it names itself; what they call in turn is theirs."""
    kinds = tuple(_kinds())
    if not kinds or function is None:
        return []
    found: dict[int, Live] = {}
    for value in _named(function):
        if isinstance(value, kinds):
            found[id(value)] = value
    return list(found.values())[:_MOST]


def _kinds() -> Iterator[type]:
    for module, name in _MODELS:
        kind = getattr(sys.modules.get(module), name, None)
        if isinstance(kind, type):
            yield kind


def _named(function: Live) -> Iterator[Live]:
    owner = getattr(function, "__self__", None)
    if owner is not None:
        yield owner
        yield from list(vars(owner).values()) if hasattr(owner, "__dict__") else []
    function = getattr(function, "__func__", function)
    code = getattr(function, "__code__", None)
    if code is None:
        return
    names = getattr(function, "__globals__", {})
    yield from (names[name] for name in code.co_names if name in names)
    for cell in getattr(function, "__closure__", None) or ():
        try:
            value = cell.cell_contents
        except ValueError:  # not set yet
            continue
        value = value() if isinstance(value, weakref.ref) else value  # a method's object
        yield value
        if hasattr(value, "__dict__"):
            yield from list(vars(value).values())
