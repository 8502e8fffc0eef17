"""What tfprof can read, and how it tells one format from another."""

from __future__ import annotations

from tfprof.results.answered import SCHEMA, Answered, Subject
from tfprof.results.formats import FormatsResult, KnownFormat
from tfprof.sources.files.registry import Format, formats
from tfprof.views.shapes import Column, Report, Table, Unit


def formats_known() -> Answered[FormatsResult]:
    known = FormatsResult(tuple(_known(one) for one in formats().values()))
    told = "A file is told by its bytes; the name only breaks ties."
    return Answered(SCHEMA, "formats", (), (), known, Subject("Formats", told))


def _known(one: Format) -> KnownFormat:
    names = tuple(name.strip() for name in one.names.split(","))
    read = one.read is not None
    return KnownFormat(one.name, one.about, names, one.recognised_by, one.gives, read)


def view(answered: Answered[FormatsResult]) -> Report:
    columns = [
        Column("name", "format"),
        Column("names", "usual names", Unit.PROSE),
        Column("recognised_by", "recognised by", Unit.PROSE),
        Column("read", "read"),
    ]
    rows = [
        [one.name, ", ".join(one.names), one.recognised_by, "yes" if one.read else "named only"]
        for one in answered.data.formats
    ]
    return Report(*answered.subject.lines, [Table(columns, rows)])
