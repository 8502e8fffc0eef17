"""Where a capture was made: hosts, devices, versions, and how its op time is shared out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from tfprof.analyses.runtime.device_kinds import device_kind, versions_of
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.device import DeviceSpec, is_part, without_part
from tfprof.model.host_work import HostTask
from tfprof.model.hosts import Host
from tfprof.model.kernel_lines import lines_that_count
from tfprof.model.xspace import Plane
from tfprof.reports.shared.digest import Digest
from tfprof.results.step_average import StepAverage
from tfprof.results.summary import CaptureFacts, DeviceKind


def capture_facts(known: Digest) -> CaptureFacts | None:
    """None of what is no capture."""
    hosts = known.data.hosts
    if not hosts.captured:
        return None
    told = hosts.each(CAPTURED.key, _of_host)
    names = dict.fromkeys(name for one in told for name in one.hosts if name)
    versions = {name: value for one in told for name, value in one.versions}
    return CaptureFacts(
        tuple(names),
        tuple(_kinds(told)),
        versions,
        *_shares(known.run),
        left_out=known.data.left_out,
    )


@frozen_dataclass
class _Captured:
    """What one capture states; devices in their order, `parts` are those of TensorFlow 1."""

    hosts: tuple[str, ...] = ()
    devices: tuple[DeviceKind, ...] = ()
    parts: tuple[str, ...] = ()
    versions: tuple[tuple[str, str], ...] = ()


def _of_host(host: Host) -> _Captured:
    space = host.trace.space
    if space is None:
        return _Captured()
    return _Captured(
        tuple(space.hosts),
        tuple(map(_device, space.devices)),
        tuple({without_part(one.name): "" for one in space.planes if is_part(one.name)}),
        tuple(versions_of(space.planes)),
    )


CAPTURED = HostTask("where it was captured", _of_host)


def _device(plane: Plane) -> DeviceKind:
    size = plane.facts.get("memory_size")
    memory = size if isinstance(size, int) and size > 0 else None
    return DeviceKind(device_kind(plane), 1, int(_did_something(plane)), memory)


def _kinds(told: Sequence[_Captured]) -> Iterator[DeviceKind]:
    """In the order in which they stand."""
    count: Counter[str] = Counter()
    working: Counter[str] = Counter()
    memory: dict[str, int] = {}
    if not any(one.devices for one in told):
        yield from _of_parts({name for one in told for name in one.parts})
    for device in (device for one in told for device in one.devices if device.kind):
        count[device.kind] += 1
        working[device.kind] += device.working
        if device.memory_bytes is not None:
            memory[device.kind] = device.memory_bytes
    for kind, number in count.items():
        yield DeviceKind(kind, number, working[kind], memory.get(kind))


def _of_parts(found: set[str]) -> Iterator[DeviceKind]:
    """Devices of TensorFlow 1, which are known by their streams."""
    kinds = Counter(DeviceSpec.of(name).type or "" for name in found)
    for kind, number in sorted(kinds.items()):
        yield DeviceKind(kind, number, number, None)


def _did_something(plane: Plane) -> bool:
    lines = lines_that_count(plane)
    events = [plane.rows_of_line(line) for line in range(len(lines)) if lines[line]]
    return any(rows.stop > rows.start for rows in events)


def _shares(run: StepAverage | None) -> tuple[float | None, float | None, float | None]:
    whole = 0.0 if run is None else run.host_us + (run.device_us or 0.0)
    if run is None or not whole:
        return None, None, None
    return run.host_us / whole, (run.device_us or 0.0) / whole, run.eager_us / whole


def device_words(devices: Sequence[DeviceKind]) -> str:
    """`8 V100, 2 of them with work`."""
    said = []
    for one in devices:
        idle = ""
        if not one.working:
            idle = " without work"
        elif one.working < one.count:
            idle = f", {one.working} of them with work"
        said.append(f"{one.count} {one.kind}{idle}")
    return "; ".join(said)


def version_words(versions: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in versions.items())
