"""A summary of what some paths hold: one model on one screen, of several a line each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from tfprof.errors import InputUnreadable
from tfprof.model import units
from tfprof.model.host_work import HostWork
from tfprof.reports.shared.digest import Digest, digest
from tfprof.reports.shared.parameters import counts_of
from tfprof.reports.summary.answer import ask
from tfprof.reports.summary.parts import nodes_of, time_of
from tfprof.reports.summary.query import Query
from tfprof.results.answered import SCHEMA, Answered, Subject, used_inputs
from tfprof.results.summary import ModelRow, ModelsResult, ModelTime, SummaryResult
from tfprof.sources.find.load import Choice, ProgressOf, Request, choose, read


def ask_paths(
    request: Request,
    query: Query,
    progress: ProgressOf | None = None,
    work: HostWork | None = None,
) -> Answered[SummaryResult | ModelsResult]:
    choice = choose(request)
    if len(choice.selections) == 1:
        data = read(choice.selections[0], progress, work)
        with_all = replace(data, warnings=(*choice.warnings, *data.warnings))
        return ask(with_all, query, progress)
    return _models(str(request.paths[0]), choice, progress)


def _models(folder: str, choice: Choice, progress: ProgressOf | None) -> Answered[ModelsResult]:
    """Those that can be read; an error if none can."""
    found: list[Digest] = []
    faults: list[InputUnreadable] = []
    for selection in choice.selections:
        try:
            found.append(digest(read(selection, progress)))
        except InputUnreadable as fault:
            faults.append(fault)
    if not found:
        raise faults[0]
    return _listed(folder, found, choice.warnings, [*_named_only(choice), *map(str, faults)])


def _named_only(choice: Choice) -> list[str]:
    """Captures that belong to none of the models, a line for each kind."""
    kinds = Counter(f.kind for f, _ in choice.left_over if f.kind)
    return [
        f"Also here: {count} x {kind}; `tfprof doctor` lists them" for kind, count in kinds.items()
    ]


def _listed(
    folder: str, found: Iterable[Digest], warnings: Sequence[str], unread: Sequence[str]
) -> Answered[ModelsResult]:
    found = sorted(found, key=lambda d: (-(d.parameters.total.number or 0), d.data.title))
    rows = tuple(_row(folder, one) for one in found)
    told = (*warnings, *(text for one in found for text in one.data.warnings), *unread)
    used = tuple(one for row in rows for one in row.inputs)
    subject = Subject(folder, units.plural(len(rows), "model"))
    return Answered(SCHEMA, "summary", used, told, ModelsResult(rows), subject, tuple(unread))


def _row(folder: str, known: Digest) -> ModelRow:
    nodes, _ = nodes_of(known)
    inputs, params = used_inputs(known.data), counts_of(known.parameters)
    time = ModelTime(time_of(known).step_us)
    return ModelRow(_name(folder, known.data.title), inputs, nodes, params, time)


def _name(folder: str, title: str) -> str:
    path = Path(title)
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else title
