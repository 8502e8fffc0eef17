"""Costs by scope, graph or line of code as a flame graph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tfprof.errors import InputMissing
from tfprof.model import units
from tfprof.model.metrics import METRICS, OF_BYTES, OF_TIME
from tfprof.results.answered import Answered
from tfprof.results.trees import CostRows, CostTreeResult
from tfprof.views.chart import FlameBox, FlameChart

# of the whole; less is narrower than a line
_NARROWEST = 1 / 1500
_DEEPEST = 24
_NOTES = 3
_WRITE = {OF_BYTES: units.size, OF_TIME: units.duration}


def picture(answered: Answered[CostTreeResult]) -> FlameChart:
    """Of the one metric that is selected."""
    rows, title = answered.data.nodes, answered.subject.title
    metric = next(one for one in METRICS if one.name in answered.data.select)
    total = rows.total_of(metric.name)
    whole = int(total[rows.parent < 0].sum())
    if metric.name in rows.unknown or whole <= 0:
        reason = rows.unknown.get(metric.name, f"nothing here has any {metric.name}")
        raise InputMissing(reason, where=title, hint="--metric picks another one.")
    write = _WRITE.get(metric.unit, units.count)
    parts = (total / whole).tolist()
    boxes = list(_boxes(rows, parts, [write(one) for one in total.tolist()]))
    seen = f"{len(boxes):,} of {units.plural(len(rows), 'row')} are wide enough to be seen"
    return FlameChart(
        f"{metric.title} by {answered.command}: {title}",
        f"{write(whole)} in all; {seen}",
        boxes,
        answered.notes[:_NOTES],
    )


def _boxes(rows: CostRows, parts: Sequence[float], said: Sequence[str]) -> Iterator[FlameBox]:
    """Each behind those before it, within the one above; a parent always comes first."""
    names = rows.short_names()
    depth, kind = [0] * len(rows), [0] * len(rows)
    begin, used = [0.0] * len(rows), [0.0] * len(rows)
    roots, colours = 0.0, 0
    for at, parent in enumerate(rows.parent.tolist()):
        if parent < 0:
            begin[at], roots = roots, roots + parts[at]
        else:
            begin[at], depth[at] = begin[parent] + used[parent], depth[parent] + 1
            used[parent] += parts[at]
            colours += depth[at] == 1
            kind[at] = colours if depth[at] == 1 else kind[parent]
        if parts[at] >= _NARROWEST and depth[at] <= _DEEPEST:
            told = f"{rows.names[at]}\n{said[at]}, {units.share(parts[at], 1)}"
            yield FlameBox(depth[at], begin[at], parts[at], names[at], told, kind[at])
