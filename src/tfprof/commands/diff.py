"""`tfprof diff A B...`: what changed between models or runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfprof.commands.command import Command, Drawing, HelpGroup
from tfprof.commands.options.option import Option, OptionSection, Takes, Values
from tfprof.commands.options.repeats import RUN_NOISE, loaded, name_of, run_noise_of
from tfprof.commands.options.sizes import DIMENSIONS, question_of
from tfprof.errors import UsageError
from tfprof.frozen_dataclass import replace

if TYPE_CHECKING:
    from tfprof.results.answered import Answered
    from tfprof.results.diff import DiffResult
    from tfprof.sources.find.load import ProgressOf

_SIDES = OptionSection(
    "",
    (
        Option("paths", "a side each: a file, a folder, `graph.pb+run_meta` for several files of "
               "one; `a1,a2,a3` for repeats of a run", Takes.PATHS, "SIDE"),
        Option("--no-values", "do not compare the values in checkpoints", Takes.FLAG),
        RUN_NOISE,
    ),
)  # fmt: skip


def _answer(values: Values, progress: ProgressOf | None) -> Answered[DiffResult]:
    from tfprof.reports.diff import Query, compare

    sides = values.texts("paths")
    if len(sides) < 2:
        raise UsageError("diff compares two sides or more", hint="tfprof diff BEFORE AFTER")
    noise = run_noise_of(values)
    query = Query(question_of(values), values=not values.flag("no_values"))
    query = query if noise is None else replace(query, run_noise=noise)
    return compare([(name_of(side), loaded(side, progress)) for side in sides], query)


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
