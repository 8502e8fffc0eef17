"""What the time of steps went to. Times are picoseconds; microseconds in JSON."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Annotated

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.hosts import LeftOut
from tfprof.model.quantity import Quantity
from tfprof.results.between_hosts import BetweenHosts
from tfprof.results.categories import Category
from tfprof.results.fields import IF_KNOWN, INSIDE, ROW_KEY, Key, Micros
from tfprof.results.host_steps import (
    Gap,
    Launches,
    SlowStep,
    Straggler,
    WaitedFor,
)
from tfprof.results.logged_run import LoggedRun
from tfprof.results.recorded_run import CaptureRow, EpochRow, TraceOverhead
from tfprof.results.step_windows import Dropped

Shares = Annotated[Mapping[Category, float], Micros("breakdown")]


@frozen_dataclass
class StepRow:
    """The period of a step goes on to the next one, its marker may close before.

    `tag` is what the run of a session was logged as.
    """

    step: Annotated[int, ROW_KEY]
    period: Annotated[int, Micros("period_us")]
    marker: Annotated[int, Micros("marker_us")]
    breakdown: Annotated[Mapping[Category, int], Micros("breakdown")]
    tag: Annotated[str | None, IF_KNOWN] = None


@frozen_dataclass
class AverageStep:
    """`with_overlaps` is how long each category went on, whatever else did.

    `steps` is of how many steps it is the average.
    """

    period: Annotated[float, Micros("period_us")]
    breakdown: Shares
    with_overlaps: Annotated[Mapping[Category, float], Micros("with_overlaps")]
    events: Mapping[Category, float]
    steps: int


@frozen_dataclass
class Periods:
    """Of the steps whose period is known."""

    median_us: float
    mean_us: float
    min_us: float
    max_us: float
    median_deviation_us: float
    known: Annotated[int, INSIDE]


@frozen_dataclass
class DeviceRow:
    """Times are of an average step: computing, waiting for copies, in collectives and idle add up.

    `busy` is the share in which it computes. Copies and collectives are `exposed` where no kernel
    runs beside them. `waited_for` is what went on while it was idle. `span` is from the first to
    the last kernel of a step, `idle_in_span` how much of that nothing went on.
    `barriers` is of the whole capture: who waits there least comes last. Where there are several
    hosts, their names stand before those of their devices.
    """

    device: Annotated[str, ROW_KEY]
    busy: float | None
    busy_mean: Annotated[float, Micros("busy_us")]
    copy_wait: Annotated[float, Micros("copy_wait_us")]
    collectives: Annotated[float, Micros("collective_us")]
    exposed: Annotated[float, Micros("exposed_us")]
    idle: Annotated[float, Micros("idle_us")]
    waited_for: Annotated[Mapping[WaitedFor, float], Micros("waited_for")]
    copies: Annotated[float, Micros("copies_us")]
    span: Annotated[float, Micros("span_us")]
    idle_in_span: float | None
    barriers: Annotated[int | None, Micros("barrier_us")]
    busy_by_step: Annotated[tuple[int, ...], Micros("busy_us_by_step")]
    breakdown: Shares

    @property
    def waits(self) -> list[tuple[str, float]]:
        """For what it does not compute, in words and in time of an average step: most first."""
        idle = {reason.label: time for reason, time in self.waited_for.items()}
        every = {"copies": self.copy_wait, "collectives": self.exposed, **idle}
        return sorted((one for one in every.items() if one[1] > 0), key=lambda one: -one[1])


class Bound(Enum):
    """What a step can be bound by; the values are the words of people and of JSON."""

    COMPUTE = "compute-bound"
    INPUT = "input-bound"
    LAUNCH = "launch-bound"
    COPIES = "copy-bound"
    COMMUNICATION = "communication-bound"
    HOST = "host-bound"
    COMPILATION = "compilation-bound"
    UNKNOWN = "not recorded"

    @property
    def is_wait(self) -> bool:
        return self not in (Bound.COMPUTE, Bound.UNKNOWN)

    @property
    def what(self) -> str:
        return self.value.removesuffix("-bound")


@frozen_dataclass
class Verdict:
    """What a step is bound by, how much of it that takes; `evidence` are the shares of all."""

    name: Bound
    share: float
    evidence: Mapping[Bound, float]


@frozen_dataclass
class PoolRow:
    """How many of the threads of a pool are busy on average."""

    name: Annotated[str, ROW_KEY]
    threads: int
    busy_threads: float | None


@frozen_dataclass
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


@frozen_dataclass
class HostRow:
    """One host among those of a capture.

    What its devices did in an average step is the mean over them; None where it has none.
    """

    host: Annotated[str, ROW_KEY]
    steps: int
    median: Annotated[float, Micros("median_us")]
    input_bound: Quantity
    breakdown: Shares
    devices: int = 0
    busy_mean: Annotated[float | None, Micros("busy_us")] = None
    copy_wait: Annotated[float | None, Micros("copy_wait_us")] = None
    exposed: Annotated[float | None, Micros("exposed_us")] = None
    idle: Annotated[float | None, Micros("idle_us")] = None


@frozen_dataclass
class Behind:
    """Events of one name: how many took part in a slice, and with how much time of their own.

    Threads and streams work side by side: these times may add up to more than the slice.
    """

    name: Annotated[str, ROW_KEY, Key("event")]
    count: int
    self_ps: Annotated[int, Micros("self_us")]
    longest_ps: Annotated[int, Micros("longest_us")]


@frozen_dataclass
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
    HOSTS = "hosts beside each other"


@frozen_dataclass
class Asked:
    """`step` is the one shown, `slices` what is behind its largest ones, or the one asked for.

    `alone` is whether the other devices are left out.
    """

    look: Look = Look.ALL
    step: int | None = None
    slices: tuple[CategorySlice, ...] = ()
    alone: bool = False


@frozen_dataclass
class StepsResult:
    """Of the first host; `devices`, `launches`, `stragglers` and `hosts` are of all.

    `missing` is what of the devices' work seems not to be in the capture, `read` what there was to
    say about the files, `then` the next question and its command.
    """

    steps: tuple[StepRow, ...]
    average: AverageStep
    period: Periods
    input_bound: Quantity
    verdict: Verdict
    marker_rule: str
    marked_by: str
    dropped: tuple[Dropped, ...]
    slow_steps: tuple[SlowStep, ...]
    devices: tuple[DeviceRow, ...]
    unused_devices: tuple[str, ...]
    host: HostOps
    gaps: tuple[Gap, ...]
    launches: tuple[Launches, ...]
    stragglers: tuple[Straggler, ...]
    hosts: tuple[HostRow, ...]
    left_out: tuple[LeftOut, ...] = ()
    missing: tuple[str, ...] = ()
    between: Annotated[BetweenHosts | None, IF_KNOWN, Key("between_hosts")] = None
    events: Annotated[tuple[Behind, ...] | None, IF_KNOWN] = None
    overhead: Annotated[TraceOverhead | None, IF_KNOWN] = None
    epochs: Annotated[tuple[EpochRow, ...] | None, IF_KNOWN] = None
    logged: Annotated[LoggedRun | None, IF_KNOWN] = None
    captures: Annotated[tuple[CaptureRow, ...] | None, IF_KNOWN] = None
    asked: Annotated[Asked, INSIDE] = Asked()
    read: Annotated[tuple[str, ...], INSIDE] = ()
    then: Annotated[str, INSIDE] = ""

    @property
    def averaged(self) -> tuple[StepRow, ...]:
        """The steps that averages are of: maybe without the first and the last."""
        return self.steps if self.average.steps == len(self.steps) else self.steps[1:-1]

    @property
    def most_input_bound(self) -> Quantity:
        """What the host waits that waits longest for its input."""
        shares = [one.input_bound for one in self.hosts if one.input_bound.known]
        return max(shares, key=lambda one: one.number or 0.0, default=self.input_bound)


@frozen_dataclass
class NoSteps:
    """Nothing marks steps."""

    steps: tuple[StepRow, ...]
    average: None
    period: None
    input_bound: Quantity
    marker_rule: None
    dropped: tuple[Dropped, ...]
    epochs: Annotated[tuple[EpochRow, ...] | None, IF_KNOWN] = None
    logged: Annotated[LoggedRun | None, IF_KNOWN] = None
    captures: Annotated[tuple[CaptureRow, ...] | None, IF_KNOWN] = None
