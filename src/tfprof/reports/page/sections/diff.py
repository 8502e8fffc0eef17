"""What changed against other profiles: the same work or not, rows by effect, steps side by side."""

from __future__ import annotations

from collections.abc import Mapping

from tfprof.reports import diff
from tfprof.reports.diff.answer import short_names
from tfprof.reports.page.about import About, NothingToShow
from tfprof.reports.page.shown import facts_of, notes_of
from tfprof.results.diff import DiffRow
from tfprof.results.page_diff import EffectRow, SideShown

_NOTHING = "nothing to compare with: `tfprof report PATH --against OTHER` adds it"
_MOST_ROWS = 3_000
_UNITS = {"us": "microseconds", "bytes": "bytes", "share": "share"}
_EXACT = ("params", "count", "nodes", "tensors")


def section(about: About) -> Mapping[str, object]:
    """The others come first: what is shown on the page is what became of them."""
    if not about.query.others:
        raise NothingToShow(_NOTHING)
    sides = [*about.query.others, (about.data.title, [about.data])]
    answer = diff.compare(sides, diff.Query(about.query.question))
    found, report = answer.data, diff.view(answer)
    rows = sorted(found.rows, key=_effect)
    if len(rows) > _MOST_ROWS:
        about.notes.append(f"Of {len(rows):,} differences, the page has the first {_MOST_ROWS:,}.")
    names = short_names([side.name for side in found.sides])
    return {
        "summary": found.summary,
        "sides": [
            SideShown(name, side, side.breakdown)
            for name, side in zip(names, found.sides, strict=True)
        ],
        "comparable": found.comparable,
        "rows": [EffectRow(row, _unit(row), row.relative) for row in rows[:_MOST_ROWS]],
        "all_rows": len(rows),
        "facts": facts_of(report),
        "notes": notes_of(report),
    }


def _effect(row: DiffRow) -> tuple[bool, bool, float, str]:
    """What is surely different first; of that times, by how much; then what is exact."""
    by = row.size if row.is_time else abs(row.relative or 0.0)
    return (row.significant is not True, not row.is_time, -by, row.name)


def _unit(row: DiffRow) -> str:
    end = row.metric.rpartition("_")[2]
    return _UNITS.get(end, "count" if end in _EXACT else "scaled")
