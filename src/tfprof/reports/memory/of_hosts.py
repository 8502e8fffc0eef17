"""The memory that several hosts took: each tells of its devices, then of a time that all have."""

from __future__ import annotations

from dataclasses import replace

from tfprof.analyses.graph.node_types import executed_types
from tfprof.analyses.memory_trace.devices import DeviceMemory, op_types, span_ns, usages_of
from tfprof.analyses.memory_trace.over_time import Boxes
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.device import short_names
from tfprof.model.host_work import HostTask
from tfprof.model.hosts import Host
from tfprof.model.profile import ProfileData
from tfprof.reports.memory.measured import answer_of, device_told
from tfprof.results.answered import Answered
from tfprof.results.memory_trace import MeasuredDevice, MeasuredMemory


@frozen_dataclass
class _HostDevice:
    """A device by its full name, and when its first and its last change was, in nanoseconds."""

    name: str
    told: MeasuredDevice
    first: int
    last: int
    large_blocks_only: bool


def measured_on_hosts(data: ProfileData) -> Answered[MeasuredMemory] | None:
    """None where nobody tells anything."""
    hosts = data.hosts
    told = [one for some in hosts.each(MEMORY.key, _memory_of) for one in some]
    if not told:
        return None
    boxes = Boxes.between(min(one.first for one in told), max(one.last for one in told))
    levels = {
        name: some
        for one in hosts.each(f"memory from {boxes.first} to {boxes.last}", _levels_of, boxes)
        for name, some in one.items()
    }
    short, types = short_names([one.name for one in told]), executed_types(data)
    devices = {
        short[one.name]: replace(
            one.told,
            levels=levels[one.name],
            live_at_peak=tuple(
                replace(block, op=types.get(block.name or "", block.op))
                for block in one.told.live_at_peak
            ),
        )
        for one in told
    }
    partial = any(one.large_blocks_only for one in told)
    return answer_of(data, dict(sorted(devices.items())), boxes.points, partial=partial)


def _memory_of(host: Host) -> tuple[_HostDevice, ...]:
    types = op_types([host])
    return tuple(
        _HostDevice(
            one.device,
            device_told(DeviceMemory(one.device, [one]), types),
            *span_ns([one]),
            one.tells_large_blocks_only,
        )
        for one in usages_of(host.trace)
    )


MEMORY = HostTask("memory", _memory_of)


def _levels_of(host: Host, boxes: Boxes) -> dict[str, tuple[int, ...]]:
    return {one.device: boxes.levels(one) for one in usages_of(host.trace)}
