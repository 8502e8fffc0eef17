"""Outermost calls of tf.functions, and batches that are asked for outside of them.

What a call does is seen after the first one, when it has been traced.
"""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass, replace
from types import FrameType
from typing import Final

from tfprof.live.live_objects import Live
from tfprof.live.run.loop import Loop
from tfprof.live.run.transparent import listen
from tfprof.live.run.updates import trains
from tfprof.live.run.used_models import models_of
from tfprof.live.run.watch import Watch

_KERAS_TRAINER: Final = "keras.src.backend.tensorflow.trainer"
_KERAS_2_TRAINER: Final = "tf_keras.src.engine.training"


@dataclass(slots=True)
class _Known:
    """What a function does, after `traces` traces."""

    traces: int
    trains: bool
    kind: str
    name: str


class Threads(threading.local):
    """What goes on in this thread: how deep inside functions it is, and its loop.

    `has_gradients`: outside of functions a tape was asked for some, which nobody has applied yet.
    """

    depth = 0
    asking = 0
    has_gradients = False
    loop: Loop | None = None


class Functions:
    """Listens to functions and iterators, and tells each thread's loop."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.here = Threads()
        self._known: weakref.WeakKeyDictionary[Live, _Known] = weakref.WeakKeyDictionary()
        self._batch_told = False
        # set by the hooks of Keras: whether a step of its own goes on
        self.is_elsewhere: Callable[[FrameType | None], bool] = _nowhere
        # by them, too: whether that one is asked for, and the model that made a function last
        self.is_elsewhere_counted: Callable[[], bool] = lambda: False
        self.model: Callable[[], Live] = lambda: None

    def loop(self) -> Loop:
        loop = self.here.loop
        if loop is None:
            loop = self.here.loop = Loop(self.watch)
        return loop

    def leave(self) -> None:
        """The loop of this thread is over."""
        if self.here.loop is not None:
            self.here.loop.leave()

    def forget(self) -> None:
        """In a process that was forked off."""
        self.here = Threads()

    # tf.function

    def listen_to(self, module: Live) -> None:
        listen(module.Function, "__call__", self._call_begins, self._call_ends)

    def listen_to_concrete(self, module: Live) -> None:
        listen(module.ConcreteFunction, "__call__", self._call_begins, self._call_ends)

    def _call_begins(self, function: Live, args: tuple[Live, ...]) -> object:
        here = self.here
        if getattr(function, "_run_functions_eagerly", False):
            return _NO_FUNCTION
        here.depth += 1
        if here.depth > 1 or self.watch.is_off or not runs_eagerly():
            return None
        known = self._known.get(function, _UNKNOWN)
        if self.is_elsewhere(sys._getframe(2)):  # noqa: SLF001  (who calls)
            return known, False
        if self._is_step(known):
            self.watch.guarded(self.loop().update_begins, id(function), known.kind, known.name)
            if not self._batch_told:
                self.watch.guarded(self._batch_of, args)
        return known, True

    def _call_ends(self, function: Live, told: object, fault: BaseException | None) -> None:
        if told is _NO_FUNCTION:
            return
        self.here.depth -= 1
        if isinstance(told, tuple):
            self.watch.guarded(self._ended, function, *told, fault is not None)

    def _batch_of(self, args: tuple[Live, ...]) -> None:
        """The first size that all tensors which have one share."""
        self._batch_told = True
        with suppress(Exception):  # arguments of any kind
            sizes = {arg.shape[0] for arg in args if hasattr(arg, "shape") and len(arg.shape)}
            if len(sizes) == 1:
                self.watch.saw_batch(int(sizes.pop()))

    def _ended(self, function: Live, before: _Known, is_ours: bool, failed: bool) -> None:  # noqa: FBT001
        if not is_ours:
            self.watch.saw_function(function, is_step=self.is_elsewhere_counted())
            return
        known, traces = before, _traces(function)
        if traces != before.traces and not failed:
            known = self._known[function] = self._looked_at(function, before, traces)
        self.watch.saw_function(function, is_step=self._is_step(known))
        if not self._is_step(known):
            return
        if not self._is_step(before):
            self.loop().update_begins(id(function), known.kind, known.name)
        self.loop().update_ends(id(function), failed)

    def _is_step(self, known: _Known) -> bool:
        return known.traces > 0 and self._is_counted(known.trains)

    def _is_counted(self, is_training: bool) -> bool:  # noqa: FBT001
        return is_training or self.watch.counts("predict")

    def _looked_at(self, function: Live, before: _Known, traces: int) -> _Known:
        """What it does, by the traces that are new."""
        if before.trains:
            return replace(before, traces=traces)
        new = _concretes(function)[-max(1, traces - before.traces) :]
        is_training = any(trains(concrete) for concrete in new)
        python = getattr(function, "python_function", None)
        kind = "function" if is_training else "predict"
        models: list[Live] = []
        with suppress(Exception):  # objects of any kind
            models = models_of(python)
        if getattr(python, "__module__", "") in (_KERAS_TRAINER, _KERAS_2_TRAINER):
            kind = "train_on_batch" if is_training else "predict"
            models = [self.model()]
        for model in models if self._is_counted(is_training) else ():
            self.watch.saw_model(model)
        return _Known(traces, is_training, kind, _name(function))

    # datasets

    def listen_to_iterators(self, module: Live) -> None:
        owner = module.OwnedIterator
        listen(owner, "__next__", self._asked, self._answered)
        listen(owner, "get_next", self._asked, self._answered)

    def listen_to_distributed(self, module: Live) -> None:
        owner = module.DistributedIteratorBase
        listen(owner, "__next__", self._asked, self._answered)
        listen(owner, "get_next", self._asked, self._answered)

    def _asked(self, _iterator: Live, _args: tuple[Live, ...]) -> object:
        here = self.here
        here.asking += 1
        if here.asking > 1 or here.depth or self.watch.is_off or not runs_eagerly():
            return False
        caller = sys._getframe(2)  # noqa: SLF001
        if self.is_elsewhere(caller):
            return False
        self.watch.guarded(self.loop().batch_asked, _place(caller))
        return True

    def _answered(self, _iterator: Live, told: object, fault: BaseException | None) -> None:
        self.here.asking -= 1
        if told and fault is not None:
            self.watch.guarded(self.loop().batch_missing)


_NO_FUNCTION: Final = object()  # what runs as plain Python
_UNKNOWN: Final = _Known(0, trains=False, kind="", name="")


def _nowhere(_frame: FrameType | None) -> bool:
    return False


def runs_eagerly() -> bool:
    context = sys.modules.get("tensorflow.python.eager.context")
    return context is not None and bool(context.executing_eagerly())


def _place(frame: FrameType) -> Hashable:
    """Where a loop is in its program. A bar of progress may be between: so two frames tell it."""
    outer = frame.f_back
    return (
        (frame.f_code, frame.f_lasti) if outer is None
        else (frame.f_code, frame.f_lasti, outer.f_code, outer.f_lasti)
    )  # fmt: skip


def _traces(function: Live) -> int:
    counted = getattr(function, "experimental_get_tracing_count", None)
    return int(counted()) if counted is not None else 1  # a concrete function is one trace


def _concretes(function: Live) -> list[Live]:
    lister = getattr(function, "_list_all_concrete_functions", None)
    return list(lister()) if lister is not None else [function]


def _name(function: Live) -> str:
    name = getattr(function, "__name__", None) or getattr(function, "name", "")
    return name if isinstance(name, str) else str(name)
