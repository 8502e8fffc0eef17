"""What the devices of a capture are, and which versions of anything it states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tfprof.analyses.runtime.device_peaks import known_device
from tfprof.model.xspace import Plane

_NAMES = ("gpu_device_name", "device_type_string")
_VERSION = "version"
_NO_KIND = "CUSTOM"


def device_kind(plane: Plane) -> str:
    """By the name that it states, the device it is built like, else what it is called.

    Empty of what is no device of its own.
    """
    for key in _NAMES:
        if isinstance(plane.facts.get(key), str) and plane.facts[key]:
            return str(plane.facts[key])
    kind = plane.name.removeprefix("/device:").partition(":")[0]
    if kind == _NO_KIND:
        return ""
    known = known_device(plane)
    maker = str(plane.facts.get("device_vendor", ""))
    return known.name if known is not None else f"{maker} {kind}".strip()


def versions_of(planes: Iterable[Plane]) -> Iterator[tuple[str, str]]:
    """What any plane states of a version."""
    for plane in planes:
        for name, value in plane.facts.items():
            if _VERSION in name.lower() and isinstance(value, str | int | float):
                yield name, str(value)
