"""Which of several runs and captures was read: the newest is taken, and that has to be seen."""

from __future__ import annotations

from collections.abc import Iterable

from tfprof.model.profile import Input, ProfileData
from tfprof.model.units import plural

_CAPTURE, _RUN = "XPlane", "RunMetadata"


def which_run(data: ProfileData) -> str:
    """`capture 2026_11_15_18_23_33, 2 others`; nothing where there is but one."""
    here = [one for one in data.inputs if not one.elsewhere]
    used, left = [one for one in here if one.used], [one for one in here if not one.used]
    said = [*_captures(used, left), *_run_metadata(used, left)]
    if data.other_runs:
        said.append(f"{plural(data.other_runs, 'other run')} in this folder")
    return f"{'; '.join(said)}: --run NAME" if said else ""


def _captures(used: Iterable[Input], left: Iterable[Input]) -> list[str]:
    """Each is a folder, with a file a host."""
    read = {one.path.parent for one in used if one.format == _CAPTURE}
    others = {one.path.parent for one in left if one.format == _CAPTURE} - read
    if len(read) > 1:  # a rank each: those of one of them are counted
        others = {one for one in others if one.parent == min(read).parent}
    return [f"capture {min(read).name}, {_others(len(others))}"] if read and others else []


def _run_metadata(used: Iterable[Input], left: Iterable[Input]) -> list[str]:
    read = [one.path for one in used if one.format == _RUN]
    count = sum(one.format == _RUN for one in left)
    return [f"run {read[-1].name}, {_others(count)}"] if read and count else []


def _others(count: int) -> str:
    return "1 other" if count == 1 else f"{count:,} others"
