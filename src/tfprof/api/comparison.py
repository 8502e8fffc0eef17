"""`tfprof.diff(before, after)`: what changed, and what of it is noise."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tfprof.api.answer import Answer
from tfprof.api.anything import data_of
from tfprof.commands.options.repeats import noise_share
from tfprof.errors import UsageError
from tfprof.model.profile import ProfileData
from tfprof.reports.diff import Query, compare
from tfprof.reports.shared.question import question_from

# what is loaded already, a path, or whatever else `tfprof.flops` takes
Subject = Any


def diff(
    *sides: Subject | Sequence[Subject],
    batch: int | None = None,
    mode: str | None = None,
    dims: Mapping[str, int] | None = None,
    values: bool = True,
    run_noise: str | None = None,
) -> Answer:
    """Two sides or more: each a profile, a path or a model, or a list of repeats of one run.

    The first and the last of several are compared. `values=False` leaves out what checkpoints hold;
    `run_noise` is how far runs differ where one capture a side cannot tell, `"3%"`.

    >>> import tfprof
    >>> print(tfprof.diff("run1", "run2"))  # doctest: +SKIP
    """
    if len(sides) < 2:
        raise UsageError("diff() compares two sides or more", hint='tfprof.diff("run1", "run2")')
    named = [_side(at, side) for at, side in enumerate(sides, 1)]
    query = Query(question_from(batch, mode, sizes=dims), values=values)
    if run_noise is not None:
        query = replace(query, run_noise=noise_share(run_noise))
    return Answer(compare(named, query))


def _side(number: int, side: Subject | Sequence[Subject]) -> tuple[str, list[ProfileData]]:
    repeats = list(side) if isinstance(side, (list, tuple)) else [side]
    if not repeats:
        raise UsageError(f"side {number} is an empty list", hint='tfprof.diff("run1", "run2")')
    found = [data_of(one) for one in repeats]
    return _name(repeats, found, number), found


def _name(repeats: Iterable[Subject], found: Sequence[ProfileData], number: int) -> str:
    paths = [str(one) for one in repeats if isinstance(one, (str, os.PathLike))]
    return ",".join(paths) or found[0].title or f"side {number}"
