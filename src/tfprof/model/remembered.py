"""Work that several answers about one profile share: done once while they are made together.

A page asks for the layers three times, each grouped otherwise, and `check` asks for them budget by
budget; each would infer all shapes anew. While a function marked `@remembering()` runs, what those
marked `@remembered` find is kept; then it is let go. Nothing is kept elsewhere: whoever asks one
question holds no more memory than its answer takes.

Many runs of one program have the same model. Whoever reads them, and makes the same files the same
objects, has what is found of models alone kept from one run to the next (`LastModels`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import fields
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from tfprof.model.graph import Graph
from tfprof.model.profile import ProfileData

P = ParamSpec("P")
R = TypeVar("R")

# what is the same object, and what is equal, if the answer is to be the same
Key = tuple[tuple[object, ...], tuple[object, ...]]
# what the files said beside all else: no analysis reads it
_SAID_ONLY = frozenset({"warnings", "origin"})

# of each function; a history has few programs at a time, and asks most of it twice
_MODELS_KEPT = 16
_LARGEST = 20_000

_models: ContextVar[dict[object, list[tuple[Key, Any]]] | None] = ContextVar("models", default=None)
_kept: ContextVar[dict[object, list[tuple[Key, Any]]] | None] = ContextVar("kept", default=None)


@contextmanager
def remembering() -> Iterator[None]:
    """While several questions are asked about one profile; inside of another, that one goes on."""
    if _kept.get() is not None:
        yield
        return
    token = _kept.set({})
    try:
        yield
    finally:
        _kept.reset(token)


@contextmanager
def nothing_kept() -> Iterator[None]:
    """While one of many is read and asked: what is found of it would keep it in memory."""
    token = _kept.set(None)
    try:
        yield
    finally:
        _kept.reset(token)


class LastModels:
    """What was found of the models that were asked about last."""

    def __init__(self) -> None:
        self._found: dict[object, list[tuple[Key, Any]]] = {}

    @contextmanager
    def used(self) -> Iterator[None]:
        token = _models.set(self._found)
        try:
            yield
        finally:
            _models.reset(token)
            for known in self._found.values():
                del known[:-_MODELS_KEPT]


def remembered(
    key: Callable[..., Key], of_model: Callable[..., bool] | None = None
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Of a function whose result nobody changes; `key` tells by what it is determined.

    `of_model` says whether that is a model alone, and nothing that one run has.
    """

    def decorated(make: Callable[P, R]) -> Callable[P, R]:
        @wraps(make)
        def asked(*args: P.args, **named: P.kwargs) -> R:
            kept, models = _kept.get(), _models.get()
            if models is not None and of_model is not None and of_model(*args, **named):
                kept = models
            if kept is None:
                return make(*args, **named)
            same, equal = key(*args, **named)
            known = kept.setdefault(make, [])
            for (objects, values), result in known:
                if len(objects) == len(same) and all(map(_is, objects, same)) and values == equal:
                    return result  # type: ignore[no-any-return]  # of this very function
            result = make(*args, **named)
            # the objects are kept as well: another may not take their place in memory
            known.append(((same, equal), result))
            return result

        return asked

    return decorated


def is_kept(graph: Graph | None) -> bool:
    """Whether what is found of a graph may be kept: of a large one that is too much."""
    return graph is not None and len(graph) <= _LARGEST


def parts_of(data: ProfileData) -> tuple[object, ...]:
    """What analyses read: `replace(data, warnings=...)` is the same profile."""
    return tuple(getattr(data, one.name) for one in fields(data) if one.name not in _SAID_ONLY)


def _is(one: object, other: object) -> bool:
    return one is other
