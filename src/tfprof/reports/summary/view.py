"""A summary on one screen; of several models a line each, and the command for one."""

from __future__ import annotations

from tfprof.reports.shared.words import shell_path
from tfprof.reports.summary.facts import facts
from tfprof.reports.summary.tables import tables
from tfprof.results.answered import Answered
from tfprof.results.summary import ModelRow, ModelsResult, SummaryResult
from tfprof.views.shapes import Column, Facts, Fold, Notes, OneScreen, Report, Table, Unit, Value

_NOTES_SHOWN = 2
_MODELS_SHOWN = 17
_SAYS_LEAST = ("Hint", "Ran on", "Op log", "Checkpoint", "Inputs", "Logged")


def view(answered: Answered[SummaryResult | ModelsResult]) -> Report:
    found = answered.data
    if isinstance(found, ModelsResult):
        return _several(answered, found.models)
    missing = (f"{one.what} would add {one.adds}" for one in found.missing)
    notes = Notes([*answered.notes, *missing], _NOTES_SHOWN)
    return Report(
        *answered.subject.lines,
        [Facts(list(facts(found))), *tables(found), notes],
        OneScreen(len(answered.notes), _SAYS_LEAST),
    )


def _several(answered: Answered[object], models: tuple[ModelRow, ...]) -> Report:
    columns = [
        Column("name", "model"),
        Column("nodes", "nodes", Unit.COUNT),
        Column("params", "params", Unit.COUNT),
        Column("optimizer", "optimizer", Unit.COUNT),
        Column("time_us", "step", Unit.MICROS),
    ]
    table = Table(columns, [_row(one) for one in models], fold=Fold(_MODELS_SHOWN))
    paths = [shell_path(one.path) for model in models[:1] for one in model.inputs]
    example = [f"One of them: tfprof {' '.join(paths)}"] if paths else []
    return Report(
        *answered.subject.lines, [table, Notes([*example, *answered.notes], _NOTES_SHOWN)]
    )


def _row(model: ModelRow) -> list[Value]:
    """Parameters without the optimizer's, where it is known what is whose."""
    params, step = model.params, model.time.step_us
    own = params.trainable if params.trainable.known else params.total
    return [
        model.name,
        model.nodes,
        own,
        params.optimizer.number or "",
        step if step.known else "",
    ]
