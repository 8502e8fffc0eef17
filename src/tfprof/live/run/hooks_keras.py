"""Steps of `fit`, `evaluate` and `predict`, by what Keras tells its callbacks.

The list of callbacks hears of a batch right before the function of the step is called and right
after it, so no frame of ours is on the stack meanwhile. Keras 3 and Keras 2 (tf_keras) are alike
here.
"""

from __future__ import annotations

import sys
import threading
import weakref
from contextlib import suppress
from types import CodeType, FrameType
from typing import Final

from tfprof.live.live_objects import Live
from tfprof.live.run.fit_epochs import FitEpochs
from tfprof.live.run.hooks_functions import Functions
from tfprof.live.run.transparent import listen

_KINDS: Final = {"train": "fit", "test": "evaluate", "predict": "predict"}


class _Here(threading.local):
    """The step that goes on in this thread.

    `fit` is the call that is inside it: its frame by address, since a frame that is held holds the
    data of its user.
    """

    token: Live = None
    fit: tuple[int, CodeType] | None = None


class KerasSteps:
    """One step at a time: a callback that calls `fit` in turn ends the one that it is called in."""

    def __init__(self, functions: Functions) -> None:
        self._functions = functions
        self._watch = functions.watch
        self._here = _Here()
        self._told: set[int] = set()
        self._epochs = FitEpochs(self._watch)
        functions.is_elsewhere = self._is_inside
        functions.is_elsewhere_counted = lambda: self._here.token is not None

    def forget(self) -> None:
        """In a process that was forked off."""
        self._here = _Here()
        self._functions.forget()

    def listen_to(self, module: Live) -> None:
        """A module with the class `CallbackList`."""
        owner = module.CallbackList
        self._epochs.listen_to(owner)  # first: what we do ourselves is no callback
        for word, kind in _KINDS.items():
            self._listen(owner, word, kind)
        listen(owner, "on_epoch_end", self._pause, _nothing_after)

    def listen_to_trainer(self, module: Live) -> None:
        """`train_on_batch` has no callbacks, but it makes its function as `fit` does."""
        owner = getattr(module, "TensorFlowTrainer", None) or module.Model
        for name in ("make_train_function", "make_test_function", "make_predict_function"):
            listen(owner, name, _nothing, self._made)

    def _made(self, model: Live, _told: object, _fault: BaseException | None) -> None:
        self._functions.model = weakref.ref(model)

    def _listen(self, owner: type, word: str, kind: str) -> None:
        def began(callbacks: Live, _told: object, fault: BaseException | None) -> None:
            if fault is None:
                caller = sys._getframe(2)  # noqa: SLF001  (the `fit` that calls)
                self._watch.guarded(self._begin, callbacks, kind, caller)

        def ends(callbacks: Live, _args: tuple[Live, ...]) -> None:
            self._watch.guarded(self._end, callbacks)

        def over(_callbacks: Live, _args: tuple[Live, ...]) -> None:
            self._watch.guarded(self._was_none)

        listen(owner, f"on_{word}_batch_begin", _nothing, began)
        listen(owner, f"on_{word}_batch_end", ends, _nothing_after)
        listen(owner, f"on_{word}_end", over, _nothing_after)

    def _pause(self, _callbacks: Live, _args: tuple[Live, ...]) -> None:
        self._watch.guarded(self._watch.pause)

    def _begin(self, callbacks: Live, kind: str, caller: FrameType) -> None:
        if "tensorflow" not in sys.modules:
            return  # Keras runs on something else, which nothing here records
        self._was_none()  # the batch before had no end: its data were exhausted, or it failed
        self._functions.loop().leave()
        model = _model_of(callbacks)
        self._here.fit = id(caller), caller.f_code
        token = self._here.token = self._watch.begin(
            kind, str(getattr(model, "name", "")), _at_once(model)
        )
        if token is not None and id(model) not in self._told:
            self._watch.saw_batch(_batch(caller))
        self._epochs.times.step_begins()

    def _end(self, callbacks: Live) -> None:
        self._epochs.times.step_ends()
        token = self._left()
        self._watch.end(token)
        model = _model_of(callbacks)
        if token is not None and id(model) not in self._told:  # after a step, all of it is built
            self._told.add(id(model))
            self._watch.saw_model(model)

    def _was_none(self) -> None:
        self._watch.cancel(self._left())

    def _left(self) -> Live:
        """The step that went on."""
        token, self._here.token, self._here.fit = self._here.token, None, None
        return token

    def _is_inside(self, frame: FrameType | None) -> bool:
        """Whether a call comes from the step of a `fit`."""
        if self._here.fit is None:
            return False
        address, code = self._here.fit
        while frame is not None:
            if frame.f_code is code and id(frame) == address:
                return True
            frame = frame.f_back
        self._watch.guarded(self._was_none)  # that `fit` has failed, and somebody goes on
        return False


def _model_of(callbacks: Live) -> Live:
    return getattr(callbacks, "_model", None) or getattr(callbacks, "model", None)


def _batch(caller: FrameType) -> int | None:
    """What the data of this `fit` say of their batch, if they do."""
    data = caller.f_locals.get("epoch_iterator") or caller.f_locals.get("data_handler")
    adapter = getattr(data, "data_adapter", None) or getattr(data, "_adapter", None)
    size = None
    with suppress(Exception):  # an adapter of the user's own
        size = getattr(adapter, "batch_size", None)
        size = size() if callable(size) else size
    return size if isinstance(size, int) else None


def _at_once(model: Live) -> int:
    """The steps of one execution: a number in Keras 3, a variable in Keras 2."""
    steps: Live = getattr(model, "steps_per_execution", None)
    if steps is None:
        steps = getattr(model, "_steps_per_execution", None)
    with suppress(Exception):  # Keras may choose it while it runs
        return max(1, int(steps.numpy() if hasattr(steps, "numpy") else steps))
    return 1


def _nothing(_object: Live, _args: tuple[Live, ...]) -> None:
    return None


def _nothing_after(_object: Live, _told: object, _fault: BaseException | None) -> None:
    return None
