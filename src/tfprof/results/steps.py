"""What the time of steps went to. Times are picoseconds; microseconds in JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Annotated

from tfprof.model.quantity import Quantity
from tfprof.results.categories import Category
from tfprof.results.fields import IF_KNOWN, INSIDE, ROW_KEY, Key, Micros
from tfprof.results.host_steps import DeviceSteps, Gap, Launches, SlowStep, Straggler
from tfprof.results.step_windows import Dropped

Shares = Annotated[Mapping[Category, float], Micros("breakdown")]


@dataclass(frozen=True, slots=True)
class StepRow:
    """The period of a step goes on to the next one, its marker may close before.

    `tag` is what the run of a session was logged as.
    """

    step: Annotated[int, ROW_KEY]
    period: Annotated[int, Micros("period_us")]
    marker: Annotated[int, Micros("marker_us")]
    breakdown: Annotated[Mapping[Category, int], Micros("breakdown")]
    tag: Annotated[str | None, IF_KNOWN] = None


@dataclass(frozen=True, slots=True)
class AverageStep:
    """`with_overlaps` is how long each category went on, whatever else did.

    `steps` is of how many steps it is the average.
    """

    period: Annotated[float, Micros("period_us")]
    breakdown: Shares
    with_overlaps: Annotated[Mapping[Category, float], Micros("with_overlaps")]
    events: Mapping[Category, float]
    steps: int


@dataclass(frozen=True, slots=True)
class Periods:
    """Of the steps whose period is known."""

    median_us: float
    mean_us: float
    min_us: float
    max_us: float
    median_deviation_us: float
    known: Annotated[int, INSIDE]


@dataclass(frozen=True, slots=True)
class DeviceRow:
    """Times are of an average step; `hidden` is what of them runs beside kernels."""

    busy: float | None
    busy_mean: Annotated[float, Micros("busy_us")]
    kernels: Annotated[float, Micros("kernels_us")]
    copies: Annotated[float, Micros("copies_us")]
    copies_hidden: Annotated[float, Micros("copies_hidden_us")]
    collectives: Annotated[float, Micros("collectives_us")]
    collectives_hidden: Annotated[float, Micros("collectives_hidden_us")]
    busy_by_step: Annotated[tuple[int, ...], Micros("busy_us_by_step")]
    breakdown: Shares
    use: Annotated[DeviceSteps, INSIDE]


@dataclass(frozen=True, slots=True)
class PoolRow:
    """How many of the threads of a pool are busy on average."""

    name: Annotated[str, ROW_KEY]
    threads: int
    busy_threads: float | None


@dataclass(frozen=True, slots=True)
class HostOps:
    """The shares of time in which ops ran on the CPU: of the model, of its input, any.

    `outside` is the time of an average step in which only Python outside TensorFlow can have been
    at work, `between` what of that lies between steps; None where threads were not recorded.
    """

    model_ops: float | None
    input_ops: float | None
    any_ops: float | None
    pools: tuple[PoolRow, ...]
    outside: Annotated[float | None, IF_KNOWN, Micros("outside_us")] = None
    between: Annotated[float | None, IF_KNOWN, Micros("outside_between_steps_us")] = None


@dataclass(frozen=True, slots=True)
class HostRow:
    """One host among those of a capture."""

    host: Annotated[str, ROW_KEY]
    steps: int
    median: Annotated[float, Micros("median_us")]
    input_bound: Quantity
    breakdown: Shares


@dataclass(frozen=True, slots=True)
class Behind:
    """Events of one name: how many took part in a slice, and with how much time of their own.

    Threads and streams work side by side: these times may add up to more than the slice.
    """

    name: Annotated[str, ROW_KEY, Key("event")]
    count: int
    self_ps: Annotated[int, Micros("self_us")]
    longest_ps: Annotated[int, Micros("longest_us")]


@dataclass(frozen=True, slots=True)
class CategorySlice:
    """All that is behind a category in some steps; what took longest first."""

    category: Category
    steps: tuple[int, ...]
    events: tuple[Behind, ...]


class Look(Enum):
    """What of the answer is asked for."""

    ALL = "all steps"
    STEP = "one step"
    EVENTS = "the events behind a category"
    GAPS = "the gaps"


@dataclass(frozen=True, slots=True)
class Asked:
    """`step` is the one shown, `slices` what is behind its largest ones, or the one asked for.

    `alone` is whether the other devices are left out.
    """

    look: Look = Look.ALL
    step: int | None = None
    slices: tuple[CategorySlice, ...] = ()
    alone: bool = False


@dataclass(frozen=True, slots=True)
class StepsResult:
    """Of the first host; `stragglers` and `hosts` are of all.

    `read` is what there was to say about the files, `then` the next question and its command.
    """

    steps: tuple[StepRow, ...]
    average: AverageStep
    period: Periods
    input_bound: Quantity
    marker_rule: str
    marked_by: str
    dropped: tuple[Dropped, ...]
    slow_steps: tuple[SlowStep, ...]
    devices: Mapping[str, DeviceRow]
    unused_devices: tuple[str, ...]
    host: HostOps
    gaps: tuple[Gap, ...]
    launches: tuple[Launches, ...]
    stragglers: tuple[Straggler, ...]
    hosts: tuple[HostRow, ...]
    events: Annotated[tuple[Behind, ...] | None, IF_KNOWN] = None
    asked: Annotated[Asked, INSIDE] = Asked()
    read: Annotated[tuple[str, ...], INSIDE] = ()
    then: Annotated[str, INSIDE] = ""


@dataclass(frozen=True, slots=True)
class NoSteps:
    """Nothing marks steps."""

    steps: tuple[StepRow, ...]
    average: None
    period: None
    input_bound: Quantity
    marker_rule: None
    dropped: tuple[Dropped, ...]
