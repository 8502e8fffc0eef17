"""What the log of a program tells of the whole run: its rate, what tracing and saving cost, loss.

Times are microseconds, by the clock on the wall.
"""

from __future__ import annotations

from typing import Annotated

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.quantity import Quantity
from tfprof.results.fields import IF_KNOWN


@frozen_dataclass
class LoggedTracing:
    """A step in stretches of the log in which steps were traced, and in those without."""

    traced_us: float
    untraced_us: float
    share: Quantity
    stretches: int


@frozen_dataclass
class LoggedSaving:
    """How much longer a stretch of the log takes in which a checkpoint was saved."""

    each_us: Quantity
    checkpoints: int


@frozen_dataclass
class LoggedLoss:
    """None for a value that is not a finite number."""

    tag: str
    first: float | None
    last: float | None
    first_step: int
    last_step: int


@frozen_dataclass
class LoggedRun:
    """`counts` is what a step of the log is: a step, or an epoch; `found_by` is the tag.

    `sessions` is how many times the program was started, by its event files.
    """

    counts: str
    found_by: str
    per_second: Quantity
    median_us: float
    first_step: int
    last_step: int
    time_us: float
    sessions: int
    tracing: Annotated[LoggedTracing | None, IF_KNOWN] = None
    saving: Annotated[LoggedSaving | None, IF_KNOWN] = None
    loss: Annotated[LoggedLoss | None, IF_KNOWN] = None
