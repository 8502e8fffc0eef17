"""Where a capture was made: hosts, devices, versions, and how its op time is shared out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from tfprof.analyses.runtime.device_kinds import device_kind, versions_of
from tfprof.model.device import DeviceSpec, is_part, without_part
from tfprof.model.kernel_lines import lines_that_count
from tfprof.model.xspace import Plane, Space
from tfprof.reports.shared.digest import Digest
from tfprof.results.step_average import StepAverage
from tfprof.results.summary import CaptureFacts, DeviceKind


def capture_facts(known: Digest) -> CaptureFacts | None:
    """None of what is no capture."""
    spaces = known.data.hosts.spaces
    if not spaces:
        return None
    hosts = dict.fromkeys(host for space in spaces for host in space.hosts if host)
    return CaptureFacts(
        tuple(hosts),
        tuple(_kinds(spaces)),
        dict(pair for space in spaces for pair in versions_of(space.planes)),
        *_shares(known.run),
    )


def _kinds(spaces: Sequence[Space]) -> Iterator[DeviceKind]:
    """In the order in which they stand."""
    count: Counter[str] = Counter()
    working: Counter[str] = Counter()
    memory: dict[str, int] = {}
    if not any(space.devices for space in spaces):
        yield from _of_parts(spaces)
    for plane in (plane for space in spaces for plane in space.devices):
        kind = device_kind(plane)
        if not kind:
            continue
        count[kind] += 1
        working[kind] += _did_something(plane)
        size = plane.facts.get("memory_size")
        if isinstance(size, int) and size > 0:
            memory[kind] = size
    for kind, number in count.items():
        yield DeviceKind(kind, number, working[kind], memory.get(kind))


def _of_parts(spaces: Sequence[Space]) -> Iterator[DeviceKind]:
    """Devices of TensorFlow 1, which are known by their streams."""
    planes = (plane for space in spaces for plane in space.planes)
    found = {without_part(plane.name) for plane in planes if is_part(plane.name)}
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
