"""Runs that lie somewhere, each read once: what an index knows is not read again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from tfprof.commands.history.index import RunIndex
from tfprof.commands.history.places import read_places, work_of
from tfprof.errors import NothingRecognised, WrongKind
from tfprof.model.host_work import HeardOfHosts, Workers
from tfprof.model.known_run import NOTHING, KnownRun, not_read
from tfprof.printable import place
from tfprof.reports.log import Query, history
from tfprof.results.answered import Answered
from tfprof.results.log import IndexUse, LogResult
from tfprof.sources.files.below import MOST_FILES
from tfprof.sources.files.opener import spelt
from tfprof.sources.find.load import ProgressOf
from tfprof.sources.find.run_places import FoundPlaces, RunPlace, find_places


def history_of(
    paths: Sequence[Path],
    query: Query,
    progress: ProgressOf | None = None,
    workers: Workers | None = None,
    *,
    use_index: bool = True,
    most_files: int = MOST_FILES,
) -> Answered[LogResult]:
    """Files, folders and patterns; `use_index` says whether an index is read and written.

    New runs are read by `workers`; without any, one after the other by this process. Of a folder,
    `most_files` are looked at.
    """
    found = find_places(paths, most_files)
    warnings = list(found.warnings)
    indexes = _indexes(found, warnings) if use_index else {}
    runs = [not_read(str(one.path), NOTHING, one.fault.what) for one in found.missing]
    known = [(one, _known(indexes, one)) for one in found.places]
    new = [one for one, there in known if there is None]
    runs += [run for _, there in known if there is not None for run in there]
    written: list[str] = []
    try:
        runs += _read(new, indexes, workers, progress)
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
    places: Sequence[RunPlace],
    indexes: dict[Path, RunIndex],
    workers: Workers | None,
    progress: ProgressOf | None,
) -> Iterator[KnownRun]:
    # not everybody who hears of files shows runs
    shown: Callable[[int, int], HeardOfHosts] | None = getattr(progress, "runs", None)
    heard = shown(len(places), sum(work_of(places))) if shown is not None else None
    with closing(read_places(places, workers, heard)) as answers:
        for one, found in answers:
            index = indexes.get(one.home)
            if index is not None and found.is_settled:
                index.add(one, found.runs)
            yield from found.runs


def _check_any(runs: Sequence[KnownRun], found: FoundPlaces, paths: Sequence[Path]) -> None:
    """Where nothing could be read at all, the first reason is the answer."""
    if any(run.why is None for run in runs):
        return
    if found.missing:
        raise found.missing[0].fault
    if runs:
        raise WrongKind(runs[0].why or "it cannot be read", where=place(runs[0].path))
    if found.shut:
        raise found.shut[0]
    raise NothingRecognised(
        "no run in here",
        where=", ".join(place(path) for path in paths[:3]),
        hint="`tfprof run train.py` records one; `tfprof formats` lists what can be read.",
    )


def _title(paths: Sequence[Path]) -> str:
    more = f" and {len(paths) - 1:,} more" if len(paths) > 1 else ""
    return place(spelt(paths[0])) + more
