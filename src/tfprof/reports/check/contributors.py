"""Who takes most of what went over its limit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tfprof.errors import TfprofError
from tfprof.reports import layers, memory
from tfprof.reports.check.measured import Measured
from tfprof.reports.layers.query import Query as LayersQuery
from tfprof.results.check import Contributor

_SHOWN = 5
_OF_LAYERS = {"params": "params", "trainable_params": "params", "flops": "flops", "macs": "macs",
              "step_time": "time_us"}  # fmt: skip


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
    for row in layers.ask(one.data, LayersQuery(one.question)).data.rows:
        value = getattr(row.cost, column).number
        if value:
            yield row.name, value


def _alive(one: Measured) -> Iterator[tuple[str, float]]:
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
