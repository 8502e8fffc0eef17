"""`tfprof.keras.Profiler`: a callback that captures some batches and tells where an epoch went."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import replace
from typing import Any

from tfprof.live.live_objects import Live
from tfprof.live.recording import environment
from tfprof.live.recording.keras_steps import KerasSteps
from tfprof.live.recording.opening import Opened, checked_folder, opened
from tfprof.live.recording.plan import KEEP, MAX_BYTES, WARM_UP, Plan, plan_of, size_of, steps_of

_EACH_EPOCH = (WARM_UP + 1, WARM_UP + 5)


class Profiler(KerasSteps):
    """A callback for `fit`, `evaluate` and `predict` of Keras 3 and of tf_keras.

    `batches=(10, 14)` captures these batches, counted from 1 over all epochs; without it, five
    after the warm-up. `per_epoch=True` counts anew in each epoch, and captures in each. With
    `every=1000` there is a capture each thousand batches. Of many captures the newest `keep` and
    the slowest are kept. `memory=True` records allocations on a CPU, too: make the callback before
    TensorFlow runs anything. A capture has at most `max_size` bytes. `every_op=True` records cheap
    ops in late steps, too. After each epoch a few lines
    on stderr tell where it went; `report=False` keeps quiet.

    Everything lies in `folder` afterwards: `tfprof summary FOLDER` and every other command read it.
    """

    def __init__(  # noqa: PLR0913  (each is a choice of the user's, by name)
        self,
        folder: str | os.PathLike[str] = "tfprof-logs",
        *,
        batches: Any = None,  # noqa: ANN401  (a pair, a range, a number, a text)
        per_epoch: bool = False,
        every: int | None = None,
        memory: bool = False,
        max_size: int | str = MAX_BYTES,
        keep: int = KEEP,
        every_op: bool = False,
        report: bool = True,
    ) -> None:
        super().__init__()
        self._folder = checked_folder(folder)
        self._first, self._last = steps_of(batches) or _EACH_EPOCH
        plan = plan_of(batches, every, keep=keep, evaluation=True)
        self._per_epoch = per_epoch
        if per_epoch:
            plan = Plan(keep=plan.keep, evaluation=True, enabled=False, repeated=True)
        self._plan = plan
        self._memory = memory
        if memory:
            environment.ask_for_memory_events()  # now: TensorFlow looks once, when it starts
        self._max_bytes = size_of(max_size)
        self._every_op = every_op
        self._report = report
        self._opened: Opened | None = None
        self._count = 0
        self._captured = False
        self._batch = 0

    def _epoch_begins(self) -> None:
        self._batch = 0

    def _epoch_over(self) -> None:
        recorder, ended = self.recorder, self.clock.end()
        if recorder is None or ended is None:
            return
        ended = replace(ended, input_share=recorder.input_share())
        recorder.saw_epoch(ended.as_json())
        if self._report:
            with suppress(OSError, ValueError):
                sys.stderr.write(f"tfprof: {ended.text()}\n")

    def _starting(self, mode: str) -> None:
        plan = self._plan
        if self._captured and not plan.repeats:
            if mode != "fit":
                return  # it has what was asked for
            plan = Plan(evaluation=True, enabled=False)
        first = self._count + 1 if self._count else None
        if first is None and plan.every is not None and mode == "fit":
            first = _global_step(self.model)
        self._opened = opened(
            self._folder,
            plan,
            memory=self._memory,
            max_bytes=self._max_bytes,
            every_op=self._every_op,
            first_step=first,
        )
        self.recorder = self._opened.recorder

    def _before_step(self) -> None:
        self._batch += 1
        if self._per_epoch and self._batch == self._first and self.recorder is not None:
            self.recorder.ask(self._last - self._first + 1, "epoch")

    def _stopping(self, *, failed: bool) -> None:
        opened_now, self._opened, self.recorder = self._opened, None, None
        if opened_now is None:
            return
        self._count = opened_now.recorder.count
        opened_now.close("exception" if failed else "exit")
        self._captured = self._captured or opened_now.recorder.captured > 0


def _global_step(model: Live) -> int | None:
    """The step that comes next by the optimizer's own count, which a checkpoint restores."""
    with suppress(Exception):  # a model without an optimizer, or with another one
        return int(model.optimizer.iterations.numpy()) + 1
    return None
