"""Memory on a screen."""

from __future__ import annotations

from tfprof.reports.memory.estimated_view import against_parts, estimated_parts
from tfprof.reports.memory.measured_view import measured_parts
from tfprof.results.answered import Answered
from tfprof.results.memory import EstimatedMemory
from tfprof.results.memory_trace import MeasuredMemory
from tfprof.views.shapes import Notes, Part, Report, without_empty


def view(answered: Answered[EstimatedMemory | MeasuredMemory]) -> Report:
    memory = answered.data
    notes = list(answered.notes)
    parts: list[Part]
    if isinstance(memory, MeasuredMemory):
        parts = measured_parts(memory)
    else:
        parts = against_parts(memory, memory.against) if memory.against else estimated_parts(memory)
        notes.append(memory.source)
    return Report(*answered.subject.lines, without_empty([*parts, Notes(notes)]))
