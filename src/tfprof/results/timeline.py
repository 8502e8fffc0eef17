"""What ran when: the lanes of a stretch of time, and the chain of executions that decides its end.

Times are microseconds from the first event.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.results.fields import INSIDE, ROW_KEY


@frozen_dataclass
class Window:
    """The stretch that is shown: a step, which was `chosen` if nobody asked for it, or not one."""

    step: int | None
    from_us: float
    to_us: float
    length_us: Annotated[float, INSIDE]
    chosen: Annotated[bool, INSIDE]


@frozen_dataclass
class StepTime:
    step: Annotated[int, ROW_KEY]
    from_us: float
    time_us: float


class NamedPlace(NamedTuple):
    """An event, and where it began and ended, 0 to 1 of the window."""

    begin: float
    end: float
    name: str


@frozen_dataclass
class Lane:
    """`number` tells lanes of one name apart. `busy` is 0 to 1, in many equal stretches.

    What took longest by itself is named, the longest first.
    """

    device: Annotated[str, ROW_KEY]
    thread: Annotated[str, ROW_KEY]
    events: int
    busy_us: float
    number: Annotated[int, INSIDE, ROW_KEY]
    share: Annotated[float, INSIDE]
    busy: Annotated[tuple[float, ...], INSIDE]
    longest: Annotated[tuple[NamedPlace, ...], INSIDE]


@frozen_dataclass
class PathOp:
    """Executions of one kind on the path, and their share of its time."""

    op: Annotated[str, ROW_KEY]
    runs: int
    time_us: float
    share: Annotated[float, INSIDE]


@frozen_dataclass
class PathLink:
    """One execution; `by` tells how the one before it is known, which ended `wait_us` before."""

    name: Annotated[str, ROW_KEY]
    op: str | None
    thread: Annotated[str, ROW_KEY]
    start_us: Annotated[float, ROW_KEY]
    time_us: float
    wait_us: float
    by: str | None


@frozen_dataclass
class CriticalPath:
    """`path` has all executions, or of very many those that took longest."""

    executions: int
    time_us: float
    wait_us: float
    by_data: int
    top: tuple[PathOp, ...]
    path: tuple[PathLink, ...]


@frozen_dataclass
class TimelineResult:
    window: Window
    steps: tuple[StepTime, ...]
    lanes: tuple[Lane, ...]
    critical_path: CriticalPath
