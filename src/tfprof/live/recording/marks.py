"""Marks in a recording: a step, and what a user calls a part of one.

A mark of a step has its number and says that it is a root (`_r`), without which XProf sees none.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from contextlib import ContextDecorator
from types import TracebackType
from typing import Final, Self

from tfprof.live.live_objects import Live

_TRACE: Final = "tensorflow.python.profiler.trace"
# begin as what XProf takes for a step by its name
_NAMES: Final = {"evaluate": "test step", "predict": "predict step"}
_TRAINING: Final = "train step"


def step_mark(kind: str, number: int, name: str) -> Live:
    """An open mark; None where TensorFlow is not loaded or nothing records."""
    trace = _trace_class()
    if trace is None:
        return None
    told = {"function": name} if name else {}
    return trace(_NAMES.get(kind, _TRAINING), step_num=number, _r=1, **told)


def close_mark(mark: Live) -> None:
    if mark is not None:
        mark.__exit__(None, None, None)


class trace(ContextDecorator):  # noqa: N801  (a verb where it is used: with tfprof.trace("decode"))
    """A part of a program under a name of its own: in the timeline, and inside its step.

    `with tfprof.trace("decode"):` around some lines, or `@tfprof.trace("decode")` on a function.
    Costs next to nothing while nothing is recorded. What is given besides the name stands with the
    mark: `tfprof.trace("decode", shard=3)`. In a `tf.function` it marks the tracing, not the run.
    """

    def __init__(self, name: str, **facts: str | float) -> None:
        self._name = str(name)
        self._facts = {key: str(value) for key, value in facts.items()}
        self._open: list[Live] = []

    def __enter__(self) -> Self:
        made = _trace_class()
        self._open.append(None if made is None else made(self._name, **self._facts))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        close_mark(self._open.pop())

    def _recreate_cm(self) -> Self:
        """One of its own for each call of a decorated function: calls may overlap in threads."""
        return type(self)(self._name, **self._facts)


@functools.lru_cache(maxsize=1)
def _found(module: Live) -> Callable[..., Live]:
    made: Callable[..., Live] = module.Trace
    return made


def _trace_class() -> Callable[..., Live] | None:
    module = sys.modules.get(_TRACE)
    return None if module is None or not hasattr(module, "Trace") else _found(module)
