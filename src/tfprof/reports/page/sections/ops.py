"""What op types, ops, layers and scopes cost and took: a table for each grouping."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from tfprof.errors import TfprofError
from tfprof.reports import layers, summary
from tfprof.reports.layers.tasks import tasks_of
from tfprof.reports.page.about import About, NothingToShow
from tfprof.reports.page.answers import summary_of
from tfprof.reports.page.shown import facts_of, notes_of, table_part, tables_of
from tfprof.reports.shared.digest import LARGEST_IN_A_SECOND
from tfprof.results.page_parts import TableChoice
from tfprof.views.shapes import Table

_GROUPS = {
    "op": "op type",
    "layer": "layer",
    "node": "op",
    "scope": "scope",
    "phase": "phase of training",
    "kernel": "kernel",
    "category": "category",
    "device": "device",
    "thread": "thread",
    "source": "line of code",
}
# one row of these tells nothing
_SEVERAL = ("device", "thread", "phase", "category", "source")
# each takes as long as the whole question: of a large graph only these are asked for
_OF_LARGE = ("op", "layer", "node")
_LARGE = "Of a graph this large, ops are listed by type, layer and name only:"
# rows come with what costs most first
_MOST_ROWS = 30_000
_MOST_BYTES_A_ROW = 160


def section(about: About) -> Mapping[str, object]:
    about.refuse_huge()
    if about.data.graph is None:
        asked = (tasks_of(layers.Query(by=by)) for by in _GROUPS)
        about.data.hosts.prepare([task for some in asked for task in some])
    choices = list(_choices(about)) or _of_summary(about)
    if not choices:
        raise NothingToShow("no op, no layer and no tensor: nothing to list")
    facts, notes = _said(about) if not _is_large(about) else ([], [])
    if _is_large(about):
        about.notes.append(f"{_LARGE} `tfprof layers --by` has the others.")
    return {"choices": choices, "facts": facts, "notes": notes}


def _choices(about: About) -> Iterator[TableChoice]:
    most = min(_MOST_ROWS, max(1_000, about.room // _MOST_BYTES_A_ROW))
    for by, title in _GROUPS.items():
        if by not in _OF_LARGE and _is_large(about):
            continue
        try:
            answer = layers.ask(about.data, layers.Query(about.query.question, by=by))
        except TfprofError:
            continue
        found = [one for one in layers.view(answer).parts if isinstance(one, Table)]
        rows = len(found[0].rows) if found else 0
        if rows < 1 + (by in _SEVERAL):
            continue
        kept = replace(found[0], rows=found[0].rows[:most]) if rows > most else found[0]
        if rows > most:
            about.notes.append(f"Of {rows:,} rows by {title}, the page has the first {most:,}.")
        yield TableChoice(by, title, rows, table_part(kept))


def _is_large(about: About) -> bool:
    graph = about.data.graph
    return graph is not None and len(graph) > LARGEST_IN_A_SECOND


def _of_summary(about: About) -> list[TableChoice]:
    """Of a checkpoint its tensors."""
    tables = tables_of(summary.view(about.once(summary_of)))
    return [TableChoice("tensor", "tensor", one.count, one) for one in tables[:1] if one.count]


def _said(about: About) -> tuple[object, object]:
    try:
        report = layers.view(layers.ask(about.data, layers.Query(about.query.question)))
    except TfprofError:
        return [], []
    return facts_of(report), notes_of(report)
