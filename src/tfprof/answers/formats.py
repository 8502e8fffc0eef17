"""What tfprof can read, and how it tells one format from another."""

from __future__ import annotations

from collections.abc import Sequence

from tfprof.sources.registry import Format
from tfprof.views.result import Result
from tfprof.views.shapes import Column, Report, Table, Unit


def formats_answer(known: Sequence[Format]) -> Result:
    rows = [
        [f.name, f.names, f.recognised_by, "yes" if f.read is not None else "named only"]
        for f in known
    ]
    columns = [
        Column("name", "format"),
        Column("names", "usual names", Unit.PROSE),
        Column("recognised_by", "recognised by", Unit.PROSE),
        Column("read", "read"),
    ]
    data = {
        "formats": [
            {
                "name": f.name,
                "about": f.about,
                "names": [n.strip() for n in f.names.split(",")],
                "recognised_by": f.recognised_by,
                "gives": f.gives,
                "read": f.read is not None,
            }
            for f in known
        ]
    }
    view = Report(
        "Formats", "A file is told by its bytes; the name only breaks ties.", [Table(columns, rows)]
    )
    return Result("formats", [], [], data, view)
