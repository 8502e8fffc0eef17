"""A history of runs, the newest first: what each is and costs, and whether it got slower."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.quantity import Quantity
from tfprof.results.fields import IF_KNOWN, INSIDE, ROW_KEY

# why nothing is said about the step time of a run
FIRST = "the first of its work"


@frozen_dataclass
class RunRow:
    """`when` is in UTC; `when_from` says who tells it: record, capture, name or file.

    `work` numbers runs that do the same; only those are compared. `change` of the step time is a
    share of `before_us`, that of the `compared` runs since the last change, and lies in `interval`
    95 times of 100. `significant` is None where nothing can be said; `why` tells why, or why the
    run could not be read. `because` is what the step's time went to, less what it went to in the
    run before, by category.
    """

    path: Annotated[str, ROW_KEY]
    when: str | None
    when_from: str | None
    kind: str
    work: int | None
    params: Quantity
    flops: Quantity
    step_us: Quantity
    steps: int
    input_bound: Quantity
    peak_bytes: Quantity
    change: float | None
    significant: bool | None
    interval: tuple[float, float] | None = None
    before_us: float | None = None
    compared: int = 0
    because: Annotated[Mapping[str, float] | None, IF_KNOWN] = None
    state: Annotated[str | None, IF_KNOWN] = None
    why: str | None = None
    unread: Annotated[bool, INSIDE] = False

    @property
    def is_slower(self) -> bool:
        return bool(self.significant and self.change and self.change > 0)

    @property
    def is_faster(self) -> bool:
        return bool(self.significant and self.change and self.change < 0)


@frozen_dataclass
class WorkRow:
    """Runs that do the same work: what tells it, such as parameters, batch and devices.

    `differs` is what told the first of them from the run before.
    """

    work: Annotated[int, ROW_KEY]
    runs: int
    facts: Mapping[str, str]
    differs: Annotated[str | None, IF_KNOWN] = None


@frozen_dataclass
class IndexUse:
    """`known` places were as an index says; `read` were read now, and `written` is where to."""

    known: int
    read: int
    written: tuple[str, ...]


@frozen_dataclass
class LogResult:
    """`left_out` runs were not asked for; they were compared with."""

    runs: tuple[RunRow, ...]
    works: tuple[WorkRow, ...]
    index: IndexUse
    left_out: int = 0
    noise: str | None = None
