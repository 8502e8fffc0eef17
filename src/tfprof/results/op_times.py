"""What executions of ops took: what one host adds to it, and the rows of all hosts together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from fractions import Fraction
from typing import Annotated

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.device import DevicePeak
from tfprof.model.hosts import steps_together
from tfprof.model.merging import merged
from tfprof.model.quantity import Quantity
from tfprof.model.units import MICROS_A_SECOND, as_micros
from tfprof.results.fields import AMONG, IF_KNOWN, INSIDE, ROW_KEY
from tfprof.results.partial import summed
from tfprof.results.sketch import Sketch

_NO_WORK = "the graph does not tell the work of these executions"


@frozen_dataclass
class OpTime:
    """Executions under one name; the least, middle and most are of one execution's own time.

    `row` is the name under what the table is about. `op` is the one op type of all of them, None
    where they have several. FLOPs and bytes are those of the executions whose work is known, and so
    are the rates. `step_us` is the own time in an average step, or in all of a run without steps.

    Where a device was recorded, all of it is of what ran there, and the time in an average step is
    `device_us`; of that, `copy_us` are copies, which go on beside the kernels. `device_min_us` and
    `device_max_us` are those of the device with the least of it and with the most. `host_us` is
    what threads of hosts took in a step by themselves: of an op of a device, to launch it.
    """

    row: Annotated[Mapping[str, str], AMONG]
    name: Annotated[str, ROW_KEY]
    op: Annotated[str | None, ROW_KEY]
    runs: int
    self_us: float
    device_us: float | None
    host_us: float
    copy_us: float | None
    device_min_us: float | None
    device_max_us: float | None
    total_us: float
    min_us: float
    median_us: Quantity
    max_us: float
    flops: Quantity
    bytes: Quantity
    flops_per_second: float | None
    bytes_per_second: float | None
    intensity: float | None
    peak_share: float | None
    bandwidth_share: float | None
    step_us: Annotated[float, INSIDE]
    # of `self_us`, what copies took; and executions of whose work nobody knows how much it is
    own_copies_us: Annotated[float, INSIDE]
    own_unknown_us: Annotated[float, INSIDE] = 0.0


@frozen_dataclass
class PeakRates:
    """What the device does in a second at its best."""

    flops: float
    bytes: float
    device: str


@frozen_dataclass
class MeasuredTime:
    """`steps` is None if nothing tells where steps begin, `device_us` if no device was recorded.

    That and `host_us` are of an average step, as in the rows; `self_us` is of all of the run.
    `copy_us` is a part of `device_us`; `devices` are those that did something. `pipeline_us` is
    what of `self_us` the input pipeline took, with what its iterators wait. `work_unknown_us` is
    what of `self_us` a device computed nobody knows how much; all rates are of the rest.
    """

    kind: str
    by: str
    steps: int | None
    executions: int
    self_us: float
    device_us: float | None
    host_us: float
    copy_us: float | None
    devices: int
    pipeline_us: float
    span_us: float
    peak: PeakRates | None
    rows: tuple[OpTime, ...]
    work_unknown_us: Annotated[float | None, IF_KNOWN] = None


@frozen_dataclass
class OpWork:
    """FLOPs and bytes of the executions whose work is known, and their own time.

    Of several kernels each does a part of the work, hence fractions: they add up exactly.
    """

    runs: int = 0
    self_ps: int = 0
    flops: Fraction = Fraction(0)
    bytes: Fraction = Fraction(0)
    # how many more have work that nobody knows, and their own time
    unknown: int = 0
    unknown_ps: int = 0

    def merge(self, other: OpWork) -> OpWork:
        return OpWork(
            self.runs + other.runs,
            self.self_ps + other.self_ps,
            self.flops + other.flops,
            self.bytes + other.bytes,
            self.unknown + other.unknown,
            self.unknown_ps + other.unknown_ps,
        )

    def quantity(self, amount: Fraction) -> Quantity:
        if not self.runs:
            return Quantity.unknown(_NO_WORK)
        if self.unknown:
            return Quantity.at_least(float(amount), f"{_NO_WORK}: {self.unknown:,}")
        return Quantity.derived(float(amount))

    def rate(self, amount: Fraction) -> float | None:
        """In a second."""
        if not self.runs or not self.self_ps:
            return None
        return float(amount) / as_micros(self.self_ps) * MICROS_A_SECOND

    @property
    def intensity(self) -> float | None:
        """FLOPs by byte moved: low is bound by memory, high by arithmetic."""
        return float(self.flops) / float(self.bytes) if self.runs and self.bytes else None


@frozen_dataclass
class OverDevices:
    """What a row took in steps on the device with the least of it, and on the one with the most."""

    least_ps: int
    most_ps: int

    def merge(self, other: OverDevices) -> OverDevices:
        return OverDevices(min(self.least_ps, other.least_ps), max(self.most_ps, other.most_ps))


@frozen_dataclass
class TimeSums:
    """Executions on one side, threads of hosts or devices, in picoseconds.

    The exact median is known of one host; the sketch, which others are added to, only where it was
    asked for.
    """

    runs: int = 0
    self_ps: int = 0
    total_ps: int = 0
    min_ps: int = 0
    max_ps: int = 0
    of_steps_ps: int = 0
    work: OpWork = OpWork()
    median_ps: float | None = 0.0
    sketch: Sketch | None = None
    copy_ps: int = 0
    copy_of_steps_ps: int = 0
    devices: OverDevices | None = None

    def merge(self, other: TimeSums) -> TimeSums:
        if self.sketch is None or other.sketch is None:
            raise ValueError("rows of several hosts need the sketches of their times")
        spread = [one.devices for one in (self, other) if one.devices is not None]
        return TimeSums(
            self.runs + other.runs,
            self.self_ps + other.self_ps,
            self.total_ps + other.total_ps,
            min(self.min_ps, other.min_ps),
            max(self.max_ps, other.max_ps),
            self.of_steps_ps + other.of_steps_ps,
            self.work.merge(other.work),
            None,
            self.sketch.merge(other.sketch),
            self.copy_ps + other.copy_ps,
            self.copy_of_steps_ps + other.copy_of_steps_ps,
            merged(spread) if spread else None,
        )

    @property
    def median(self) -> Quantity:
        if self.median_ps is not None:
            return Quantity.measured(as_micros(self.median_ps))
        middle = self.sketch.median if self.sketch is not None else None
        if middle is None:
            return Quantity.unknown("the times of single executions were not kept")
        return Quantity.estimated(as_micros(middle))


_NOTHING = TimeSums()


@frozen_dataclass
class OpTimeSums:
    """A row of one host or of several: what threads took, and what devices did; None is nothing.

    `op` is "" where nothing tells it, None where there are several.
    """

    name: Annotated[str, ROW_KEY]
    op: Annotated[str | None, ROW_KEY]
    host: TimeSums | None
    device: TimeSums | None = None

    def merge(self, other: OpTimeSums) -> OpTimeSums:
        return OpTimeSums(
            self.name,
            self.op if self.op == other.op else None,
            _both(self.host, other.host),
            _both(self.device, other.device),
        )

    def side(self, *, on_device: bool) -> TimeSums:
        return (self.device if on_device else self.host) or _NOTHING

    @property
    def own(self) -> TimeSums:
        """What it is in a table of its own: of the device if it ran on one."""
        return self.side(on_device=self.device is not None)

    def finish(
        self, by: str, steps: int, peak: DevicePeak | None, *, on_device: bool | None = None
    ) -> OpTime:
        on_device = self.device is not None if on_device is None else on_device
        own, host = self.side(on_device=on_device), self.host or _NOTHING
        work = own.work
        rate, moved = work.rate(work.flops), work.rate(work.bytes)
        spread = own.devices if on_device else None
        count = max(1, steps)

        def a_step(picoseconds: int) -> float:
            return as_micros(picoseconds) / count

        return OpTime(
            {by: self.name},
            self.name,
            self.op or None,
            own.runs if own.runs or not on_device else host.runs,
            as_micros(own.self_ps),
            a_step(own.of_steps_ps) if on_device else None,
            a_step(host.of_steps_ps),
            a_step(own.copy_of_steps_ps) if on_device else None,
            a_step(spread.least_ps) if spread is not None else None,
            a_step(spread.most_ps) if spread is not None else None,
            as_micros(own.total_ps),
            as_micros(own.min_ps),
            own.median,
            as_micros(own.max_ps),
            work.quantity(work.flops),
            work.quantity(work.bytes),
            rate,
            moved,
            work.intensity,
            rate / peak.flops if rate is not None and peak is not None else None,
            moved / peak.bytes if moved is not None and peak is not None else None,
            a_step(own.of_steps_ps),
            as_micros(own.copy_ps),
            as_micros(work.unknown_ps),
        )


def _known(picoseconds: int) -> float | None:
    return as_micros(picoseconds) if picoseconds else None


def _both(one: TimeSums | None, other: TimeSums | None) -> TimeSums | None:
    return one.merge(other) if one is not None and other is not None else one or other


@frozen_dataclass
class OpTimesPartial:
    """What a host adds to the table of op times; the rows are in the order of their names.

    `first_ps` and `last_ps` are by a clock that hosts share, 0 if nothing ran. `peak` is what a
    device states of itself. Hosts take their steps together. `devices` are all that were met, and
    `threads` how many each host has, by its rank: these decide what rows are called in the end.
    """

    by: str
    rows: tuple[OpTimeSums, ...]
    steps: tuple[int, ...]
    pipeline_ps: int
    first_ps: int
    last_ps: int
    peak: DevicePeak | None = None
    devices: frozenset[str] = frozenset()
    threads: Mapping[int, int] = field(default_factory=dict)
    # those of the devices that are none of a host, and did something
    working: frozenset[str] = frozenset()

    def merge(self, other: OpTimesPartial) -> OpTimesPartial:
        both = (self, other)
        ran = [one for one in both if one.rows]
        peaks = [one.peak for one in both if one.peak is not None]
        return OpTimesPartial(
            self.by,
            _merged((*self.rows, *other.rows), self.by),
            steps_together(self.steps, other.steps),
            self.pipeline_ps + other.pipeline_ps,
            min((one.first_ps for one in ran), default=0),
            max((one.last_ps for one in ran), default=0),
            max(peaks, key=lambda one: (one.flops, one.bytes, one.name), default=None),
            self.devices | other.devices,
            {**self.threads, **other.threads},
            self.working | other.working,
        )

    def counted_by(self, numbers: tuple[int, ...], _: tuple[int, ...]) -> OpTimesPartial:
        """By the steps that all hosts took together."""
        return replace(self, steps=numbers)

    def renamed(self, names: Mapping[str, str]) -> OpTimesPartial:
        """Rows under other names, those that then have one name together."""
        rows = (replace(row, name=names[row.name]) for row in self.rows)
        return replace(self, rows=_merged(rows, self.by))

    @property
    def has_device(self) -> bool:
        return any(row.device is not None for row in self.rows)

    def finish(self, device: DevicePeak | None = None) -> MeasuredTime:
        """The row with the most time of its own first; a `device` that is named is the peak."""
        peak, on_device = device or self.peak, self.has_device
        sides = [(row, row.side(on_device=on_device), row.host or _NOTHING) for row in self.rows]
        sides.sort(key=lambda one: (-one[1].self_ps, -one[2].self_ps, one[0].name, one[0].op or ""))
        count = max(1, len(self.steps))
        own = as_micros(sum(side.self_ps for _, side, _ in sides))
        of_steps = as_micros(sum(side.of_steps_ps for _, side, _ in sides)) / count
        copies = as_micros(sum(side.copy_of_steps_ps for _, side, _ in sides)) / count
        return MeasuredTime(
            "measured",
            self.by,
            len(self.steps) or None,
            sum(side.runs for _, side, _ in sides),
            own,
            of_steps if on_device else None,
            as_micros(sum(host.of_steps_ps for _, _, host in sides)) / count,
            copies if on_device else None,
            len(self.working),
            as_micros(self.pipeline_ps),
            as_micros(self.last_ps - self.first_ps),
            None if peak is None else PeakRates(peak.flops, peak.bytes, peak.name),
            tuple(
                row.finish(self.by, len(self.steps), peak, on_device=on_device)
                for row, _, _ in sides
            ),
            _known(sum(side.work.unknown_ps for _, side, _ in sides)) if on_device else None,
        )


def _merged(rows: Iterable[OpTimeSums], by: str) -> tuple[OpTimeSums, ...]:
    """Those of one name together; nodes of one name and several types are several nodes."""
    keyed = (((row.name, (row.op or "") if by == "node" else ""), row) for row in rows)
    return in_order(summed(keyed, OpTimeSums.merge).values())


def in_order(rows: Iterable[OpTimeSums]) -> tuple[OpTimeSums, ...]:
    return tuple(sorted(rows, key=lambda row: (row.name, row.op or "")))
