"""The kernels of devices: what one host adds to their table, and the rows of all hosts together."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.device import short_names, without_part
from tfprof.model.units import as_micros
from tfprof.results.fields import AMONG, IF_KNOWN, INSIDE, ROW_KEY
from tfprof.results.partial import summed


@frozen_dataclass
class Launch:
    """How a kernel is launched; None is what the tracer did not write, or what differs.

    Of several launches `occupancy` is the least. Whether a kernel works on tensor or matrix cores
    is known by its name only: None if that says nothing.
    """

    registers: int | None = None
    shared_bytes: int | None = None
    grid: str | None = None
    block: str | None = None
    occupancy: float | None = None
    uses_tensor_cores: bool | None = False
    could_use_tensor_cores: bool = False

    @property
    def could_do_better(self) -> bool:
        return self.could_use_tensor_cores and self.uses_tensor_cores is False

    def merge(self, other: Launch) -> Launch:
        stated = [one.occupancy for one in (self, other) if one.occupancy is not None]
        return Launch(
            self.registers if self.registers == other.registers else None,
            self.shared_bytes if self.shared_bytes == other.shared_bytes else None,
            self.grid if self.grid == other.grid else None,
            self.block if self.block == other.block else None,
            min(stated, default=None),
            self.uses_tensor_cores if self.uses_tensor_cores == other.uses_tensor_cores else None,
            self.could_use_tensor_cores or other.could_use_tensor_cores,
        )


@frozen_dataclass
class KernelTime:
    """All runs of a kernel for one type of op, on all devices; `kernel` is its full name.

    `total_us` is of the whole run, `device_us` of an average step, as in the other tables of time.
    """

    kernel: Annotated[str, ROW_KEY]
    short_name: str
    op: Annotated[str | None, ROW_KEY]
    devices: tuple[str, ...]
    runs: int
    total_us: float
    min_us: float
    mean_us: float
    max_us: float
    half_us: float
    launch: Annotated[Launch, AMONG]
    is_copy: Annotated[bool, INSIDE]
    device_us: Annotated[float | None, IF_KNOWN] = None


@frozen_dataclass
class KernelSums:
    """The same in picoseconds; devices have their full names. `half_ps` is in 16 bits or fewer."""

    kernel: Annotated[str, ROW_KEY]
    short_name: str
    op: Annotated[str, ROW_KEY]
    devices: frozenset[str]
    runs: int
    total_ps: int
    min_ps: int
    max_ps: int
    half_ps: int
    launch: Launch
    is_copy: bool = False

    @property
    def key(self) -> tuple[str, str]:
        return self.kernel, self.op

    def merge(self, other: KernelSums) -> KernelSums:
        return replace(
            self,
            devices=self.devices | other.devices,
            runs=self.runs + other.runs,
            total_ps=self.total_ps + other.total_ps,
            min_ps=min(self.min_ps, other.min_ps),
            max_ps=max(self.max_ps, other.max_ps),
            half_ps=self.half_ps + other.half_ps,
            launch=self.launch.merge(other.launch),
        )

    def finish(self, devices: tuple[str, ...]) -> KernelTime:
        total = as_micros(self.total_ps)
        return KernelTime(
            self.kernel,
            self.short_name,
            self.op or None,
            devices,
            self.runs,
            total,
            as_micros(self.min_ps),
            total / self.runs,
            as_micros(self.max_ps),
            as_micros(self.half_ps),
            self.launch,
            self.is_copy,
        )


@frozen_dataclass
class KernelsPartial:
    """What a host adds to the table of kernels; the rows are in the order of their keys."""

    rows: tuple[KernelSums, ...] = ()

    def merge(self, other: KernelsPartial) -> KernelsPartial:
        found = summed(((row.key, row) for row in (*self.rows, *other.rows)), KernelSums.merge)
        return KernelsPartial(tuple(found[key] for key in sorted(found)))

    def finish(self) -> tuple[KernelTime, ...]:
        """The one with the most time first."""
        every = {name for row in self.rows for name in row.devices}
        short = {name: without_part(one) for name, one in short_names(sorted(every)).items()}
        rows = sorted(self.rows, key=lambda row: (-row.total_ps, *row.key))
        return tuple(row.finish(tuple(sorted(short[it] for it in row.devices))) for row in rows)
