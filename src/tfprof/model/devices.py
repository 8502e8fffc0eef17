"""Device names as people say them: /cpu:0, with job and task only where there are several."""

from __future__ import annotations

import re
from collections.abc import Iterable

# what the original times: a GPU or CPU, in lower case, with nothing behind its number
CANONICAL = re.compile(r".*/(device:gpu|gpu|device:cpu|cpu):\d+")

_PARTS = re.compile(
    r"(?:/job:(?P<job>[^/]+))?(?:/replica:(?P<replica>\d+))?(?:/task:(?P<task>\d+))?"
    r"/(?:device:)?(?P<type>[A-Za-z_]+):(?P<rest>\d+.*)"
)


def short_names(devices: Iterable[str]) -> dict[str, str]:
    """Each full name to its short one, told apart by job and task only if need be."""
    full = list(dict.fromkeys(devices))
    parsed = {name: _PARTS.fullmatch(name) for name in full}
    places = {(m["job"], m["replica"], m["task"]) for m in parsed.values() if m}
    return {name: _short(name, match, with_place=len(places) > 1) for name, match in parsed.items()}


def _short(name: str, match: re.Match[str] | None, *, with_place: bool) -> str:
    if match is None:
        return name
    device = f"/{match['type'].lower()}:{match['rest']}"
    if not with_place or match["job"] is None:
        return device
    task = f"/task:{match['task']}" if match["task"] is not None else ""
    return f"/job:{match['job']}{task}{device}"
