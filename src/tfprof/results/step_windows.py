"""When the steps of a run were, and how that is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.results.fields import ROW_KEY


@frozen_dataclass
class StepWindow:
    """Picoseconds on the clock of the capture.

    From `begin` to `end` its marker was open; its period goes on to `until`, where the next step
    begins. The last step, and one before something that is no step, ends with its marker.
    """

    number: int
    begin: int
    end: int
    until: int

    def later(self, picoseconds: int) -> StepWindow:
        ends = (self.begin, self.end, self.until)
        return StepWindow(self.number, *(at + picoseconds for at in ends))

    @property
    def duration(self) -> int:
        return self.end - self.begin

    @property
    def period(self) -> int:
        return self.until - self.begin


@frozen_dataclass
class Dropped:
    """What looked like a step and is not counted as one."""

    what: Annotated[str, ROW_KEY]
    why: Annotated[str, ROW_KEY]


# rules by which steps end by themselves
_WHOLE = ("run", "input")
_FEW = 5


@frozen_dataclass
class Steps:
    """The steps of one host by time; `rule` is a word, `about` says what marked them.

    `line` is the thread the markers are on, as a row of the lines of `plane`; None where steps
    were not found on a thread.
    """

    rule: str
    about: str
    windows: Sequence[StepWindow]
    dropped: Sequence[Dropped] = ()
    plane: int | None = None
    line: int | None = None

    @property
    def periods(self) -> tuple[int, ...]:
        return tuple(window.period for window in self.windows)

    @property
    def known_periods(self) -> tuple[int, ...]:
        """Of the last step it is not known when the next one began, unless it is the only one."""
        periods = self.periods
        return periods[:-1] if len(periods) > 1 and self.last_is_open else periods

    @property
    def last_is_open(self) -> bool:
        """Whether the period of the last step is not known, only when its marker closed."""
        return self.rule not in _WHOLE

    @property
    def averaged(self) -> slice:
        """The steps an average is made of.

        Of more than a few, the first, in which the profiler was starting, and the last, whose
        period is not known, are left out, as XProf does.
        """
        cut = len(self.windows) > _FEW and self.last_is_open
        return slice(1, -1) if cut else slice(None)
