"""A recording: steps come in, captures and what belongs to them go into a folder.

Nothing raises into the program that is recorded: what goes wrong is told once, on stderr and in
run.json, and the recording ends or goes on without it.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from tfprof.live.live_objects import Live
from tfprof.live.recording import environment
from tfprof.live.recording.capture_facts import input_share_of
from tfprof.live.recording.capturing import Capturing
from tfprof.live.recording.companions import Companions
from tfprof.live.recording.guarded import described, raises_nothing
from tfprof.live.recording.marks import close_mark, step_mark
from tfprof.live.recording.plan import Plan, Schedule
from tfprof.live.recording.record import Record
from tfprof.live.recording.run_folder import About, RankFolder
from tfprof.live.recording.step_times import StepTimes
from tfprof.live.recording.time_window import TimeWindow
from tfprof.live.sessions import SessionRun

NOT_TRAINING: Final = frozenset({"evaluate", "predict"})
_WRITE_AGAIN_NS: Final = 5 * 10**9
_T = TypeVar("_T")


@dataclass(slots=True)
class Token:
    """A step that goes on."""

    number: int
    count: int
    began: int  # by time.perf_counter_ns
    mark: Live = None
    functions: int | None = None  # known to TensorFlow before it; None where nobody looks
    captured: bool = False
    soft: bool = False  # gives way to what is found inside it


class Recorder:
    """Counts the steps of a program and captures those that a plan asks for.

    `folder` is that of this process. With `first_step`, numbering begins there; else a plan that
    repeats goes on after what an earlier process recorded, and any other counts from 1.
    """

    def __init__(
        self, folder: Path, plan: Plan, about: About, *, first_step: int | None = None
    ) -> None:
        self._folder = RankFolder.opened(folder)
        self.plan = plan
        self.about = about
        self.is_off = False
        self._closed = False
        self._lock = threading.RLock()
        self._thread = threading.local()
        self._told: set[str] = set()
        self._captured = 0
        self._newest: Path | None = None
        self._input_share: tuple[Path, float | None] | None = None
        self._cancelled: list[Live] = []
        self._count = self._start_number(first_step)
        self._schedule = Schedule(plan, self._count)
        self.record = Record(self._folder, plan, about, self._count)
        self._times = StepTimes(self.record.untraced, self.record.untraced_cpu)
        self._capturing = Capturing(
            self._folder, self._schedule, about, self.record, self.warn, self.give_way
        )
        self._companions = Companions(self._folder.path, self.record, self.warn)
        if about.memory:
            late = environment.ask_for_memory_events()
            if late:
                self.warn(late)
        self._write()
        self._time = TimeWindow(self, plan) if plan.by_time else None

    @property
    def folder(self) -> Path:
        return self._folder.path

    @property
    def count(self) -> int:
        """The number of the last step that began."""
        return self._count

    @property
    def capturing(self) -> bool:
        return self._capturing.window is not None

    @property
    def captured(self) -> int:
        """How many captures this process has kept so far."""
        return self._captured

    # steps

    @contextmanager
    def step(self, kind: str, name: str = "", count: int = 1) -> Iterator[None]:
        """One step, or `count` at once, on this thread; one inside another does not count."""
        token = self.begin(kind, name, count)
        failed = True
        try:
            yield
            failed = False
        finally:
            self.end(token, failed=failed)

    @raises_nothing
    def begin(
        self,
        kind: str,
        name: str = "",
        count: int = 1,
        *,
        soft: bool = False,
        capture: bool = True,
    ) -> Token | None:
        """None for a step that does not count; whatever comes goes to `end`."""
        outer = self._inside()
        if outer is not None and (soft or not outer.soft):
            return None
        if kind in NOT_TRAINING and not self.plan.evaluation:
            self._times.pause()
            return None
        if outer is not None:
            self.cancel(outer)
        now = time.perf_counter_ns()
        with self._lock:
            token = self._thread.inside = Token(self._count + 1, count, now, soft=soft)
            self._count += count
            window = self._capturing.window
            self._times.next_begins(now, None if window is None else window.periods)
            if capture and not self.capturing and self._is_due(token):
                self._capturing.begin(token.number, count)
                token.began = time.perf_counter_ns()
            if self.capturing:
                token.captured = True
                token.mark = step_mark(kind, token.number, name)
            elif self._schedule.watches_tracing(token.number):
                token.functions = environment.traced_functions()
            self._times.began(
                token.began, captured=token.captured, warming=self._schedule.warming,
                alone=not self._companions.at_work,
            )  # fmt: skip
            if self.record.kind is None:
                self.record.step_kind(kind, name, count)
        return token

    @raises_nothing
    def end(self, token: Token | None, *, failed: bool = False) -> None:
        if token is None or self._inside() is not token:
            return
        self._thread.inside = None
        close_mark(token.mark)
        now = time.perf_counter_ns()
        with self._lock:
            traced = token.functions is not None and (
                environment.traced_functions() > token.functions
            )
            if traced or failed:
                self._times.pause()
            self._schedule.passed(traced=traced)
            window = self._capturing.window
            if self._companions.have_news:
                self._companions.take()
                self._write()
            if window is None:
                if now - self._written > _WRITE_AGAIN_NS:
                    self._write()
            elif token.captured and not failed:
                last = token.number + token.count - 1
                if window.over(last, (now - token.began) / 1000):
                    self._end_capture()

    @raises_nothing
    def cancel(self, token: Token | None) -> None:
        """It was no step: there was no data for it, or the steps are inside of it."""
        if token is None or self._inside() is not token:
            return
        self._thread.inside = None
        if token.mark is not None:
            self._cancelled.append(token.mark)  # a mark that is never closed is not recorded
        with self._lock:
            self._times.pause()
            if self._count == token.number + token.count - 1:  # else others came since
                self._count -= token.count
                self.record.forget_kind(self._count)

    def pause(self) -> None:
        """What comes between the last step and the next is no part of a step."""
        self._times.pause()

    @raises_nothing
    def give_way(self) -> None:
        """The program needs TensorFlow's profiler, of which there is one: the capture ends."""
        with self._lock:
            if self.capturing:
                self.warn(
                    "the program uses the profiler itself: the capture ended before that, and "
                    "has the steps up to there"
                )
                self._end_capture(early=True)

    @raises_nothing
    def ask(self, steps: int, why: str = "called") -> None:
        """A capture of so many steps begins with the next one, whatever the plan says."""
        with self._lock:
            self._capturing.ask(steps, why)

    @raises_nothing
    def guarded(self, work: Callable[[], _T]) -> _T:
        """What goes wrong in `work` ends the recording, not the program."""
        return work()

    # what belongs to the steps

    @raises_nothing
    def saw_function(self, function: Live, concrete: Live = None, *, is_step: bool = False) -> None:
        """A tf.function, or what wraps one, was called; the one that steps run is `is_step`."""
        self._companions.functions.saw(function, concrete, is_step=is_step)

    @raises_nothing
    def saw_model(self, model: Live) -> None:
        self.record.saw_model(model)
        self._companions.functions.saw_model(model)

    @raises_nothing
    def saw_batch(self, size: int | None) -> None:
        """The first that is known: validation may have another."""
        if size is not None and self.record.batch is None:
            self.record.batch = int(size)

    @raises_nothing
    def saw_epoch(self, epoch: dict[str, Any]) -> None:
        with self._lock:
            self.record.epochs.append(epoch)

    @raises_nothing
    def saw_run_metadata(self, name: str) -> None:
        """The run after a capture was traced in full, and lies in this file."""
        with self._lock:
            self._capturing.has_run_metadata(name)
            self._write()

    @raises_nothing
    def input_share(self) -> float | None:
        """How much of a step waited for input in the newest capture; None where nobody knows."""
        if self._newest is None:
            return None
        if self._input_share is None or self._input_share[0] != self._newest:
            self._input_share = self._newest, input_share_of(self._newest)
        return self._input_share[1]

    def saw_session_run(self, call: SessionRun) -> Live:
        """A run of a session: its result and its exceptions are those of the plain call."""
        return self._companions.sessions.run(self, call)

    def warn(self, text: str) -> None:
        """On stderr and in run.json, once."""
        if text in self._told:
            return
        self._told.add(text)
        self.record.warnings.append(text)
        with suppress(Exception):  # stderr may be closed
            sys.stderr.write(f"tfprof: {text}\n")

    def close(self, ended_by: str | None, exit_code: int | None = None) -> None:
        """Ends the recording; what was captured by then is kept. More than once does no harm."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            try:
                if self._time is not None:
                    self._time.end()
                if self.capturing:
                    self._end_capture(closing=True)
                if not self.is_off:
                    self._companions.finish()
            except Exception as fault:  # noqa: BLE001  (as in `raises_nothing`)
                self.switch_off(fault)
            self.is_off = True
            self.record.end(ended_by, exit_code)
            self._write()
            self._folder.release()

    # by time, from the thread that watches it

    @raises_nothing
    def start_now(self, why: str) -> bool:
        with self._lock:
            if self._closed or self.capturing:
                return False
            return self._capturing.begin(self._count + 1, why=why, by_time=True)

    @raises_nothing
    def stop_now(self) -> None:
        with self._lock:
            if not self._closed and self.capturing:
                self._end_capture()

    # inside

    def _inside(self) -> Token | None:
        """The step that goes on on this thread."""
        token: Token | None = getattr(self._thread, "inside", None)
        return token

    def _start_number(self, first_step: int | None) -> int:
        if first_step is not None:
            return max(0, first_step - 1)
        steps = self._folder.before.get("steps") if self.plan.every is not None else None
        last = steps.get("count") if isinstance(steps, dict) else None
        return last if isinstance(last, int) and last > 0 else 0

    def _is_due(self, token: Token) -> bool:
        if self.plan.delay and not self.plan.by_time:
            waited = (time.time_ns() - self.record.clock["unix_ns"]) / 1e9
            if waited < self.plan.delay:
                return False
        return self._schedule.begins(token.number, token.count)

    def _end_capture(self, *, closing: bool = False, early: bool = False) -> None:
        kept = self._capturing.end(early=closing or early)
        if kept is not None:
            self._captured += 1
            self._newest = kept
            self._companions.captured(kept, at_once=not closing)
        self._write()
        self._times.pause()  # writing took its time

    def _write(self) -> None:
        self._written = time.perf_counter_ns()
        self.record.steps_so_far(self._count, self._times)
        try:
            self.record.write()
        except OSError as fault:
            self.warn(f"run.json cannot be written: {fault.strerror or fault}")

    def switch_off(self, fault: Exception) -> None:
        """Something of ours broke: training goes on without us."""
        self.is_off = True
        with suppress(Exception):
            self._capturing.discard()
        self.warn(f"the recording has ended, training goes on: {described(fault)}")
