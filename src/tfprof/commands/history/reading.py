"""Runs that lie somewhere, each read once: what an index knows is not read again."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from pathlib import Path

from tfprof.commands.history.index import RunIndex
from tfprof.errors import (
    AccessDenied,
    FileChanged,
    InputUnreadable,
    NothingRecognised,
    TfprofError,
    WrongKind,
)
from tfprof.model import units
from tfprof.model.known_run import NOTHING, KnownRun, not_read
from tfprof.model.run_record import RunState
from tfprof.printable import place
from tfprof.reports.log import Query, history, known_run
from tfprof.results.answered import Answered
from tfprof.results.log import IndexUse, LogResult
from tfprof.sources.files.opener import forget
from tfprof.sources.find.load import ProgressOf
from tfprof.sources.find.run_places import FoundPlaces, RunPlace, find_places
from tfprof.sources.find.runs_at_place import RunRead, runs_at

# a command leaves cycles alone, since it ends before they matter: not one that reads many runs
_OFTEN, _LARGE = 20, 4 << 20
# what may be right the next time, though no file of the run is another one
_PASSING = (AccessDenied, FileChanged)


def history_of(
    paths: Sequence[Path],
    query: Query,
    progress: ProgressOf | None = None,
    *,
    use_index: bool = True,
) -> Answered[LogResult]:
    """Files, folders and patterns; `use_index` says whether an index is read and written."""
    found = find_places(paths)
    warnings = list(found.warnings)
    indexes = _indexes(found, warnings) if use_index else {}
    runs = [not_read(str(one.path), NOTHING, one.fault.what) for one in found.missing]
    known = [(one, _known(indexes, one)) for one in found.places]
    new = [one for one, there in known if there is None]
    runs += [run for _, there in known if there is not None for run in there]
    written: list[str] = []
    try:
        runs += _read(new, indexes, progress)
    finally:  # also of a look that somebody ended early
        for home, index in indexes.items():
            where = index.write(_all_below(found, home))
            written += [where] if where is not None else []
    _check_any(runs, found, paths)
    use = IndexUse(len(known) - len(new), len(new), tuple(written))
    return history(_title(paths), runs, query, use, warnings)


def _indexes(found: FoundPlaces, warnings: list[str]) -> dict[Path, RunIndex]:
    """Of every folder that has something an index could tell."""
    homes = dict.fromkeys(one.home for one in found.places if one.stamp)
    return {home: RunIndex(home, warnings) for home in homes}


def _known(indexes: dict[Path, RunIndex], one: RunPlace) -> tuple[KnownRun, ...] | None:
    index = indexes.get(one.home)
    return None if index is None else index.known(one)


def _all_below(found: FoundPlaces, home: Path) -> frozenset[str] | None:
    """What an index still needs, where all of its folder was looked through."""
    if home not in found.whole:
        return None
    return frozenset(one.key for one in found.places if one.home == home)


def _read(
    places: Sequence[RunPlace], indexes: dict[Path, RunIndex], progress: ProgressOf | None
) -> list[KnownRun]:
    found: list[KnownRun] = []
    hear = progress(Path(units.plural(len(places), "run")), len(places)) if progress else None
    for done, one in enumerate(places, 1):
        runs, settled = _read_place(one)
        index = indexes.get(one.home)
        if index is not None and settled:
            index.add(one, runs)
        found += runs
        forget(one.path)
        if done % _OFTEN == 0 or one.size > _LARGE:
            gc.collect()
        if hear is not None:
            hear(done)
    return found


def _read_place(one: RunPlace) -> tuple[tuple[KnownRun, ...], bool]:
    """Its runs, each let go of before the next is read; and whether that is for good."""
    runs: list[KnownRun] = []
    settled = True
    for read in runs_at(one):
        known = known_run(read, one.modified_ns)
        settled = settled and _is_settled(read, known)
        runs.append(known)
    return tuple(runs), settled


def _is_settled(read: RunRead, known: KnownRun) -> bool:
    """Whether the same files will say the same: not of a run that goes on, or was not reached."""
    if isinstance(read.found, TfprofError):
        is_damaged = isinstance(read.found, InputUnreadable)
        return is_damaged and not isinstance(read.found, _PASSING)
    return known.state != RunState.RUNNING.value


def _check_any(runs: Sequence[KnownRun], found: FoundPlaces, paths: Sequence[Path]) -> None:
    """Where nothing could be read at all, the first reason is the answer."""
    if any(run.why is None for run in runs):
        return
    if found.missing:
        raise found.missing[0].fault
    if runs:
        raise WrongKind(runs[0].why or "it cannot be read", where=place(runs[0].path))
    raise NothingRecognised(
        "no run in here",
        where=", ".join(place(path) for path in paths[:3]),
        hint="`tfprof run train.py` records one; `tfprof formats` lists what can be read.",
    )


def _title(paths: Sequence[Path]) -> str:
    more = f" and {len(paths) - 1:,} more" if len(paths) > 1 else ""
    return place(paths[0]) + more
