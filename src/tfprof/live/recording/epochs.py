"""Where did my epoch go: data, step, callbacks, validation, checkpoint, and Keras itself.

An instant belongs to one part. Waiting for data happens inside the step, out of sight of Python:
its share is that of the steps that were captured.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Final

from tfprof.frozen_dataclass import frozen_dataclass

STEP: Final = "step"
CALLBACKS: Final = "callbacks"
VALIDATION: Final = "validation"
CHECKPOINT: Final = "checkpoint"
OURS: Final = "tfprof"
_REST: Final = "Keras itself"
# whatever happens inside these belongs to them
_WHOLE: Final = frozenset({VALIDATION, CHECKPOINT})
_MUCH: Final = 5


@frozen_dataclass
class Epoch:
    """Seconds of one epoch by part; `who` are the callbacks by name."""

    number: int
    seconds: float
    parts: dict[str, float]
    who: dict[str, float]
    input_share: float | None = None
    took: tuple[float, ...] = ()  # each step

    @property
    def data_s(self) -> float | None:
        """By an ordinary step: the first is long because functions are traced, not for data."""
        if self.input_share is None or not self.took:
            return None
        return median(self.took) * len(self.took) * self.input_share

    @property
    def step_s(self) -> float:
        return self.parts.get(STEP, 0.0) - (self.data_s or 0.0)

    def as_json(self) -> dict[str, Any]:
        known = {part: round(self.parts.get(part, 0.0), 6) for part in (CALLBACKS, *_WHOLE)}
        data = self.data_s
        return {
            "epoch": self.number,
            "seconds": round(self.seconds, 6),
            "data_s": None if data is None else round(data, 6),
            "step_s": round(self.step_s, 6),
            "callbacks_s": known[CALLBACKS],
            "validation_s": known[VALIDATION],
            "checkpoint_s": known[CHECKPOINT],
        }

    def text(self) -> str:
        """A line a part, the largest first."""
        rows = [(STEP, self.step_s, self._about_steps())]
        if self.data_s is not None:
            rows.append(("data", self.data_s, "by the steps that were captured"))
        parts = (VALIDATION, CHECKPOINT, OURS)
        rows += [(part, self.parts.get(part, 0.0), "") for part in parts]
        rows.append((CALLBACKS, self.parts.get(CALLBACKS, 0.0), self._most_costly()))
        known = sum(seconds for _, seconds, _ in rows)
        rows.append((_REST, max(0.0, self.seconds - known), ""))
        rows.sort(key=lambda row: -row[1])
        lines = [f"epoch {self.number} took {self.seconds:.3g} s:"]
        for name, seconds, remark in rows:
            share = seconds / self.seconds if self.seconds else 0.0
            line = f"  {name:<13}{seconds:>9.3f} s {share:>6.1%}  {remark}"
            lines += [line.rstrip()] if seconds or name in (STEP, "data") else []
        return "\n".join(lines)

    def _about_steps(self) -> str:
        if self.data_s is None:
            return "waiting for data is in it"
        longest = max(self.took)
        if longest < _MUCH * median(self.took) or longest < _MUCH * self.seconds / 100:
            return ""
        return f"one of {longest:.3g} s, when functions are traced and compiled"

    def _most_costly(self) -> str:
        return ", ".join(f"{name} {seconds:.3g} s" for name, seconds in _largest(self.who))


def _largest(who: dict[str, float]) -> list[tuple[str, float]]:
    return [(name, seconds) for name, seconds in Counter(who).most_common(3) if seconds >= 1e-3]


@dataclass(slots=True)
class EpochClock:
    """Told what begins and ends on the thread that trains; other threads are passed over."""

    clock: Callable[[], float] = time.perf_counter
    _number: int | None = None
    _began: float = 0.0
    _since: float = 0.0
    _thread: int = 0
    _stack: list[tuple[str, str]] = field(default_factory=list)
    _parts: dict[str, float] = field(default_factory=dict)
    _who: dict[str, float] = field(default_factory=dict)
    _took: list[float] = field(default_factory=list)

    def begin(self, number: int) -> None:
        self._number = number
        self._began = self._since = self.clock()
        self._thread = threading.get_ident()
        # what began before the epoch goes on in it
        self._parts, self._who, self._took = {}, {}, []

    def end(self) -> Epoch | None:
        """The epoch that ends now; None if none began."""
        if self._number is None:
            return None
        now = self._settle()
        seconds = now - self._began
        found = Epoch(self._number, seconds, self._parts, self._who, took=tuple(self._took))
        self._number = None
        return found

    @contextmanager
    def part(self, name: str, who: str = "") -> Iterator[None]:
        if threading.get_ident() != self._thread and self._thread:
            yield
            return
        began = self._settle()
        outer = self._stack[-1] if self._stack else None
        self._stack.append(outer if outer is not None and outer[0] in _WHOLE else (name, who))
        try:
            yield
        finally:
            ended = self._settle()
            self._stack.pop()
            if name == STEP:
                self._took.append(ended - began)

    def _settle(self) -> float:
        """The time since the last change goes to what goes on."""
        now = self.clock()
        if self._number is not None:
            name, who = self._stack[-1] if self._stack else (_REST, "")
            self._parts[name] = self._parts.get(name, 0.0) + now - self._since
            if who:
                self._who[who] = self._who.get(who, 0.0) + now - self._since
        self._since = now
        return now
