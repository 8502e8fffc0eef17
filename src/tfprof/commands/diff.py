"""`tfprof diff A B...`: what changed between models or runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tfprof.commands.command import Command, Drawing, HelpGroup
from tfprof.commands.options.option import Option, OptionSection, Takes, Values
from tfprof.commands.options.sizes import DIMENSIONS, question_of
from tfprof.errors import UsageError

if TYPE_CHECKING:
    from tfprof.model.profile import ProfileData
    from tfprof.results.answered import Answered
    from tfprof.results.diff import DiffResult
    from tfprof.sources.find.load import ProgressOf

_SIDES = OptionSection(
    "",
    (
        Option("paths", "a side each: a file, a folder, `graph.pb+run_meta` for several files of "
               "one; `a1,a2,a3` for repeats of a run", Takes.PATHS, "SIDE"),
        Option("--no-values", "do not compare the values in checkpoints", Takes.FLAG),
    ),
)  # fmt: skip


def _answer(values: Values, progress: ProgressOf | None) -> Answered[DiffResult]:
    from tfprof.reports.diff import Query, compare

    sides = values.texts("paths")
    if len(sides) < 2:
        raise UsageError("diff compares two sides or more", hint="tfprof diff BEFORE AFTER")
    query = Query(question_of(values), values=not values.flag("no_values"))
    return compare([(side, loaded(side, progress)) for side in sides], query)


def loaded(side: str, progress: ProgressOf | None) -> list[ProfileData]:
    """A comma is between repeats, a plus between files of one; a file may be called so, too."""
    from tfprof.sources.find.load import Request, read_one

    runs = [side] if Path(side).exists() else side.split(",")
    return [
        read_one(Request([*map(Path, _files(run))]), progress) for run in runs if run
    ] or _nothing(side)


def _files(run: str) -> list[str]:
    if Path(run).exists():
        return [run]
    return [one for one in run.split("+") if one]


def _nothing(side: str) -> list[ProfileData]:
    raise UsageError(f"{side!r} names no file", hint="tfprof diff BEFORE AFTER")


COMMAND = Command(
    "diff",
    HelpGroup.MORE,
    "what changed between models or runs, and what of it is noise",
    "tfprof diff tests/data/keras_mlp_fwd.graph.pb tests/data/keras_lstm_fwd.graph.pb",
    "two or more graphs, runs or checkpoints",
    (_SIDES, *DIMENSIONS),
    "diff",
    _answer,
    Drawing("an average step of each side", (_SIDES,), _answer),
)
