"""The model as boxes on a page: the scopes that cost most are opened, as far as there is room."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tfprof.errors import InputMissing
from tfprof.model import units
from tfprof.results.answered import Answered
from tfprof.results.model_graph import OF_BYTES, OF_TIME, GraphMetric, ModelGraph
from tfprof.views.chart import GraphBox, GraphChart, GraphLink

_MOST_BOXES = 40
_NOTES = 4
# those of less than this part of the whole stay closed
_WORTH = 0.02
_WRITE = {OF_BYTES: units.size, OF_TIME: units.duration}


def picture(answered: Answered[ModelGraph]) -> GraphChart:
    graph, title = answered.data, answered.subject.title
    counted = _metric(graph, graph.shown, title)
    rows = _shown(graph, counted)
    most = max((_value(counted, row) or 0.0 for row in rows), default=0.0)
    word = "op" if graph.of == "ops" else "layer"
    whole = counted.whole or 0.0
    return GraphChart(
        f"The model by {counted.title.lower()}: {title}",
        f"{_written(counted, 0)} in all; {units.plural(graph.nodes, word)} in {len(rows)} boxes",
        [_box(graph, counted, row, most, whole, word) for row in rows],
        _links(graph, {row: at for at, row in enumerate(rows)}),
        [*_legend(counted), *answered.notes][:_NOTES],
    )


def _metric(graph: ModelGraph, asked: str | None, title: str) -> GraphMetric:
    """What was asked for, else the first that there is something of."""
    if asked is not None:
        found = graph.metric(asked)
        if found is None or found.whole is None:
            why = found.why if found is not None and found.why else f"nothing here has any {asked}"
            raise InputMissing(why, where=title, hint="--metric picks another one.")
        return found
    known = [one for one in graph.metrics if one.whole]
    by_key = {one.key: one for one in known}
    usual = (by_key.get(key) for key in ("time", "flops", "params"))
    found = next((one for one in usual if one is not None), None)
    return found or (known[0] if known else graph.metrics[0])


def _shown(graph: ModelGraph, metric: GraphMetric) -> list[int]:
    """Rows in their order: of those that hold others, the ones with the most are opened."""
    first = np.argsort(graph.parent[1:], kind="stable") + 1
    bounds = np.searchsorted(graph.parent[first], np.arange(len(graph) + 1))
    shown = set(first[bounds[0] : bounds[1]].tolist())
    kept: set[int] = set()
    whole = _value(metric, 0) or 0.0
    while len(shown) < _MOST_BOXES:
        scopes = [row for row in shown - kept if graph.kind[row] != 0]
        row = max(scopes, key=lambda one: (_value(metric, one) or 0.0, -one), default=0)
        few = len(shown) < _MOST_BOXES // 4
        if not row or (not few and (_value(metric, row) or 0.0) < _WORTH * whole):
            break
        inside = first[bounds[row] : bounds[row + 1]].tolist()
        if len(shown) - 1 + len(inside) > _MOST_BOXES:
            kept.add(row)
            continue
        shown.remove(row)
        shown.update(inside)
    return sorted(shown)


def _links(graph: ModelGraph, at: Mapping[int, int]) -> list[GraphLink]:
    """Edges by the boxes that hold their ends; one shape, or none if they differ."""
    holder = np.full(len(graph), -1, np.int64)
    for row in range(1, len(graph)):
        holder[row] = at.get(row, holder[int(graph.parent[row])])
    edges = graph.data
    ends = holder[edges.source], holder[edges.target]
    outside = np.flatnonzero((ends[0] >= 0) & (ends[1] >= 0) & (ends[0] != ends[1]))
    found: dict[tuple[int, int], list[int]] = {}
    for edge in outside.tolist():
        found.setdefault((int(ends[0][edge]), int(ends[1][edge])), []).append(edge)
    return [
        GraphLink(source, target, _shape(graph, some), len(some))
        for (source, target), some in found.items()
    ]


def _shape(graph: ModelGraph, edges: list[int]) -> str:
    """What flows; of several with different shapes, how many there are."""
    shapes = {int(graph.data.shape[edge]) for edge in edges}
    more = f" ({len(edges)})" if len(edges) > 1 else ""
    if len(shapes) > 1:
        return f"{len(edges):,} tensors"
    (shape,) = shapes
    return graph.data.shapes[shape] + more if shape else ""


def _box(
    graph: ModelGraph, metric: GraphMetric, row: int, most: float, whole: float, word: str
) -> GraphBox:
    value, inside = _value(metric, row), _inside(graph, row)
    is_scope = bool(graph.kind[row] != 0)
    what = units.plural(inside, word) if is_scope else graph.ops[int(graph.op[row])]
    cost = "no data" if value is None else _written(metric, row)
    share = f", {units.share(value, whole)}" if value is not None and whole else ""
    name = graph.name_of(row) if graph.kind[row] != 2 else graph.labels[row]
    heat = None if value is None else (value / most) ** 0.5 if most else 0.0
    said = f"{graph.name_of(row)}\n{metric.title}: {cost}{share}\n{what}"
    return GraphBox(name, f"{cost} · {what}" if what else cost, heat, said, is_scope)


def _inside(graph: ModelGraph, row: int) -> int:
    """How many nodes: rows are in preorder, and end where a row stands further out."""
    at, count, end = row + 1, 0, len(graph)
    inside = {row}
    while at < end and int(graph.parent[at]) in inside:
        inside.add(at)
        count += int(graph.kind[at] == 0)
        at += 1
    return count


def _value(metric: GraphMetric, row: int) -> float | None:
    value = float("nan") if metric.total is None else float(metric.total[row])
    return None if np.isnan(value) else value


def _written(metric: GraphMetric, row: int) -> str:
    value = _value(metric, row)
    if value is None:
        return "?"
    least = metric.partly is not None and bool(metric.partly[row])
    write = _WRITE.get(metric.unit, units.count)
    text = write(round(value) if metric.unit != OF_TIME else value)
    return f"≥ {text}" if least else text


def _legend(metric: GraphMetric) -> list[str]:
    return [
        f"{metric.title}: {metric.about}. The darker a box, the more of it; dashed: no data.",
        "⇄ so many boxes are joined to this one, by lines that are left out.",
    ]
