"""Who takes most of what went over its limit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tfprof.errors import TfprofError
from tfprof.reports import layers, memory
from tfprof.reports.check.measured import Measured
from tfprof.reports.layers.of_graph import cost_of, layers_of
from tfprof.reports.layers.query import Query as LayersQuery
from tfprof.reports.shared.model_costs import costs_of
from tfprof.results.check import Contributor
from tfprof.results.layers import RowCost

_SHOWN = 5
_TIME = "time_us"
_OF_LAYERS = {"params": "params", "trainable_params": "params", "flops": "flops", "macs": "macs",
              "step_time": _TIME}  # fmt: skip


def contributors(metric: str, one: Measured) -> tuple[Contributor, ...]:
    """The largest first; none where nobody can tell."""
    try:
        if metric in _OF_LAYERS:
            return _largest(_of_layers(_OF_LAYERS[metric], one))
        if metric == "peak_memory":
            return _largest(_alive(one))
    except TfprofError:
        return ()
    if metric == "unknown":
        return _largest((row.op, row.count) for row in one.summary.costs.uncounted_ops or ())
    return _largest(one.summary.ops.items() if metric == "nodes" else ())


def _of_layers(column: str, one: Measured) -> Iterator[tuple[str, float]]:
    for name, cost in _costs(column, one):
        value = getattr(cost, column).number
        if value:
            yield name, value


def _costs(column: str, one: Measured) -> Iterator[tuple[str, RowCost]]:
    """Of a graph without what `layers` tells beside it: the peak of each takes longest."""
    known = one.summary.known
    if column == _TIME or known.data.graph is None:
        rows = layers.ask(one.data, LayersQuery(one.question)).data.rows
        return ((row.name, row.cost) for row in rows)
    costs = known.static or costs_of(known.data, known.question)
    return ((layer.name, cost_of(layer)) for layer in layers_of(known.data, costs))


def _alive(one: Measured) -> Iterator[tuple[str, float]]:
    estimated = one.summary.known.memory
    if one.summary.memory_kind == "estimated" and estimated is not None:
        for alive in estimated.highest.live:
            yield alive.name or "(nobody says)", alive.bytes
        return
    found = memory.ask(one.data, memory.Query(one.question)).data.devices
    blocks = {_number(device.peak_bytes): device.live_at_peak for device in found.values()}
    for block in blocks[max(blocks)] if blocks else ():
        yield block.name or "(nobody says)", block.bytes


def _number(value: object) -> float:
    found = getattr(value, "number", value)
    return float(found) if isinstance(found, int | float) else 0.0


def _largest(rows: Iterable[tuple[str, float]]) -> tuple[Contributor, ...]:
    sums: dict[str, float] = {}
    for name, value in rows:
        sums[name] = sums.get(name, 0) + value
    ranked = sorted(sums.items(), key=lambda pair: -pair[1])
    return tuple(Contributor(name, value) for name, value in ranked[:_SHOWN])
