"""Where the epochs of a `fit` went, by what its list of callbacks hears.

Waiting for data happens inside the steps, out of sight of Python; a checkpoint is a callback like
any other here. So neither is told.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

from tfprof.live.live_objects import Live
from tfprof.live.run.transparent import listen
from tfprof.live.run.watch import Watch


@dataclass(slots=True)
class EpochTimes:
    """The epoch that goes on in a thread; `number` is None between two."""

    number: int | None = None
    began: float = 0.0
    step: float = 0.0
    callbacks: float = 0.0
    validation: float = 0.0
    step_since: float | None = None
    validation_since: float | None = None

    def step_begins(self) -> None:
        self.step_since = time.perf_counter()

    def step_ends(self) -> None:
        """A step without an end, whose data were exhausted, is none."""
        if self.step_since is not None and self.validation_since is None:
            self.step += time.perf_counter() - self.step_since
        self.step_since = None

    def called_back(self, since: float) -> None:
        """The callbacks of a batch or an epoch had their turn."""
        if self.validation_since is None:
            self.callbacks += time.perf_counter() - since

    def validation_begins(self) -> None:
        self.validation_since = time.perf_counter()

    def validation_ends(self) -> None:
        if self.validation_since is not None:
            self.validation += time.perf_counter() - self.validation_since
        self.validation_since = None

    def end(self) -> dict[str, int | float | None] | None:
        """A row for run.json; None where no epoch began."""
        number, self.number = self.number, None
        if number is None:
            return None
        return {
            "epoch": number,
            "seconds": round(time.perf_counter() - self.began, 6),
            "data_s": None,
            "step_s": round(self.step, 6),
            "callbacks_s": round(self.callbacks, 6),
            "validation_s": round(self.validation, 6),
            "checkpoint_s": None,
        }


class _Here(threading.local):
    def __init__(self) -> None:
        self.times = EpochTimes()


class FitEpochs:
    """The epochs of each `fit`, told to the recorder."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._here = _Here()

    @property
    def times(self) -> EpochTimes:
        """Of this thread."""
        return self._here.times

    def listen_to(self, owner: type) -> None:
        """To a class `CallbackList`."""
        for name in ("on_train_batch_begin", "on_train_batch_end"):
            listen(owner, name, self._clock, self._called_back)
        listen(owner, "on_epoch_begin", self._epoch_begins, self._called_back)
        listen(owner, "on_epoch_end", self._clock, self._epoch_ends)
        listen(owner, "on_test_begin", self._validates, _nothing)
        listen(owner, "on_test_end", self._clock, self._validated)

    def _clock(self, _callbacks: Live, _args: tuple[Live, ...]) -> float:
        return time.perf_counter()

    def _called_back(self, _callbacks: Live, told: object, _fault: BaseException | None) -> None:
        if isinstance(told, float):
            self.times.called_back(told)

    def _epoch_begins(self, callbacks: Live, args: tuple[Live, ...]) -> float:
        if args and isinstance(args[0], int):
            self._here.times = EpochTimes(args[0] + 1, time.perf_counter())
        return self._clock(callbacks, args)

    def _epoch_ends(self, callbacks: Live, told: object, fault: BaseException | None) -> None:
        self._called_back(callbacks, told, fault)
        if fault is None:
            self._watch.guarded(self._watch.saw_epoch, self.times.end())

    def _validates(self, _callbacks: Live, _args: tuple[Live, ...]) -> None:
        self.times.validation_begins()

    def _validated(self, _callbacks: Live, _told: object, _fault: BaseException | None) -> None:
        self.times.validation_ends()


def _nothing(_object: Live, _told: object, _fault: BaseException | None) -> None:
    return None
