"""The kernels of GPUs: what one host adds to their table, and the rows of all hosts together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from tfprof.model.device import ALL_STREAMS, short_names
from tfprof.model.units import as_micros
from tfprof.results.fields import AMONG, INSIDE, ROW_KEY
from tfprof.results.partial import summed


@dataclass(frozen=True, slots=True)
class Launch:
    """How a kernel is launched; None is what the tracer did not write."""

    registers: int | None
    shared_bytes: int | None
    grid: str | None
    block: str | None
    occupancy: float | None
    uses_tensor_cores: bool
    could_use_tensor_cores: bool

    @property
    def could_do_better(self) -> bool:
        return self.could_use_tensor_cores and not self.uses_tensor_cores


@dataclass(frozen=True, slots=True)
class KernelTime:
    """Launches that are alike; `details` is what the tracer wrote of them."""

    kernel: Annotated[str, ROW_KEY]
    op: Annotated[str | None, ROW_KEY]
    device: Annotated[str, ROW_KEY]
    runs: int
    total_us: float
    min_us: float
    mean_us: float
    max_us: float
    launch: Annotated[Launch, AMONG]
    details: Annotated[str, ROW_KEY, INSIDE]


@dataclass(frozen=True, slots=True)
class KernelSums:
    """Such launches in picoseconds; the device has its full name."""

    kernel: Annotated[str, ROW_KEY]
    op: Annotated[str, ROW_KEY]
    device: Annotated[str, ROW_KEY]
    details: Annotated[str, ROW_KEY]
    runs: int
    total_ps: int
    min_ps: int
    max_ps: int
    launch: Launch

    @property
    def key(self) -> tuple[str, str, str, str]:
        return self.kernel, self.op, self.device, self.details

    def merge(self, other: KernelSums) -> KernelSums:
        stated = [one.launch.occupancy for one in (self, other)]
        occupancy = max((one for one in stated if one is not None), default=None)
        return replace(
            self,
            runs=self.runs + other.runs,
            total_ps=self.total_ps + other.total_ps,
            min_ps=min(self.min_ps, other.min_ps),
            max_ps=max(self.max_ps, other.max_ps),
            launch=replace(self.launch, occupancy=occupancy),
        )

    def finish(self, device: str) -> KernelTime:
        total = as_micros(self.total_ps)
        return KernelTime(
            self.kernel,
            self.op or None,
            device,
            self.runs,
            total,
            as_micros(self.min_ps),
            total / self.runs,
            as_micros(self.max_ps),
            self.launch,
            self.details,
        )


@dataclass(frozen=True, slots=True)
class KernelsPartial:
    """What a host adds to the table of kernels; the rows are in the order of their keys."""

    rows: tuple[KernelSums, ...] = ()

    def merge(self, other: KernelsPartial) -> KernelsPartial:
        found = summed(((row.key, row) for row in (*self.rows, *other.rows)), KernelSums.merge)
        return KernelsPartial(tuple(found[key] for key in sorted(found)))

    def finish(self) -> tuple[KernelTime, ...]:
        """The one with the most time first."""
        short = short_names(row.device for row in self.rows)
        rows = sorted(self.rows, key=lambda row: (-row.total_ps, *row.key))
        return tuple(row.finish(short[row.device].removesuffix(ALL_STREAMS)) for row in rows)
