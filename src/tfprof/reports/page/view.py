"""What is told of a page that was written."""

from __future__ import annotations

from tfprof.model import units
from tfprof.results.answered import Answered
from tfprof.results.page import PageWritten
from tfprof.views.shapes import Column, Facts, Notes, Report, Table, Unit, without_empty


def view(answered: Answered[PageWritten]) -> Report:
    told = answered.data
    facts = Facts([("Written", ", ".join(told.written)), ("Size", units.size(told.bytes))])
    sizes = [Column("section", "section"), Column("bytes", "size", Unit.BYTES)]
    shown = Table(sizes, [[one.kind, one.bytes] for one in told.sections])
    reasons = [Column("section", "not there"), Column("why", "because", Unit.PROSE)]
    absent = Table(reasons, [[one.kind, one.why] for one in told.absent])
    return Report(*answered.subject.lines, without_empty([facts, shown, absent, Notes(told.notes)]))
