"""The steps of a Keras model: what `fit`, `evaluate` and `predict` call for each batch.

A callback by its methods alone, so that Keras 3 and tf_keras both take it. It has no hooks for
batches: with one, Keras 3 would call those of all others in another way. Instead the function that
runs a batch is wrapped for as long as `fit` runs.
"""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import wraps
from typing import Any, Final

from tfprof.live.live_objects import Live
from tfprof.live.recording.epochs import CALLBACKS, CHECKPOINT, OURS, STEP, VALIDATION, EpochClock
from tfprof.live.recording.functions import functions_in
from tfprof.live.recording.recorder import Recorder, Token
from tfprof.live.recording.replaced import Replaced

_HOOKS: Final = (
    "on_epoch_begin", "on_epoch_end", "on_train_batch_begin", "on_train_batch_end",
    "on_batch_begin", "on_batch_end",
)  # fmt: skip
_SAVES: Final = ("Checkpoint", "BackupAndRestore")
_OUT_OF_DATA: Final = "OutOfRangeError"
_DEEPEST_FRAME: Final = 12


class KerasSteps:
    """Hands the steps of a model to a recorder."""

    async_safe = True  # Keras 3 need not wait for hooks that do nothing
    _supports_tf_logs = True
    model: Live = None

    def __init__(self, recorder: Recorder | None = None) -> None:
        self.recorder = recorder
        self.params: dict[str, Any] = {}
        self.clock = EpochClock()
        self._replaced = Replaced()
        self._thread = 0
        self._mode: str | None = None
        self._open: Token | None = None

    # what Keras calls

    def set_params(self, params: dict[str, Any]) -> None:
        self.params = params or {}

    def set_model(self, model: Live) -> None:
        self.model = model

    def on_train_begin(self, *_: object, **__: object) -> None:
        self._begin("fit")

    def on_train_end(self, *_: object, **__: object) -> None:
        self._end("fit")

    def on_test_begin(self, *_: object, **__: object) -> None:
        self._begin("evaluate")

    def on_test_end(self, *_: object, **__: object) -> None:
        self._end("evaluate")

    def on_predict_begin(self, *_: object, **__: object) -> None:
        self._begin("predict")

    def on_predict_end(self, *_: object, **__: object) -> None:
        self._end("predict")

    def on_epoch_begin(self, epoch: int, *_: object, **__: object) -> None:
        """An epoch lasts until the next one begins: others may act at its end after us."""
        self._close_epoch()
        self._epoch_begins()
        self.clock.begin(epoch + 1)
        if self.recorder is not None:
            self.recorder.pause()

    def on_epoch_end(self, *_: object, **__: object) -> None:
        pass

    def on_test_batch_begin(self, *_: object, **__: object) -> None:
        """Only tf_keras: its function for a batch is out of reach by now."""
        if self._mode == "evaluate" and _is_old(self.model) and self.recorder is not None:
            self._open = self.recorder.begin("evaluate", "test_function")

    def on_test_batch_end(self, *_: object, **__: object) -> None:
        if self._open is not None and self.recorder is not None:
            self.recorder.end(self._open)
            self._open = None

    def on_train_batch_begin(self, *_: object, **__: object) -> None:
        pass

    on_train_batch_end = on_batch_begin = on_batch_end = on_train_batch_begin
    on_predict_batch_begin = on_predict_batch_end = on_train_batch_begin

    def _implements_train_batch_hooks(self) -> bool:
        return False

    def _implements_test_batch_hooks(self) -> bool:
        return True

    def _implements_predict_batch_hooks(self) -> bool:
        return False

    # what subclasses add

    def _epoch_begins(self) -> None:
        """Before the first batch of an epoch."""

    def _epoch_over(self) -> None:
        """After each epoch, with all that callbacks did at its end."""

    def _starting(self, mode: str) -> None:
        """Before the first step of a fit, an evaluate or a predict."""

    def _before_step(self) -> None:
        """Before each step."""

    def _stopping(self, *, failed: bool) -> None:
        """After the last step; or in the midst of it, when what runs it was left."""

    # inside

    def _begin(self, mode: str) -> None:
        if self._mode is not None and self._thread == threading.get_ident():
            if mode != "fit":
                return  # validation, inside of fit
            self._left()
        self._mode, self._thread = mode, threading.get_ident()
        self._starting(mode)
        recorder = self.recorder
        if recorder is None:
            return
        recorder.saw_model(self.model)
        recorder.guarded(lambda: self._attach(recorder, mode))

    def _close_epoch(self) -> None:
        if self.recorder is not None:
            self.recorder.guarded(self._epoch_over)

    def _end(self, mode: str) -> None:
        if mode == self._mode:
            self._close_epoch()
            self._replaced.undo()
            self._mode = None
            self._stopping(failed=False)

    def _left(self) -> None:
        """Keras left by an exception: nobody called the end."""
        if self._mode is not None:
            self._mode = None
            self._replaced.undo()
            self._stopping(failed=True)

    def _attach(self, recorder: Recorder, mode: str) -> None:
        frames = _frames()
        if mode == "fit" or recorder.plan.evaluation:
            recorder.saw_batch(_batch_of(frames))
        name = {"fit": "train", "evaluate": "test"}.get(mode, mode) + "_function"
        plain = getattr(self.model, name, None)
        if callable(plain) and not (mode == "evaluate" and _is_old(self.model)):
            self._replaced.set(self.model, name, self._stepped(recorder, mode, plain))
        callbacks = _callback_list(frames)
        if callbacks is not None:
            if mode == "fit":
                self._time_callbacks(callbacks.callbacks)
            with suppress(TypeError):
                # dropped with the frame of fit, whichever way that is left
                weakref.finalize(callbacks, _call_if_alive, weakref.WeakMethod(self._left))
        if mode == "fit":
            evaluate = self.model.evaluate
            self._replaced.set(self.model, "evaluate", self._timed(evaluate, VALIDATION))

    def _stepped(self, recorder: Recorder, mode: str, plain: Callable[..., Live]) -> Live:
        count = _steps_at_once(self.model)
        found = next(functions_in(plain), plain)
        name = getattr(found, "__name__", "") or mode

        @wraps(plain, updated=())
        def stepped(*args: Live, **kwargs: Live) -> Live:
            with self.clock.part(OURS):
                self._before_step()
                recorder.saw_function(found, is_step=True)
                token = recorder.begin(mode, name, count)
            try:
                with self.clock.part(STEP):
                    result = plain(*args, **kwargs)
            except BaseException as fault:
                if isinstance(fault, StopIteration) or type(fault).__name__ == _OUT_OF_DATA:
                    recorder.cancel(token)
                else:
                    recorder.end(token, failed=True)
                raise
            with self.clock.part(OURS):
                recorder.end(token)
            return result

        return stepped

    def _time_callbacks(self, callbacks: list[Live]) -> None:
        for callback in callbacks:
            if callback is self or not hasattr(callback, "__dict__"):
                continue
            kinds = type(callback).__mro__
            saves = any(word in kind.__name__ for kind in kinds for word in _SAVES)
            for hook in _HOOKS:
                plain = getattr(callback, hook, None)
                if plain is None or getattr(plain, "_is_default", False):
                    continue
                part, who = (CHECKPOINT, "") if saves else (CALLBACKS, kinds[0].__name__)
                self._replaced.set(callback, hook, self._timed(plain, part, who))

    def _timed(self, plain: Callable[..., Live], part: str, who: str = "") -> Live:
        clock = self.clock

        @wraps(plain, updated=())
        def timed(*args: Live, **kwargs: Live) -> Live:
            with clock.part(part, who) if self._mode == "fit" else _nothing():
                return plain(*args, **kwargs)

        return timed


def _nothing() -> AbstractContextManager[None]:
    return nullcontext()


def _call_if_alive(method: weakref.WeakMethod[Callable[[], None]]) -> None:
    found = method()
    if found is not None:
        found()


def _frames() -> list[Live]:
    """The frames that called a hook of ours, the nearest first."""
    frame: Live = sys._getframe(1)  # noqa: SLF001  (Keras hands its list of callbacks to nobody)
    found: list[Live] = []
    while frame is not None and len(found) < _DEEPEST_FRAME:
        found.append(frame)
        frame = frame.f_back
    return found


def _callback_list(frames: list[Live]) -> Live | None:
    for frame in frames:
        owner = frame.f_locals.get("self")
        if type(owner).__name__ == "CallbackList" and hasattr(owner, "callbacks"):
            return owner
    return None


def _batch_of(frames: list[Live]) -> int | None:
    """The size of a batch, from what `fit` iterates over."""
    for frame in frames:
        data = frame.f_locals.get("epoch_iterator") or frame.f_locals.get("data_handler")
        adapter = getattr(data, "data_adapter", None) or getattr(data, "_adapter", None)
        if adapter is None:
            continue
        size = getattr(adapter, "batch_size", None)
        with suppress(Exception):  # an adapter that does not know
            size = size() if callable(size) else size
            return int(size) if size is not None else None
    return None


def _steps_at_once(model: Live) -> int:
    told: Live = getattr(model, "steps_per_execution", None)
    if told is None:
        told = getattr(model, "_steps_per_execution", None)
    told = told.numpy() if hasattr(told, "numpy") else told
    try:
        return max(1, int(told or 1))
    except (TypeError, ValueError):  # tf_keras may choose it while it runs
        return 1


def _is_old(model: Live) -> bool:
    """A model of Keras 2, as tf_keras has it."""
    return any(kind.__module__.startswith("tf_keras.") for kind in type(model).__mro__)
