"""Memory: over time as a run took it, over the batch as a step will need it."""

from __future__ import annotations

from collections.abc import Mapping

from tfprof.analyses.memory_trace.devices import measured_memory
from tfprof.errors import TfprofError
from tfprof.reports import memory
from tfprof.reports.memory.measured import types_of, why_none
from tfprof.reports.page.about import About, NothingToShow
from tfprof.reports.page.memory.over_batches import estimated_of, over_batches
from tfprof.reports.page.memory.over_time import device_over_time
from tfprof.reports.page.shown import facts_of, notes_of, table_part
from tfprof.results.answered import Answered
from tfprof.results.memory import EstimatedMemory
from tfprof.results.memory_trace import MeasuredMemory
from tfprof.results.page_memory import DeviceOverTime
from tfprof.views.shapes import Column, Table, Unit, Value

_BLOCKS = 400


def section(about: About) -> Mapping[str, object]:
    devices = _devices(about)
    measured = _measured(about) if devices else None
    estimated, why_not = _estimated(about)
    if not devices and estimated is None:
        raise NothingToShow(_why_not_measured(about) or why_not)
    return {
        "devices": devices,
        "measured": facts_of(memory.view(measured)) if measured is not None else [],
        "notes": notes_of(memory.view(measured)) if measured is not None else [],
        "why_not_measured": "" if devices else _why_not_measured(about),
        "batches": over_batches(estimated.data) if estimated is not None else None,
        "estimated": facts_of(memory.view(estimated)) if estimated is not None else [],
        "estimated_notes": notes_of(memory.view(estimated)) if estimated is not None else [],
        "living": table_part(_living(estimated.data)) if estimated is not None else None,
        "why_not_estimated": why_not,
    }


def _devices(about: About) -> list[DeviceOverTime]:
    data = about.data.as_recorded()
    if not data.hosts:
        return []
    found = measured_memory(data.hosts.on_one_clock)
    types = types_of(data) if found else {}
    return [device_over_time(one, types) for one in found if len(one.highest)]


def _measured(about: About) -> Answered[MeasuredMemory] | None:
    found = memory.ask(about.data, memory.Query())
    return found if isinstance(found.data, MeasuredMemory) else None  # type: ignore[return-value]


def _estimated(about: About) -> tuple[Answered[EstimatedMemory] | None, str]:
    if about.data.graph is None and about.data.keras is None:
        return None, "only a graph or a .keras file tells what a step will need"
    try:
        return about.once(estimated_of), ""
    except TfprofError as fault:
        return None, str(fault)


def _why_not_measured(about: About) -> str:
    hosts = about.data.as_recorded().hosts
    return ". ".join(why_none(hosts)) if hosts else ""


def _living(found: EstimatedMemory) -> Table:
    """What an estimated peak is made of."""
    columns = [
        Column("name", "name"),
        Column("op", "op"),
        Column("kind", "kind"),
        Column("bytes", "bytes", Unit.BYTES),
    ]
    living = found.highest.live_at_peak
    rows: list[list[Value]] = [[one.name, one.op, one.kind, one.bytes] for one in living]
    return Table(columns, rows[:_BLOCKS])
