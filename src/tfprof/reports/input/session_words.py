"""What session runs waited for, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tfprof.analyses.advice.of_runs.input_bound import ITERATOR_CHANGE, QUEUE_CHANGE
from tfprof.model import units
from tfprof.model.units import as_micros
from tfprof.reports.shared.input_bound import is_input_bound
from tfprof.results.input import Filler, SessionFetch
from tfprof.views.shapes import Column, Table, Unit, Value

_SOURCES_SHOWN, _FILLERS_SHOWN = 3, 3
_NOT_TRACED = "whose runs were not traced"


def fetch_facts(found: Sequence[SessionFetch], share: float | None) -> Iterator[tuple[str, str]]:
    """What is waited for most comes first; what to change, where that would help."""
    sources: dict[str | None, list[SessionFetch]] = {}
    for one in found:
        sources.setdefault(one.source, []).append(one)
    for fetches in list(sources.values())[:_SOURCES_SHOWN]:
        yield "Iterator" if _is_iterator(fetches[0]) else "Queue", _source_text(fetches)
        if fetches[0].filled_by:
            yield "Filled by", _fillers_text(fetches[0].filled_by)
    if is_input_bound(share):
        yield "Change", ITERATOR_CHANGE if _is_iterator(found[0]) else QUEUE_CHANGE


def _is_iterator(one: SessionFetch) -> bool:
    return one.op.startswith("Iterator")


def _source_text(fetches: Sequence[SessionFetch]) -> str:
    """batch/fifo_queue (FIFOQueueV2, capacity 32): QueueDequeueManyV2 batch takes 3.2 ms a run."""
    one = fetches[0]
    others = f"; so do {len(fetches) - 1:,} other ops, less" if len(fetches) > 1 else ""
    room = f", capacity {one.capacity:,}" if one.capacity is not None else ""
    kind = f" ({one.source_op}{room})" if one.source_op else ""
    mean = units.duration_ps(one.waited / one.runs)
    return f"{one.source or '?'}{kind}: {one.op} {one.name} takes {mean} a run{others}"


def _fillers_text(fillers: Sequence[Filler]) -> str:
    said = [f"{one.name}, {_runs_text(one)}" for one in fillers[:_FILLERS_SHOWN]]
    more = len(fillers) - len(said)
    return "; ".join(said) + (f"; {more:,} more" if more else "")


def _runs_text(one: Filler) -> str:
    if one.time is None:
        return _NOT_TRACED
    return f"{units.plural(one.runs, 'run')} of {units.duration_ps(one.time / one.runs)}"


def fetch_table(found: Sequence[SessionFetch]) -> Table:
    columns = [
        Column("name", "op that waits"),
        Column("op", "type"),
        Column("runs", "runs", Unit.COUNT),
        Column("waited_us", "time", Unit.MICROS),
        Column("longest_us", "longest", Unit.MICROS),
        Column("source", "takes from"),
    ]
    rows: list[list[Value]] = [
        [one.name, one.op, one.runs, as_micros(one.waited), as_micros(one.longest), one.source]
        for one in found
    ]
    return Table(columns, rows)
