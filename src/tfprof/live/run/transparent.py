"""Listening to a method of somebody else without being seen.

What a user's program finds is what it would find without us: the name, signature and source of the
method (`functools.wraps`), and tracebacks without a frame of ours. An exception on its way through
our frames has entries for them in front; once those are taken off and the exception goes on by a
bare `raise`, Python adds none again.
While the method runs our frame is on the stack. It bears the file name of the method, since
TensorFlow writes the stack into every op that it traces, and leaves out its own files by name.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Final, TypeAlias

from tfprof.live.live_objects import Live

_OURS: Final = "tfprof."
# hears the object, the arguments; what it gives back is handed to who hears of the end
Before: TypeAlias = Callable[[Live, tuple[Live, ...]], object]
# hears the object, what `Before` gave, and the exception if there was one
After: TypeAlias = Callable[[Live, object, BaseException | None], None]


def strip_own_frames(fault: BaseException) -> None:
    """For the frame that caught it, before a bare `raise`."""
    entry = fault.__traceback__
    while entry is not None and entry.tb_frame.f_globals.get("__name__", "").startswith(_OURS):
        entry = entry.tb_next
    fault.__traceback__ = entry


def listen(owner: type, name: str, before: Before, after: After) -> None:
    """Both are told of every call; neither may raise."""
    original: Live = owner.__dict__[name]

    @functools.wraps(original)
    def call(self: Live, *args: Live, **named: Live) -> Live:
        told = before(self, args)
        try:
            result = original(self, *args, **named)
        except BaseException as fault:
            after(self, told, fault)
            strip_own_frames(fault)
            raise
        after(self, told, None)
        return result

    replace(owner, name, call)


def replace(owner: type, name: str, function: Live) -> None:
    """In the class, under the file name of what it stands for."""
    original = getattr(inspect.unwrap(function), "__code__", None)
    if isinstance(function, FunctionType) and isinstance(original, CodeType):
        function.__code__ = function.__code__.replace(
            co_filename=original.co_filename,
            co_firstlineno=original.co_firstlineno,
            co_name=name,
            co_qualname=f"{owner.__qualname__}.{name}",
        )
    setattr(owner, name, function)
