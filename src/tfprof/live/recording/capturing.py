"""The life of a capture: begun before a step, ended after one, kept, tried again or given up."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tfprof.live.recording.plan import Plan, Schedule
from tfprof.live.recording.record import Record
from tfprof.live.recording.run_folder import About, RankFolder, kept, remove
from tfprof.live.recording.tracer import Captured, CaptureFailed, TooLarge, Tracer

_MOST_FAILURES: Final = 3
_ROOM: Final = 0.8  # of the size that is allowed, so that another step does not burst it


@dataclass(slots=True)
class Window:
    """A capture that goes on, of steps `first` to `until`."""

    first: int
    until: int
    why: str
    last: int = 0  # the last step that ended
    periods: list[float] = field(default_factory=list)  # of its steps, in microseconds
    only_us: float = 0.0  # how long the last step took

    @property
    def by_time(self) -> bool:
        return self.until == sys.maxsize

    @property
    def steps(self) -> int:
        return max(0, self.last - self.first + 1)

    def over(self, last: int, took_us: float) -> bool:
        """A step ended: whether it was the last."""
        self.last = max(self.last, last)
        self.only_us = round(took_us, 1)
        return self.last >= self.until


class Capturing:
    """At most one capture at a time. What goes wrong is told, and nothing is raised."""

    def __init__(
        self,
        folder: RankFolder,
        schedule: Schedule,
        about: About,
        record: Record,
        warn: Callable[[str], None],
        give_way: Callable[[], None],
    ) -> None:
        self._folder = folder
        self._schedule = schedule
        self._plan: Plan = schedule.plan
        self._max_bytes = about.max_bytes
        self._record = record
        self._warn = warn
        self._tracer = Tracer(
            folder,
            max_bytes=about.max_bytes,
            python_tracer=about.python_tracer,
            every_op=about.every_op,
            give_way=give_way,
        )
        self._bytes_a_step = 0.0
        self._failures = 0
        self._why: str | None = None
        self.window: Window | None = None

    @property
    def given_up(self) -> bool:
        return self._failures >= _MOST_FAILURES

    def ask(self, steps: int, why: str) -> None:
        """A capture begins with the next step, whatever the plan says."""
        if self.window is None:
            self._schedule.ask(steps)
            self._why = why

    def begin(
        self, step: int, count: int = 1, *, why: str | None = None, by_time: bool = False
    ) -> bool:
        """Whether one is going on now."""
        if self.given_up:
            return False
        if self._schedule.traces_on and not by_time:
            self._warn("every step traces a function: what is captured is mostly that")
        until = sys.maxsize if by_time else self._schedule.until(step, self._most_steps(), count)
        try:
            self._tracer.start()
        except CaptureFailed as fault:
            self._schedule.captured(step)
            self._failed(f"no capture at step {step}: {fault}")
            return False
        plain = "every" if self._plan.every is not None else "steps"
        self.window = Window(step, until, why or self._why or plain)
        self._why = None
        return True

    def end(self, *, early: bool = False) -> Path | None:
        """The capture that goes on ends, its steps whole or not; where it lies if it was kept."""
        window, self.window = self.window, None
        if window is None:
            return None
        self._schedule.captured(max(window.last, window.first))
        try:
            found = self._tracer.stop()
        except TooLarge as fault:
            self._try_fewer(window, fault.size, early=early)
        except CaptureFailed as fault:
            last = max(window.last, window.first)
            self._failed(f"the capture of steps {window.first} to {last} is lost: {fault}")
        else:
            self._failures = 0
            self._keep(window, found, complete=not early or window.last >= window.until)
            return found.folder
        return None

    def discard(self) -> None:
        self.window = None
        self._tracer.discard()

    def has_run_metadata(self, name: str) -> None:
        """Of the run that came after the last capture: it goes when that one goes."""
        if self._record.captures:
            self._record.captures[-1]["run_meta"] = name

    def _most_steps(self) -> int | None:
        """As many as fit by what the last capture had; None before there was one."""
        if not self._bytes_a_step:
            return None
        return max(1, int(self._max_bytes * _ROOM / self._bytes_a_step))

    def _keep(self, window: Window, found: Captured, *, complete: bool) -> None:
        if window.steps:
            self._bytes_a_step = found.size / window.steps
        self._record.captures.append({
            "folder": found.folder.relative_to(self._folder.path).as_posix(),
            "first_step": window.first if window.steps or not window.by_time else None,
            "last_step": window.last or None,
            "complete": complete,
            "started": found.started,
            "seconds": round(found.seconds, 6),
            "bytes": found.size,
            "why": window.why,
            "events_dropped": found.dropped,
            "step_us": window.periods or ([window.only_us] if window.only_us else []),
            "run_meta": None,
            "kept_as": None,
        })  # fmt: skip
        for text in found.told:
            self._warn(f"TensorFlow says of the capture: {text}")
        if self._plan.repeats:
            self._make_room()

    def _make_room(self) -> None:
        captures = self._record.captures
        reasons = kept(captures, self._plan.keep)
        for capture, reason in zip(captures, reasons, strict=True):
            capture["kept_as"] = reason
            if reason is None:
                remove(self._folder.path / capture["folder"])
        self._record.captures = [one for one in captures if one["kept_as"] is not None]
        self._folder.remove_run_metadata(self._record.captures)

    def _try_fewer(self, window: Window, size: int, *, early: bool) -> None:
        """A capture that is larger than allowed is gone; fewer steps may fit."""
        steps = max(1, window.steps)
        fits = int(steps * self._max_bytes / size * _ROOM)
        text = (
            f"the capture of {steps} steps had {size:,} bytes, more than the "
            f"{self._max_bytes:,} allowed, and was not kept"
        )
        if fits < 1 or steps == 1 or early or window.by_time:
            self._failed(f"{text}; a step takes about {size // steps:,}")
            return
        self._bytes_a_step = size / steps
        self._warn(f"{text}; {fits} of the steps to come are captured instead")
        self._schedule.ask(fits)
        self._why = window.why

    def _failed(self, text: str) -> None:
        self._failures += 1
        self._warn(text)
        if self.given_up:
            self._warn(f"{_MOST_FAILURES} captures in a row failed; no more are tried")
