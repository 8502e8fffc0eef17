"""`tfprof log PATH...`: a history of runs, and what got slower."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from tfprof.commands.command import Command, Drawing, HelpGroup
from tfprof.commands.options.option import Option, OptionSection, Takes, Values
from tfprof.commands.options.repeats import RUN_NOISE, run_noise_of
from tfprof.commands.options.scheduler import SCHEDULER_OF_RUNS, workers_named
from tfprof.errors import UsageError
from tfprof.late_pattern import late_pattern

if TYPE_CHECKING:
    from datetime import datetime

    from tfprof.reports.log import Query
    from tfprof.results.answered import Answered
    from tfprof.results.log import LogResult
    from tfprof.sources.find.load import ProgressOf

_RUNS = OptionSection(
    "",
    (
        Option("paths", "folders of runs, run folders, saved profiles; also patterns, quoted: "
               "'runs/**'", Takes.PATHS, "PATH"),
        Option("--since", "runs since then: 2026-11-01, 7d, 12h", metavar="TIME"),
        Option("--last", "the newest so many runs", Takes.WHOLE, "N"),
        RUN_NOISE,
        Option("--most-files", "look at so many files of a folder (default 500000)", Takes.WHOLE,
               "N"),
        Option("--no-index", "read every run again, and write no index", Takes.FLAG),
    ),
)  # fmt: skip
_AGO = late_pattern(r"(\d{1,6})\s*(m|h|d|w)", re.ASCII)
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def query_of(since: str | datetime | None, last: int | None, run_noise: float | None) -> Query:
    from datetime import UTC

    from tfprof.reports.log import Query

    if last is not None and last < 1:
        raise UsageError(f"--last takes a number from 1 on, not {last}", hint="--last 10")
    moment = _moment(since) if isinstance(since, str) else since
    if moment is not None and moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    if run_noise is None:
        return Query(moment, last)
    return Query(moment, last, run_noise)


def _moment(said: str) -> datetime:
    """A date, a time, or how long ago; times without a zone are in UTC."""
    from datetime import UTC, datetime, timedelta

    try:
        found = _AGO.fullmatch(said.strip())
        if found:
            return datetime.now(UTC) - timedelta(**{_UNITS[found[2]]: int(found[1])})
        return datetime.fromisoformat(said.strip())
    except (ValueError, OverflowError):
        raise UsageError(
            f"{said[:40]!r} is no time for --since", hint="--since 2026-11-01, or --since 7d"
        ) from None


def _answer(values: Values, progress: ProgressOf | None) -> Answered[LogResult]:
    paths = [Path(path) for path in values.texts("paths")]
    if not paths:
        raise UsageError("no file or folder given", hint="tfprof log tfprof-runs")
    query = query_of(values.text("since"), values.whole("last"), run_noise_of(values))
    most = _most_files(values)
    from tfprof.commands.history.reading import history_of

    use_index = not values.flag("no_index")
    with workers_named(values) as workers:
        return history_of(paths, query, progress, workers, use_index=use_index, most_files=most)


def _most_files(values: Values) -> int:
    from tfprof.sources.files.below import MOST_FILES

    said = values.whole("most_files")
    if said is not None and said < 1:
        what = f"--most-files takes a number from 1 on, not {said}"
        raise UsageError(what, hint="--most-files 2000000")
    return MOST_FILES if said is None else said


COMMAND = Command(
    "log",
    HelpGroup.MORE,
    "a history of runs: a line each, and what got slower",
    "tfprof log tests/data/stories --no-index",
    "run folders, captures or saved profiles",
    (_RUNS, SCHEDULER_OF_RUNS),
    "log",
    _answer,
    Drawing("the step time of runs over time", (_RUNS, SCHEDULER_OF_RUNS), _answer),
)
