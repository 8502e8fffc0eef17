"""Device names as people say them: /cpu:0; with host, or job and task, only if need be."""

from __future__ import annotations

import re
from collections.abc import Iterable

# what the original times: a GPU or CPU, in lower case, with nothing behind its number
CANONICAL = re.compile(r".*/(device:gpu|gpu|device:cpu|cpu):\d+")

_PARTS = re.compile(
    r"(?:/host:(?P<host>[^/]+))?"
    r"(?:/job:(?P<job>[^/]+))?(?:/replica:(?P<replica>\d+))?(?:/task:(?P<task>\d+))?"
    r"/(?:device:)?(?P<type>[A-Za-z_]+):(?P<rest>\d+.*)"
)


def short_names(devices: Iterable[str]) -> dict[str, str]:
    """Each full name to its short one, told apart by where it is only if need be."""
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
