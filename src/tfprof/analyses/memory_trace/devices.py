"""The memory of each device in a trace, and its curve."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from tfprof.analyses.memory_trace.session_memory import run_usages
from tfprof.analyses.memory_trace.usage import Usage
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.device import short_names
from tfprof.model.host_work import HostTask
from tfprof.model.hosts import Host, Hosts
from tfprof.model.quantity import Quantity
from tfprof.model.trace import Executions, Trace
from tfprof.wire.distinct import distinct

Ints = npt.NDArray[np.int64]


@frozen_dataclass
class DeviceMemory:
    """One device: a stretch for each run of a session, or one for a whole capture."""

    device: str
    stretches: Sequence[Usage]

    @property
    def highest(self) -> Usage:
        """The stretch with the peak, the first of equals."""
        return max(self.stretches, key=lambda one: one.peak)

    @property
    def peak(self) -> int:
        return self.highest.peak

    @property
    def changes(self) -> int:
        return sum(len(one) for one in self.stretches)


@frozen_dataclass
class UsagePeak:
    """What a summary tells of a stretch of a device; `with_variables`: of a whole allocator."""

    device: str
    peak: int
    measured_peak: Quantity
    with_variables: bool


@frozen_dataclass
class HostPeaks:
    """`names` are those of all devices that a host tells of."""

    usages: tuple[UsagePeak, ...]
    names: tuple[str, ...]


@frozen_dataclass
class DevicePeak:
    device: str
    highest: UsagePeak

    @property
    def peak(self) -> int:
        return self.highest.peak


def peaks_of_hosts(hosts: Hosts) -> list[DevicePeak]:
    """The highest peak of each device, by name."""
    told = hosts.each(PEAKS.key, _host_peaks)
    usages = [one for host in told for one in host.usages]
    names = [name for host in told for name in host.names]
    short = short_names([*names, *(usage.device for usage in usages)])
    found: dict[str, list[UsagePeak]] = {}
    for usage in usages:
        found.setdefault(short[usage.device], []).append(usage)
    return [
        DevicePeak(device, max(some, key=lambda one: one.peak))
        for device, some in sorted(found.items())
    ]


def _host_peaks(host: Host) -> HostPeaks:
    trace = host.trace
    return HostPeaks(
        tuple(
            UsagePeak(one.device, one.peak, one.measured_peak, one.before is not None)
            for one in usages_of(trace)
        ),
        tuple(trace.executions.device.table) if trace.space is None else (),
    )


PEAKS = HostTask("peaks of memory", _host_peaks)


def measured_memory(hosts: Iterable[Host]) -> list[DeviceMemory]:
    """Every device that a host tells the memory of, by name; none where nobody tells anything."""
    usages: list[Usage] = []
    names: list[str] = []
    for trace in (host.trace for host in hosts):
        usages += usages_of(trace)
        names += trace.executions.device.table if trace.space is None else ()
    short = short_names([*names, *(usage.device for usage in usages)])
    found: dict[str, list[Usage]] = {}
    for usage in usages:
        found.setdefault(short[usage.device], []).append(usage)
    return [DeviceMemory(device, stretches) for device, stretches in sorted(found.items())]


def usages_of(trace: Trace) -> Iterator[Usage]:
    if trace.space is None:
        return run_usages(trace)
    from tfprof.analyses.memory_trace.capture_memory import space_usages

    return space_usages(trace.space)


def op_types(hosts: Iterable[Host]) -> dict[str, str]:
    """The type of each op that ran, where a trace tells it."""
    return {name: op for host in hosts for name, op in _types(host.trace.executions).items()}


def _types(rows: Executions) -> dict[str, str]:
    if rows.op is None or not len(rows):
        return {}
    kinds = len(rows.op.table)
    pairs = distinct(rows.node.codes.astype(np.int64) * kinds + rows.op.codes)
    return {rows.node.table[it // kinds]: rows.op.table[it % kinds] for it in pairs.tolist()}


def corners(usage: Usage, most: int) -> tuple[Ints, Ints]:
    """Times and levels; if there are more than `most`, the highest of each part of the time."""
    kept = corner_places(usage, most)
    return usage.times_ns[kept], usage.levels[kept]


def corner_places(usage: Usage, most: int) -> Ints:
    """The places of at most so many levels: how many changes led to each.

    The first and the last stay, and so does the peak.
    """
    times, levels = usage.times_ns, usage.levels
    if len(times) <= most:
        return np.arange(len(times))
    span = int(times[-1] - times[0]) + 1
    box = (times - times[0]) * (most - 2) // span
    order = np.lexsort((np.arange(len(levels)), -levels, box))
    first = np.unique(box[order], return_index=True)[1]
    return distinct(np.concatenate([[0], order[first], [len(times) - 1]]))


def highest_in_boxes(usage: Usage, edges: Ints) -> Ints:
    """The highest level between each two edges, with the one that is there at the start."""
    times, levels = usage.time_ns, usage.levels
    first = np.searchsorted(times, edges[:-1], side="right")
    last = np.searchsorted(times, edges[1:], side="right")
    held = levels[first]
    # the highest of the levels first+1..last of each box; boxes without a change hold theirs
    changed = np.flatnonzero(last > first)
    highest = held.copy()
    if len(changed):
        bounds = np.stack([first[changed] + 1, last[changed] + 1], axis=1).ravel()
        padded = np.append(levels, levels[-1])
        inside = np.maximum.reduceat(padded, bounds)[::2]
        highest[changed] = np.maximum(held[changed], inside)
    return highest


def span_ns(usages: Iterable[Usage]) -> tuple[int, int]:
    """From the first to the last change of all."""
    some = list(usages)
    return min(int(u.time_ns[0]) for u in some), max(int(u.time_ns[-1]) for u in some)
