"""What one host tells about its steps: all that an answer is made of, without the events.

Times are whole picoseconds, and values of steps are kept one by one: what hosts tell can be put
together in any order.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import Enum
from typing import Annotated

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.results.categories import Category
from tfprof.results.fields import INSIDE, ROW_KEY, Key, Micros
from tfprof.results.meetings import HostTraits, Meetings
from tfprof.results.step_windows import Steps

# a value a step
Times = tuple[int, ...]
# a row a step, a column a category
Matrix = tuple[Times, ...]


@frozen_dataclass
class Cause:
    """Events of one label: how many there were and how long they took.

    Threads and streams work side by side: causes may add up to more than the step took longer.
    `telling` is whether the label says what went on, or only where in the runtime.
    """

    what: Annotated[str, ROW_KEY]
    category: Annotated[Category, ROW_KEY]
    count: int
    usual_count: float
    time: Annotated[int, Micros("time_us")]
    usual_time: Annotated[int, Micros("usual_us")]
    longest: Annotated[int, Micros("longest_us")]
    telling: Annotated[bool, INSIDE]

    @property
    def extra(self) -> int:
        return self.time - self.usual_time

    @property
    def single(self) -> bool:
        """Whether one event explains it."""
        return self.longest >= 0.8 * self.extra and self.longest > self.usual_time


@frozen_dataclass
class SlowStep:
    """`grown` are the categories that took longer, the one that grew most first.

    `all_ops` is how many times longer ops took, where no single type is behind it. `causes` is
    None where more steps are slow than are looked into.
    """

    step: Annotated[int, ROW_KEY]
    period: Annotated[int, Micros("period_us")]
    usual: Annotated[int, Micros("usual_us")]
    grown: Annotated[Mapping[Category, int], Micros("grown")]
    all_ops: Annotated[float | None, Key("all_ops_factor")]
    causes: tuple[Cause, ...] | None

    @property
    def extra(self) -> int:
        return self.period - self.usual


@frozen_dataclass
class Did:
    """What went on in a gap, and how much of the gap it covers, 0 to 1."""

    what: Annotated[str, ROW_KEY]
    share: float


@frozen_dataclass
class Gap:
    """`step` is the number of the step with most of it.

    `idle` are all that did nothing then: devices by name, or the host where there is none.
    """

    idle: Annotated[tuple[str, ...], ROW_KEY]
    begin: Annotated[int, ROW_KEY, Micros("begin_us")]
    length: Annotated[int, Micros("length_us")]
    step: int
    meanwhile: tuple[Did, ...]


@frozen_dataclass
class Launches:
    """Whether a device waited for the host to launch its kernels.

    The medians are over kernels whose launch is known: how long one runs, how long after its
    launch began it starts, how far launches are apart. `waited` is, a step, how long the device
    idled while the host launched.
    """

    device: Annotated[str, ROW_KEY]
    launches: int
    bound_steps: int
    kernel: Annotated[int, Micros("median_kernel_us")]
    delay: Annotated[int, Micros("median_delay_us")]
    interval: Annotated[int, Micros("median_interval_us")]
    idle_share: float | None
    waited: Annotated[Times, Micros("waited_us_by_step")]


@frozen_dataclass
class Straggler:
    """A device or host that was behind the others in `steps` of `of_steps`, usually by `behind`.

    Behind is: what it `took` is more than the median of the others by a tenth of the period, and by
    more than three of their deviations (1.48 MAD each).
    """

    kind: Annotated[str, ROW_KEY]
    name: Annotated[str, ROW_KEY]
    took: Annotated[str, Key("measure")]
    steps: int
    of_steps: int
    behind: Annotated[int, Micros("behind_us")]
    share: float
    host: Annotated[str, ROW_KEY, INSIDE] = ""


@frozen_dataclass
class PoolUse:
    """`busy` is the time within steps, summed over the threads."""

    name: str
    threads: int
    busy: int


class WaitedFor(Enum):
    """What went on while a device did nothing; the values are the keys of JSON.

    A launch goes on, too, while work that was sent has not begun.
    """

    INPUT = "input"
    LAUNCH = "launch"
    DEVICE = "another_device"
    HOST = "host"
    UNKNOWN = "not_recorded"

    @property
    def label(self) -> str:
        return self.value.replace("_", " ")


@frozen_dataclass
class DeviceSteps:
    """A device that ran anything. `time` is as if it were the only one.

    `hidden` is what of copies or collectives kernels cover, `active` when anything went on, `span`
    from the first to the last kernel of a step, `span_idle` what of that nothing went on,
    `barriers` what it waited at them in the whole capture; None where that was not recorded.
    """

    name: str
    time: Matrix
    active: Times
    compute: Times
    copies: Times
    copies_hidden: Times
    collectives: Times
    collectives_hidden: Times
    span: Times
    span_idle: Times
    waited: Mapping[WaitedFor, Times]
    barriers: int | None = None


@frozen_dataclass
class HostSteps:
    """The steps of one host with all its devices; `rank` is its place among the hosts.

    `time` counts every instant once, `gross` how long a category went on whatever else did,
    `count` how many of its events began in a step. `ops_recorded` is whether it can be told that
    a step waits, `reads_tf_data` whether threads waited for a dataset. `outside` is when no thread
    and no device recorded anything, which is Python outside TensorFlow, `between` what of that lies
    between the markers of steps; None where threads were not recorded, or not all that there was:
    `missing` says what of the devices' work seems not to be in the capture. `origin_ns` is what
    times count from on the clock of the host; `meetings` and `traits` are to be compared with
    those of others.
    """

    rank: int
    host: str
    steps: Steps
    time: Matrix
    gross: Matrix
    count: Matrix
    ops_recorded: bool
    reads_tf_data: bool
    slow: tuple[SlowStep, ...]
    devices: tuple[DeviceSteps, ...]
    unused: tuple[str, ...]
    model_ops: Times
    input_ops: Times
    any_ops: Times
    pools: tuple[PoolUse, ...]
    gaps: tuple[Gap, ...]
    launches: tuple[Launches, ...]
    stragglers: tuple[Straggler, ...]
    outside: Times | None = None
    between: Times | None = None
    missing: tuple[str, ...] = ()
    origin_ns: int = 0
    meetings: Meetings = Meetings()
    traits: HostTraits = HostTraits()

    def average_of(self, matrix: Matrix) -> dict[Category, float]:
        rows = matrix[self.steps.averaged]
        return {
            category: sum(column) / len(rows)
            for category, column in zip(Category, zip(*rows, strict=True), strict=True)
        }

    def average(self) -> dict[Category, float]:
        return self.average_of(self.time)

    @property
    def input_share(self) -> float | None:
        """What an average step waits of its time; None where ops were not recorded."""
        if not self.ops_recorded:
            return None
        average = self.average()
        # rounded once: from Python 3.12 on, sum() adds otherwise
        return average[Category.INPUT] / max(1, math.fsum(average.values()))
