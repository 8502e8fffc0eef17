"""`fit`, `evaluate`, `predict` and `train_on_batch` of Keras with a listener, for a while."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Final

from tfprof.live.live_objects import Live
from tfprof.live.recording.keras_steps import KerasSteps
from tfprof.live.recording.recorder import Recorder
from tfprof.live.recording.replaced import Replaced

# where Keras 3 and tf_keras have their loops
_TRAINERS: Final = (
    ("keras.src.backend.tensorflow.trainer", "TensorFlowTrainer"),
    ("tf_keras.src.engine.training", "Model"),
)
_LOOPS: Final = ("fit", "evaluate", "predict")


@contextmanager
def keras_fits(recorder: Recorder) -> Iterator[None]:
    """Every fit of every model, of whichever Keras is loaded, goes to the recorder."""
    replaced = Replaced()
    try:
        for module, name in _TRAINERS:
            trainer = getattr(sys.modules.get(module), name, None)
            if trainer is None:
                continue
            for loop in _LOOPS:
                replaced.set_on_class(trainer, loop, _listened(getattr(trainer, loop), recorder))
            plain = trainer.train_on_batch
            replaced.set_on_class(trainer, "train_on_batch", _as_step(plain, recorder))
        yield
    finally:
        replaced.undo()


def _listened(loop: Callable[..., Live], recorder: Recorder) -> Callable[..., Live]:
    signature = inspect.signature(loop)

    @wraps(loop)
    def listened(*args: Live, **kwargs: Live) -> Live:
        if recorder.is_off:
            return loop(*args, **kwargs)
        bound = recorder.guarded(lambda: _with_listener(signature, recorder, args, kwargs))
        if bound is None:
            return loop(*args, **kwargs)
        return loop(*bound.args, **bound.kwargs)

    return listened


def _with_listener(
    signature: inspect.Signature, recorder: Recorder, args: Live, kwargs: Live
) -> inspect.BoundArguments | None:
    """The call with one callback more; None for a call that is none, or that has a listener."""
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:
        return None
    given = bound.arguments.get("callbacks")
    if hasattr(given, "callbacks"):  # a list of Keras's own: validation inside of fit
        return None
    listed = [] if given is None else list(given) if isinstance(given, list | tuple) else [given]
    bound.arguments["callbacks"] = [*listed, KerasSteps(recorder)]
    return bound


def _as_step(plain: Callable[..., Live], recorder: Recorder) -> Callable[..., Live]:
    @wraps(plain)
    def train_on_batch(self: Live, *args: Live, **kwargs: Live) -> Live:
        recorder.saw_model(self)
        with recorder.step("train_on_batch", "train_on_batch"):
            return plain(self, *args, **kwargs)

    return train_on_batch
