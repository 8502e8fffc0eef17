"""What a host is: versions, devices, which ops ran where; to tell which host is unlike others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tfprof.analyses.overlap.device_nodes import device_nodes
from tfprof.analyses.runtime.device_kinds import device_kind, versions_of
from tfprof.model.device import DeviceSpec, is_part, without_part
from tfprof.model.op_names import OpKind, op_name
from tfprof.model.xspace import HOST_THREADS, PROGRAMS, Plane, Space
from tfprof.results.meetings import HostTraits

_CPU = "CPU"
# of a host: types of ops on a kind of device, and programs; a model has fewer
_MOST_TYPES, _MOST_PROGRAMS = 300, 50
_LONGEST = 120


def host_traits(space: Space, host: str) -> HostTraits:
    mine = [plane for plane in space.planes if plane.host == host]
    ops = Counter(_placed_types(space, host, mine))
    kept = sorted(ops.items(), key=lambda item: (-item[1], item[0]))[:_MOST_TYPES]
    return HostTraits(
        dict(sorted(versions_of(mine))),
        dict(sorted(Counter(filter(None, map(device_kind, _devices(mine)))).items())),
        dict(sorted(kept)),
        tuple(sorted(_programs(mine)))[:_MOST_PROGRAMS],
    )


def _devices(planes: list[Plane]) -> list[Plane]:
    return [plane for plane in planes if plane.is_device]


def _placed_types(space: Space, host: str, planes: list[Plane]) -> Iterator[tuple[str, str]]:
    """For each node the kind of device it ran on, and its type.

    What a thread executes of an op that a device ran was its launch.
    """
    seen: set[str] = set()
    for one in device_nodes(space):
        if one.plane.host == host:
            place = DeviceSpec.of(one.plane.name.removeprefix("/device:")).type or ""
            for op in one.ops:
                if op.kind in (OpKind.TENSORFLOW, OpKind.JAX) and op.name not in seen:
                    seen.add(op.name)
                    yield place, op.type[:_LONGEST]
    for plane in planes:
        place = _place_of(plane)
        if place:
            for name in plane.event_names.name:
                found = op_name(name)
                if found and found.kind is OpKind.TENSORFLOW and found.name not in seen:
                    seen.add(found.name)
                    yield place, found.type[:_LONGEST]


def _place_of(plane: Plane) -> str:
    """Threads, and in a run of a session the devices that ops were placed on."""
    if plane.name == HOST_THREADS:
        return _CPU
    if plane.is_placed and len(plane.events) and not is_part(plane.name):
        return DeviceSpec.of(without_part(plane.name)).type or ""
    return ""


def _programs(planes: list[Plane]) -> Iterator[str]:
    """Without the numbers behind their names, which differ from process to process."""
    for plane in planes:
        if plane.name == PROGRAMS:
            yield from {name.rpartition("(")[0] or name for name in plane.event_names.name}
