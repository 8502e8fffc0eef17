"""`tfprof.log("tfprof-runs")`: a history of runs, and what got slower."""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from tfprof.api.answer import Answer
from tfprof.commands.history.reading import history_of
from tfprof.commands.log import query_of
from tfprof.commands.options.repeats import noise_share
from tfprof.errors import UsageError

PathLike = str | os.PathLike[str]


def log(
    *paths: PathLike | Iterable[PathLike],
    since: str | datetime | None = None,
    last: int | None = None,
    run_noise: str | None = None,
    index: bool = True,
) -> Answer:
    """Folders of runs, run folders, saved profiles and patterns, also in stores: a row each.

    `since` and `last` say which are told; all are compared. `since` is a date, `"7d"` or a
    `datetime`. `run_noise` is how far runs differ where too few tell, `"3%"`. With `index=False`
    every run is read again, and no index is written.

    >>> import tfprof
    >>> frame = tfprof.log("tfprof-runs").to_pandas()  # doctest: +SKIP
    """
    named = [Path(one) for some in paths for one in _each(some)]
    if not named:
        raise UsageError("log() needs a folder of runs", hint='tfprof.log("tfprof-runs")')
    noise = None if run_noise is None else noise_share(run_noise)
    return Answer(history_of(named, query_of(since, last, noise), use_index=index))


def _each(some: PathLike | Iterable[PathLike]) -> Iterable[PathLike]:
    return [some] if isinstance(some, (str, os.PathLike)) else some
