"""What executions of ops took: what one host adds to it, and the rows of all hosts together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Annotated

from tfprof.model.device import DevicePeak
from tfprof.model.hosts import steps_together
from tfprof.model.quantity import Quantity
from tfprof.model.units import MICROS_A_SECOND, as_micros
from tfprof.results.fields import AMONG, INSIDE, ROW_KEY
from tfprof.results.partial import summed
from tfprof.results.sketch import Sketch

_NO_WORK = "the graph does not tell the work of these executions"


@dataclass(frozen=True, slots=True)
class OpTime:
    """Executions under one name; the least, middle and most are of one execution's own time.

    `row` is the name under what the table is about. `op` is the one op type of all of them, None
    where they have several. FLOPs and bytes are those of the executions whose work is known, and so
    are the rates. `step_us` is the own time in an average step, or in all of a run without steps.
    """

    row: Annotated[Mapping[str, str], AMONG]
    name: Annotated[str, ROW_KEY]
    op: Annotated[str | None, ROW_KEY]
    runs: int
    self_us: float
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
    step_us: Annotated[float, INSIDE]


@dataclass(frozen=True, slots=True)
class PeakRates:
    """What the device does in a second at its best."""

    flops: float
    bytes: float


@dataclass(frozen=True, slots=True)
class MeasuredTime:
    """`steps` is None if nothing tells where steps begin."""

    kind: str
    by: str
    steps: int | None
    executions: int
    self_us: float
    pipeline_us: float
    span_us: float
    peak: PeakRates | None
    rows: tuple[OpTime, ...]


@dataclass(frozen=True, slots=True)
class OpWork:
    """FLOPs and bytes of the executions whose work is known, and their own time.

    Of several kernels each does a part of the work, hence fractions: they add up exactly.
    """

    runs: int = 0
    self_ps: int = 0
    flops: Fraction = Fraction(0)
    bytes: Fraction = Fraction(0)
    # how many more have work that nobody knows
    unknown: int = 0

    def merge(self, other: OpWork) -> OpWork:
        return OpWork(
            self.runs + other.runs,
            self.self_ps + other.self_ps,
            self.flops + other.flops,
            self.bytes + other.bytes,
            self.unknown + other.unknown,
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


@dataclass(frozen=True, slots=True)
class OpTimeSums:
    """A row of one host or of several, in picoseconds.

    `op` is "" where nothing tells it, None where there are several. The exact median is known of
    one host; the sketch, which others are added to, only where it was asked for.
    """

    name: Annotated[str, ROW_KEY]
    op: Annotated[str | None, ROW_KEY]
    runs: int
    self_ps: int
    total_ps: int
    min_ps: int
    max_ps: int
    of_steps_ps: int
    work: OpWork = OpWork()
    median_ps: float | None = None
    sketch: Sketch | None = None

    def merge(self, other: OpTimeSums) -> OpTimeSums:
        if self.sketch is None or other.sketch is None:
            raise ValueError("rows of several hosts need the sketches of their times")
        return OpTimeSums(
            self.name,
            self.op if self.op == other.op else None,
            self.runs + other.runs,
            self.self_ps + other.self_ps,
            self.total_ps + other.total_ps,
            min(self.min_ps, other.min_ps),
            max(self.max_ps, other.max_ps),
            self.of_steps_ps + other.of_steps_ps,
            self.work.merge(other.work),
            None,
            self.sketch.merge(other.sketch),
        )

    def finish(self, by: str, steps: int, peak: DevicePeak | None) -> OpTime:
        work = self.work
        rate = work.rate(work.flops)
        return OpTime(
            {by: self.name},
            self.name,
            self.op or None,
            self.runs,
            as_micros(self.self_ps),
            as_micros(self.total_ps),
            as_micros(self.min_ps),
            self._median(),
            as_micros(self.max_ps),
            work.quantity(work.flops),
            work.quantity(work.bytes),
            rate,
            work.rate(work.bytes),
            work.intensity,
            rate / peak.flops if rate is not None and peak is not None else None,
            as_micros(self.of_steps_ps) / max(1, steps),
        )

    def _median(self) -> Quantity:
        if self.median_ps is not None:
            return Quantity.measured(as_micros(self.median_ps))
        middle = self.sketch.median if self.sketch is not None else None
        if middle is None:
            return Quantity.unknown("the times of single executions were not kept")
        return Quantity.estimated(as_micros(middle))


@dataclass(frozen=True, slots=True)
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
        )

    def renamed(self, names: Mapping[str, str]) -> OpTimesPartial:
        """Rows under other names, those that then have one name together."""
        rows = (replace(row, name=names[row.name]) for row in self.rows)
        return replace(self, rows=_merged(rows, self.by))

    def finish(self, device: DevicePeak | None = None) -> MeasuredTime:
        """The row with the most time of its own first; a `device` that is named is the peak."""
        peak = device or self.peak
        rows = sorted(self.rows, key=lambda row: (-row.self_ps, row.name, row.op or ""))
        return MeasuredTime(
            "measured",
            self.by,
            len(self.steps) or None,
            sum(row.runs for row in rows),
            as_micros(sum(row.self_ps for row in rows)),
            as_micros(self.pipeline_ps),
            as_micros(self.last_ps - self.first_ps),
            None if peak is None else PeakRates(peak.flops, peak.bytes),
            tuple(row.finish(self.by, len(self.steps), peak) for row in rows),
        )


def _merged(rows: Iterable[OpTimeSums], by: str) -> tuple[OpTimeSums, ...]:
    """Those of one name together; nodes of one name and several types are several nodes."""
    keyed = (((row.name, (row.op or "") if by == "node" else ""), row) for row in rows)
    return in_order(summed(keyed, OpTimeSums.merge).values())


def in_order(rows: Iterable[OpTimeSums]) -> tuple[OpTimeSums, ...]:
    return tuple(sorted(rows, key=lambda row: (row.name, row.op or "")))
