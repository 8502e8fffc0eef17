"""Costs by scope: params, FLOPs, time and memory, as flames or as a map of areas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tfprof.analyses.device_events.phases import phase_of
from tfprof.analyses.inference.sites import Given
from tfprof.model.graph import Graph
from tfprof.model.metrics import COLUMN_OF, LOST_OF, METRICS
from tfprof.model.options import Options
from tfprof.reports.model.thinned import deepest, depths
from tfprof.reports.page.about import About, NothingToShow
from tfprof.reports.trees import Prepared, Query
from tfprof.results.device_work import Phase
from tfprof.results.page_flame import ScopeMetric, ScopeTree
from tfprof.results.trees import CostRows, CostTreeResult

_EVERY_LEVEL = 1_000
# a browser is quick with these
_MOST_ROWS = 300_000
_MIXED = "several phases"
_PHASES = [*(one.value for one in Phase), _MIXED]
_TITLES = {
    "params": "parameters",
    "float_ops": "FLOPs",
    "bytes": "requested memory",
    "peak_bytes": "peak memory",
    "residual_bytes": "memory left",
    "output_bytes": "outputs",
    "micros": "time",
    "accelerator_micros": "time on devices",
    "cpu_micros": "time on CPUs",
    "occurrence": "ops",
}
_FIRST = ("micros", "params", "float_ops", "bytes")

Places = npt.NDArray[np.int32]


def section(about: About) -> Mapping[str, object]:
    """Every metric that anything tells; of the others why they are not there."""
    about.refuse_huge()
    names = tuple(one.name for one in METRICS)
    options = Options(max_depth=_EVERY_LEVEL, select=names, order_by="name")
    question = about.query.question
    asked = Query("scope", options, Given(question.sizes, question.feeds))
    answer = Prepared(about.data).ask(asked)
    if not isinstance(answer.data, CostTreeResult):
        raise TypeError("a tree was asked for")
    rows = answer.data.nodes
    metrics = sorted(_metrics(rows), key=lambda one: (one.totals is None, _place(one.key)))
    if not metrics or metrics[0].totals is None:
        raise NothingToShow("nothing has a cost: neither parameters, nor FLOPs, time or memory")
    tree = ScopeTree(
        rows.short_names(),
        np.asarray(rows.parent, np.int32),
        _phases(rows, about.data.graph),
        _PHASES,
        metrics,
    )
    return {"tree": _within(tree, about), "notes": list(answer.notes)}


def _within(tree: ScopeTree, about: About) -> ScopeTree:
    """Without its deepest levels where there are too many rows: sums are those of all."""
    if len(tree.names) <= _MOST_ROWS:
        return tree
    depth = depths(tree.parent.tolist())
    level = deepest(depth, _MOST_ROWS)
    kept = depth <= level
    number = np.cumsum(kept) - 1
    about.notes.append(
        f"Of {len(tree.names):,} scopes and ops, the flame graph has {level:,} levels: "
        f"{int(kept.sum()):,} rows. `tfprof scope` has all of them."
    )
    return ScopeTree(
        [name for name, is_kept in zip(tree.names, kept.tolist(), strict=True) if is_kept],
        np.where(tree.parent >= 0, number[tree.parent], -1)[kept].astype(np.int32),
        tree.phase[kept],
        tree.phases,
        [_of_rows(one, kept) for one in tree.metrics],
    )


def _of_rows(metric: ScopeMetric, kept: npt.NDArray[np.bool_]) -> ScopeMetric:
    totals = None if metric.totals is None else metric.totals[kept]
    lost = None if metric.lost is None else metric.lost[kept]
    return replace(metric, totals=totals, lost=lost)


def _place(key: str) -> tuple[int, str]:
    return (_FIRST.index(key) if key in _FIRST else len(_FIRST), key)


def _metrics(rows: CostRows) -> Iterator[ScopeMetric]:
    root = rows.parent < 0
    for metric in METRICS:
        totals = rows.total_of(metric.name)
        why = rows.unknown.get(metric.name, "")
        if not why and totals[root].sum() <= 0:
            why = f"nothing here has any {_TITLES[metric.name]}"
        lost = LOST_OF.get(COLUMN_OF[metric.name])
        missing = None if lost is None else rows.total[:, lost].astype(np.int32)
        yield ScopeMetric(
            metric.name,
            _TITLES[metric.name],
            "scaled" if metric.unit == "count" else metric.unit,
            metric.about,
            why,
            None if why else totals.astype(np.float64),
            missing if missing is not None and missing.any() and not why else None,
        )


def _phases(rows: CostRows, graph: Graph | None) -> npt.NDArray[np.uint8]:
    """Of an op by its name and type; of a scope what all in it have in common."""
    types = _types(graph) if graph is not None else {}
    parent = rows.parent.tolist()
    mixed, none = len(_PHASES) - 1, len(_PHASES)
    codes = {one: at for at, one in enumerate(Phase)}
    found = [none] * len(parent)
    inner = set(parent)
    for at in range(len(parent) - 1, -1, -1):
        if at not in inner:
            found[at] = codes[phase_of(rows.names[at], types.get(rows.names[at], ""))]
        above = parent[at]
        if above >= 0:
            same = found[above] in (none, found[at])
            found[above] = found[at] if same else mixed
    return np.array([mixed if one == none else one for one in found], np.uint8)


def _types(graph: Graph) -> dict[str, str]:
    table, codes = graph.ops.table, graph.ops.codes.tolist()
    return {name: table[code] for name, code in zip(graph.names, codes, strict=True)}
