"""Run folders: what `tfprof run` leaves behind, known by `run.json` and a sub-folder a rank."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from tfprof.errors import TfprofError
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.late_pattern import late_pattern
from tfprof.model.run_record import RunRecord
from tfprof.sources.files.opener import opener_for
from tfprof.sources.find.folders import inspect
from tfprof.sources.formats.run_record import KIND, NAME

_RANK = late_pattern(r"rank-(\d{1,6})")
# of a folder of runs, as of any other folder
_MOST_RUNS = 10_000
_TIME_IN_NAME = late_pattern(r"(\d{8})-(\d{6})(?!\d)")


@frozen_dataclass(slots=False)
class RunFolder:
    """`ranks` are the folders of its processes; one that was recorded alone is its own.

    `records` are those that can be read, by rank.
    """

    path: Path
    ranks: Mapping[int, Path]
    started: datetime | None = None
    records: Mapping[int, RunRecord] = field(default_factory=dict)

    @cached_property
    def by_folder(self) -> dict[Path, int]:
        return {folder: rank for rank, folder in self.ranks.items()}

    @property
    def age_key(self) -> tuple[float, list[int], str]:
        """Sorts older runs first: by when they began, else by the time in the name."""
        began = self.started or _time_in(self.path.name)
        numbers = [int(n) for n in re.findall(r"\d{1,18}", self.path.name)]
        return began.timestamp() if began is not None else 0.0, numbers, self.path.name


def run_folder_at(path: Path) -> RunFolder | None:
    """The run that a folder is; None for any other folder."""
    try:
        folders, files = opener_for(path).listed(path)
    except OSError:  # whoever reads it says so
        return None
    own = _is_record(path / NAME) if NAME in files else False
    ranks = {int(found[1]): path / name for name in folders if (found := _RANK.fullmatch(name))}
    if not own and not any(_is_record(folder / NAME) for folder in ranks.values()):
        return None
    whole = _record(path / NAME) if own else None
    if not ranks:
        first = whole.first if whole is not None else None
        ranks = {first.rank if first is not None else 0: path}
    known = {rank: _record(folder / NAME) for rank, folder in sorted(ranks.items())}
    records = {rank: one for rank, one in known.items() if one is not None}
    began = [one.started for one in (whole, *records.values()) if one is not None and one.started]
    return RunFolder(path, dict(sorted(ranks.items())), began[0] if began else None, records)


def run_folders_in(folder: Path) -> list[RunFolder]:
    """The runs that lie in a folder, side by side; the newest last."""
    try:
        names, _ = opener_for(folder).listed(folder)
    except OSError:
        return []
    inside = [folder / name for name in sorted(names) if not name.startswith(".")]
    found = (run_folder_at(path) for path in inside[-_MOST_RUNS:])
    return sorted((one for one in found if one is not None), key=lambda one: one.age_key)


def run_roots(paths: Sequence[Path], folder: Path) -> dict[Path, RunFolder]:
    """The runs that some files below a folder are of, however deep they lie."""
    roots: dict[Path, RunFolder] = {}
    for path in paths:
        if path.name != NAME:
            continue
        above = path.parent.parent if _RANK.fullmatch(path.parent.name) else path.parent
        place = above if above == folder or above.is_relative_to(folder) else path.parent
        if place not in roots and (found := run_folder_at(place)) is not None:
            roots[place] = found
    return roots


def _is_record(path: Path) -> bool:
    """Whoever asks has seen a file of this name; of another tool it is none of ours."""
    try:
        return inspect(path).kind == KIND
    except OSError:
        return False


def _record(path: Path) -> RunRecord | None:
    """None for one that is not there or cannot be read: the captures of the run still can."""
    try:
        if not _is_record(path):
            return None
        from tfprof.sources.run.run_record import read_record

        return read_record(path)
    except (TfprofError, OSError):
        return None


def _time_in(name: str) -> datetime | None:
    found = _TIME_IN_NAME.search(name)
    if found is None:
        return None
    try:
        return datetime.strptime("".join(found.groups()), "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None
