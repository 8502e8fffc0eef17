"""Devices: what their names say and leave open, which of them mean the same, what one can do.

A graph says `/gpu:0`, a run `/job:localhost/replica:0/task:0/device:GPU:0`, the tracer of its
kernels `/device:GPU:0/stream:all`: these are one device.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import fields, replace
from functools import lru_cache

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.late_pattern import late_pattern

# a tracer names a stream behind its device, or all of them together, or the device's copies
ALL_STREAMS = "/stream:all"
COPIES = "/memcpy"
_PART = late_pattern(r"/(stream[:#].*|memcpy)$")
_STREAM = late_pattern(r"/stream[:#]")
# the original: a GPU or CPU with nothing behind its number
_WHOLE = late_pattern(r".*/(device:)?[cg]pu:\d+")

# a run has few devices, and says their names very often
_DISTINCT_NAMES = 1 << 10
_PLACE = ("host", "job", "replica", "task")
_DEVICE = late_pattern(r"(?:device:)?(?P<type>[A-Za-z_]\w*)(?::(?P<index>\d+|\*).*)?")
_PARTS = late_pattern(
    r"(?:/host:(?P<host>[^/]+))?"
    r"(?:/job:(?P<job>[^/]+))?(?:/replica:(?P<replica>\d+))?(?:/task:(?P<task>\d+))?"
    r"/(?:device:)?(?P<type>[A-Za-z_]+):(?P<rest>\d+.*)"
)


@frozen_dataclass
class DevicePeak:
    """FLOPs and bytes that a device does in a second at its best."""

    name: str
    flops: float
    bytes: float


def holds_kernels(device: str) -> bool:
    """Whether the original takes what ran there for kernels: all streams stand for the device."""
    return ALL_STREAMS[1:] in device.lower()


def is_cpu_or_gpu(device: str) -> bool:
    """Whether the original places nodes there: a CPU or GPU, not a part of one."""
    return _WHOLE.fullmatch(device.lower()) is not None


def is_stream(device: str) -> bool:
    """One stream of a device, or all of them."""
    return _STREAM.search(device) is not None


def is_part(device: str) -> bool:
    """A stream of a device, all of them, or its copies."""
    return _PART.search(device) is not None


def without_part(device: str) -> str:
    return _PART.sub("", device)


@frozen_dataclass
class DeviceSpec:
    """None where the name leaves it open. The type is in capitals."""

    host: str | None = None
    job: str | None = None
    replica: str | None = None
    task: str | None = None
    type: str | None = None
    index: str | None = None

    @classmethod
    def of(cls, name: str) -> DeviceSpec:
        """Also of a part of a name, `gpu:0`; what is no part of one is passed over."""
        return _parsed(name)

    @property
    def place(self) -> tuple[str | None, ...]:
        return self.host, self.job, self.replica, self.task

    def allows(self, other: DeviceSpec) -> bool:
        """Whether both can be the same device: they contradict each other in nothing."""
        pairs = ((getattr(self, f.name), getattr(other, f.name)) for f in fields(self))
        return all(a == b or None in (a, b) for a, b in pairs)

    def on(self, place: tuple[str | None, ...]) -> DeviceSpec:
        """The same, with what it leaves open of its place."""
        filled = {
            key: own if own is not None else given
            for key, own, given in zip(_PLACE, self.place, place, strict=True)
        }
        return replace(self, **filled)

    def __str__(self) -> str:
        place = "".join(
            f"/{key}:{value}"
            for key, value in zip(_PLACE, self.place, strict=True)
            if value is not None
        )
        if self.type is None:
            return place
        return f"{place}/device:{self.type}" + (f":{self.index}" if self.index else "")


@lru_cache(_DISTINCT_NAMES)
def _parsed(name: str) -> DeviceSpec:
    found: dict[str, str] = {}
    for part in name.split("/"):
        key, _, value = part.partition(":")
        if key in _PLACE:
            found[key] = value
        elif not is_part(f"/{part}") and (match := _DEVICE.fullmatch(part)):
            found["type"] = match["type"].upper()
            if match["index"] not in (None, "*"):
                found["index"] = match["index"]
    return DeviceSpec(**found)


class DeviceNames:
    """Short names for all devices of a profile: `used` are those that something ran on."""

    def __init__(self, used: Iterable[str], asked: Iterable[str] = ()) -> None:
        specs = {name: DeviceSpec.of(name) for name in dict.fromkeys([*used])}
        self._used = [spec for spec in dict.fromkeys(specs.values()) if spec.type is not None]
        most = max((_said(spec) for spec in self._used), default=0)
        # what is said in full stands for what is said in part
        self._whole = [spec for spec in self._used if _said(spec) == most]
        places = {spec.place for spec in self._whole}
        self._place = next(iter(places)) if len(places) == 1 else None
        full = {name: self._full(DeviceSpec.of(name)) for name in [*specs, *asked] if name}
        short = short_names(full.values())
        self._short = {name: short[spec] for name, spec in full.items()}

    def __call__(self, name: str) -> str:
        """The short name of a device; as it is if it was not among those at the beginning."""
        return self._short.get(name, name)

    def spec(self, name: str) -> DeviceSpec:
        """All that is known of the device behind a name."""
        return DeviceSpec.of(self._full(DeviceSpec.of(name)))

    def _full(self, spec: DeviceSpec) -> str:
        fitting = [one for one in self._whole if spec.allows(one)]
        if len(fitting) == 1:
            return str(fitting[0])
        return str(spec.on(self._place) if self._place is not None else spec)

    def find(self, asked: str) -> list[str]:
        """The short names that `asked`, short or in part, can mean."""
        if asked in self._short.values():
            return [asked]
        wanted = DeviceSpec.of(asked)
        if wanted == DeviceSpec():
            return []
        known = {short: self.spec(name) for name, short in self._short.items()}
        return [short for short, spec in known.items() if wanted.allows(spec)]


def _said(spec: DeviceSpec) -> int:
    return sum(part is not None for part in spec.place)


def short_names(devices: Iterable[str]) -> dict[str, str]:
    """Each full name as people say it: /cpu:0; with host, or job and task, only if need be."""
    full = list(dict.fromkeys(devices))
    parsed = {name: _PARTS.fullmatch(name) for name in full}
    places = {(m["host"], m["job"], m["replica"], m["task"]) for m in parsed.values() if m}
    return {name: _short(name, match, with_place=len(places) > 1) for name, match in parsed.items()}


def _short(name: str, match: re.Match[str] | None, *, with_place: bool) -> str:
    if match is None:
        return name
    device = f"/{match['type'].lower()}:{match['rest']}"
    if not with_place:
        return device
    if match["host"] is not None:
        return f"/host:{match['host']}{device}"
    if match["job"] is None:
        return device
    task = f"/task:{match['task']}" if match["task"] is not None else ""
    return f"/job:{match['job']}{task}{device}"
