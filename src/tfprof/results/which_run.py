"""Which of several runs and captures was read: the newest is taken, and that has to be seen."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tfprof.model.profile import Input, ProfileData
from tfprof.model.units import plural

_CAPTURE, _RUN = "XPlane", "RunMetadata"
_TELLING = (_CAPTURE, _RUN, "GraphDef", "SavedModel", "Keras model")


def which_run(data: ProfileData) -> str:
    """`capture 2026_11_15_18_23_33, 2 others`; nothing where there is but one."""
    used = [one for one in data.inputs if one.used]
    left = [one for one in data.inputs if not one.used]
    said = [*_captures(used, left), *_runs_here(used, left)]
    runs = max((_elsewhere(kind, used, left) for kind in _TELLING), default=0)
    if runs:
        said.append(f"{plural(runs, 'other run')} in this folder")
    return f"{'; '.join(said)}: --run NAME" if said else ""


def _captures(used: Iterable[Input], left: Iterable[Input]) -> list[str]:
    """Of the same run: each is a folder, with a file a host."""
    read = {one.path.parent for one in used if one.format == _CAPTURE}
    if len(read) != 1:
        return []
    (capture,) = read
    others = {one.path.parent for one in left if one.format == _CAPTURE} - read
    count = sum(other.parent == capture.parent for other in others)
    return [f"capture {capture.name}, {_others(count)}"] if count else []


def _runs_here(used: Iterable[Input], left: Iterable[Input]) -> list[str]:
    read = [one.path for one in used if one.format == _RUN]
    folders = {path.parent for path in read}
    count = sum(one.format == _RUN and one.path.parent in folders for one in left)
    return [f"run {read[-1].name}, {_others(count)}"] if count else []


def _others(count: int) -> str:
    return "1 other" if count == 1 else f"{count:,} others"


def _elsewhere(kind: str, used: Iterable[Input], left: Iterable[Input]) -> int:
    """The folders of runs that are not read, by files of one kind."""
    read = {_folder(one.path, kind) for one in used if one.format == kind}
    return len({_folder(one.path, kind) for one in left if one.format == kind} - read)


def _folder(path: Path, kind: str) -> Path:
    return path.parent.parent if kind == _CAPTURE else path.parent
