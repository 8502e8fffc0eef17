"""Which steps of a run are captured. Steps count from 1; nothing here knows TensorFlow."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from tfprof.errors import UsageError
from tfprof.frozen_dataclass import frozen_dataclass

WARM_UP: Final = 2
LENGTH: Final = 5
KEEP: Final = 3
MIB: Final = 1 << 20
MAX_BYTES: Final = 256 * MIB
# a program that traces functions in every step is captured all the same
_PATIENCE: Final = 20
_STEPS_HINT: Final = (
    "Steps count from 1: 10..14 are five of them, 10 is one; in Python also (10, 14)."
)
_RANGE: Final = re.compile(r"\s*(\d{1,15})\s*(?:\.\.\s*(\d{1,15})\s*)?")
_SIZE: Final = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kKMGT]?)(i?)[bB]?\s*")
_DECIMAL: Final = {"": 1, "k": 1000, "K": 1000, "M": 1000**2, "G": 1000**3, "T": 1000**4}


@frozen_dataclass
class Plan:
    """What is captured.

    `steps` are the first and the last; else `length` steps after the warm-up. `every` repeats that
    each so many steps, and keeps the newest `keep` captures and the slowest. With a `duration` time
    decides instead of steps. `delay` waits first, in seconds from the start. `kinds` are the kinds
    of step that count.
    """

    steps: tuple[int, int] | None = None
    every: int | None = None
    delay: float | None = None
    duration: float | None = None
    warm_up: int = WARM_UP
    length: int = LENGTH
    keep: int = KEEP
    evaluation: bool = False  # evaluate and predict count as well
    enabled: bool = True  # False: steps are counted, and captured only when somebody asks
    repeated: bool = False  # somebody asks again and again: few captures are kept

    def __post_init__(self) -> None:
        if self.steps is not None and not 1 <= self.steps[0] <= self.steps[1]:
            first, last = self.steps
            raise UsageError(f"there are no steps {first} to {last}", hint=_STEPS_HINT)
        if self.every is not None and self.every < 2:
            raise UsageError(
                f"a capture each {self.every} steps leaves no step between two",
                hint="Every 1000 captures some steps of each thousand.",
            )
        if self.every is not None and self.steps is not None and self.window >= self.every:
            raise UsageError(
                f"{self.window} steps each {self.every} steps leave no step between two captures",
                hint="Give fewer steps, or a larger every.",
            )
        for name, value in (("delay", self.delay), ("duration", self.duration)):
            if value is not None and not 0 <= value < 1e9:
                raise UsageError(f"{name} cannot be {value:g} seconds")
        if self.duration == 0:
            raise UsageError("a duration of 0 seconds captures nothing")
        if self.duration is not None and (self.steps or self.every):
            raise UsageError(
                "steps and a duration exclude each other",
                hint="A duration is for programs without steps.",
            )
        if self.keep < 1 or self.length < 1 or self.warm_up < 0:
            raise UsageError("at least one capture of one step is kept")

    @property
    def window(self) -> int:
        """How many steps a capture has."""
        if self.steps is not None:
            return self.steps[1] - self.steps[0] + 1
        return self.length if self.every is None else min(self.length, self.every - 1)

    @property
    def by_time(self) -> bool:
        return self.duration is not None

    @property
    def repeats(self) -> bool:
        return self.every is not None or self.repeated


@dataclass(slots=True)
class Schedule:
    """The plan while it runs: asked before each step, told after it.

    `start` is the number of the last step before this process began: the warm-up begins anew with
    each process, since functions are traced anew.
    """

    plan: Plan
    start: int = 0
    _here: int = 0
    _traced_in_a_row: int = 0
    _calm: bool = False
    _due: int | None = field(init=False, default=None)
    # how many steps somebody asked for beside the plan
    _asked: int | None = None

    def __post_init__(self) -> None:
        self._due = self._first_due()

    def watches_tracing(self, step: int) -> bool:
        """Whether it matters if this step traces a function: a capture is about to begin."""
        if self._due is None or self.plan.steps is not None:
            return False
        return self.warming or step >= self._due - 1

    def begins(self, step: int, count: int = 1) -> bool:
        """Whether a capture begins with this step; `count` steps go at once."""
        if self._asked is not None:
            return True
        if self._due is None or step + count - 1 < self._due:
            return False
        if self.plan.steps is not None:
            return self.plan.every is not None or step <= self.plan.steps[1]
        return not self.warming and (self._calm or self.traces_on)

    def until(self, step: int, most: int | None = None, count: int = 1) -> int:
        """The last step of a capture that begins with `step`, of `most` steps at most.

        Where `count` steps go at once, two such rounds at least: a period is between two.
        """
        length = self._asked or self.plan.window
        if self.plan.steps is None and count > 1:
            length = max(length, 2 * count)
        if self._asked is None and self.plan.steps is not None and self.plan.every is None:
            length = self.plan.steps[1] - step + 1
        return step + max(1, min(length, most or length)) - 1

    def captured(self, last: int) -> None:
        """A capture ended with step `last`."""
        asked, self._asked = self._asked, None
        if asked is None:
            self._due = self._after(last)

    def ask(self, steps: int) -> None:
        """A capture of so many steps begins with the next one, whatever the plan says."""
        self._asked = steps

    def passed(self, *, traced: bool) -> None:
        """A step went by."""
        self._here += 1
        self._calm = not traced
        self._traced_in_a_row = self._traced_in_a_row + 1 if traced else 0

    @property
    def warming(self) -> bool:
        """Whether the steps so far say nothing about the steps to come."""
        return self._here < self.plan.warm_up

    @property
    def traces_on(self) -> bool:
        """A capture begins although every step so far has traced a function."""
        return self._traced_in_a_row >= _PATIENCE

    @property
    def waits_for(self) -> int | None:
        """The step that the next capture begins with at the earliest."""
        return self._due

    def _first_due(self) -> int | None:
        if self.plan.by_time or not self.plan.enabled:
            return None
        if self.plan.steps is not None and self.start < self.plan.steps[1]:
            return max(self.plan.steps[0], self.start + 1)
        if self.plan.every is not None and self.start:
            return self._after(self.start)
        return None if self.plan.steps is not None else self.start + self.plan.warm_up + 1

    def _after(self, step: int) -> int | None:
        every = self.plan.every
        if every is None:
            return None
        offset = self.plan.steps[0] % every if self.plan.steps else 0
        return (step - offset) // every * every + every + offset


def plan_of(
    steps: object = None,
    every: object = None,
    *,
    delay: float | None = None,
    duration: float | None = None,
    keep: object = KEEP,
    evaluation: bool = False,
) -> Plan:
    """A plan from what a user wrote; a slip is told here, not hours later."""
    return Plan(
        steps=steps_of(steps),
        every=None if every is None else _whole("every", every),
        delay=delay,
        duration=duration,
        keep=_whole("keep", keep),
        evaluation=evaluation,
    )


def steps_of(given: object) -> tuple[int, int] | None:
    """First and last step from `(10, 14)`, `range(10, 15)`, `10` or `"10..14"`."""
    if given is None:
        return None
    first: object
    last: object
    if isinstance(given, str):
        found = _RANGE.fullmatch(given)
        if found is None:
            raise UsageError(f"steps cannot be {given!r}", hint=_STEPS_HINT)
        first, last = int(found[1]), int(found[2] or found[1])
    elif isinstance(given, range):
        if not given or given.step != 1:
            raise UsageError(f"{given} is no row of steps", hint=_STEPS_HINT)
        first, last = given[0], given[-1]
    elif isinstance(given, tuple | list) and len(given) == 2:
        first, last = given
    else:
        first = last = given
    try:
        return _whole("steps", first), _whole("steps", last)
    except UsageError:
        raise UsageError(f"steps cannot be {given!r}", hint=_STEPS_HINT) from None


def first_of(given: object) -> int:
    """The number of the first step of a program that goes on where another one ended."""
    first = _whole("first_step", given)
    if first < 1:
        raise UsageError(f"steps count from 1: {first} is none")
    return first


def _whole(name: str, given: object) -> int:
    try:
        value = given.__index__()  # type: ignore[attr-defined]
    except (AttributeError, TypeError):
        value = None
    if isinstance(given, bool) or not isinstance(value, int):
        raise UsageError(f"{name} is a whole number, not {given!r}")
    return value


def size_of(given: object) -> int:
    """Bytes from a number or from `256MB`, `1.5GiB`."""
    if isinstance(given, str):
        found = _SIZE.fullmatch(given)
        if found is None or (found[3] and not found[2]):
            raise UsageError(f"{given!r} is no size", hint="Sizes are written 256MB or 1GiB.")
        scale = _DECIMAL[found[2]]
        if found[3]:
            scale = 1 << 10 * "KMGT".index(found[2].upper()) + 10
        given = int(float(found[1]) * scale)
    value = _whole("max_size", given)
    if value < 1:
        raise UsageError(
            f"a capture cannot be of {value} bytes", hint="Sizes are written 256MB or 1GiB."
        )
    return value
