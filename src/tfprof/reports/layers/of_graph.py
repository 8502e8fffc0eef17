"""Of a graph, and of a run beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from tfprof.analyses.cost.layers import LayerOps, by_layer
from tfprof.analyses.cost.op_costs import Cost as WorkCost
from tfprof.analyses.cost.op_costs import OpCost, OpCosts, summed
from tfprof.analyses.graph.layer_names import NO_LAYER
from tfprof.analyses.graph.roles import Role
from tfprof.analyses.graph.variables import find_variables
from tfprof.analyses.runtime.host_times import OpTimesQuery, op_times_of
from tfprof.analyses.runtime.op_clock import OpClock
from tfprof.analyses.runtime.roofline import estimates
from tfprof.errors import UsageError
from tfprof.model.dims import BATCH, Size, at, symbols
from tfprof.model.graph import Graph
from tfprof.model.profile import ProfileData
from tfprof.model.quantity import Quantity
from tfprof.model.remembered import is_kept, remembered
from tfprof.reports.layers.at_peak import ONE_SAMPLE, AtPeak, Owner, peak_of_graph
from tfprof.reports.layers.nulls import null_peaks, nulls
from tfprof.reports.layers.of_run import (
    NO_RUN,
    check_run,
    ran_row,
    warnings_of,
)
from tfprof.reports.layers.query import STATIC_GROUPS, Query
from tfprof.reports.layers.recorded_names import known_layers
from tfprof.reports.shared import model_costs as shared
from tfprof.reports.shared.kernels_of_run import memory_model_of_run
from tfprof.reports.shared.logged_flops import logged_beside_counted, logged_flops
from tfprof.reports.shared.recorded_run import said_of_batch, with_batch_of_run
from tfprof.reports.shared.whole_hosts import with_whole_hosts
from tfprof.results.answered import Answered, answered
from tfprof.results.layers import (
    EstimatedTime,
    GroupWork,
    LayersResult,
    LayersRow,
    LayerTime,
    RowCost,
)
from tfprof.results.op_times import MeasuredTime, OpTime

_OF_LAYERS = "only layers tell it"


def of_graph(data: ProfileData, graph: Graph, query: Query) -> Answered[LayersResult]:
    """A run adds measured time, a device estimated time."""
    data = with_whole_hosts(data)
    if query.by not in STATIC_GROUPS:
        check_run(data, query.by)
    costs = shared.costs_of(data, query.question)
    question = with_batch_of_run(data, query.question, costs.symbols)
    if question != query.question:
        costs, query = shared.costs_of(data, question), replace(query, question=question)
        data = replace(data, warnings=(*data.warnings, said_of_batch(question.sizes[BATCH])))
    layers = layers_of(data, costs)
    time = _measured(data, query, costs, layers)
    owner, model = _owner(query.by, layers), memory_model_of_run(data)
    peak = peak_of_graph(costs, graph, query.question, owner, model)
    result = LayersResult(
        _rows(query.by, costs, layers, time, peak),
        query.by,
        shared.computed_costs(costs),
        time,
        _estimated(data, query, costs, layers),
    )
    warnings = [*data.warnings, *shared.warnings_of(costs)]
    warnings += [] if time is None else warnings_of(time)
    warnings += _borrowed(result.estimated_time)
    notes = [*warnings, *_sizes_note(costs)]
    logged = logged_beside_counted(logged_flops(data), shared.computed_costs(costs).float_ops)
    lost = [*nulls(result.rows, _OF_LAYERS), *null_peaks(time), *logged]
    lost += [ONE_SAMPLE] if BATCH in costs.symbols else []
    return answered("layers", data, result, [*warnings, *lost], notes)


@remembered(
    lambda data, costs: ((costs, data.graph, data.declared, data.oplog), (known_layers(data),)),
    lambda data, _: data.recorded is None and is_kept(data.graph),
)
def layers_of(data: ProfileData, costs: OpCosts) -> list[LayerOps]:
    return by_layer(costs, _no_parameters(data), known_layers(data))


def cost_of(layer: LayerOps) -> RowCost:
    """Before it runs, and without the peak of the step, which takes longest to tell."""
    return _layer(layer, None, AtPeak(Counter(), unknown="not asked for")).cost


def _no_parameters(data: ProfileData) -> set[str]:
    """Seeds and counters: no layer is larger for them."""
    return {one.name for one in find_variables(data) if one.role is Role.OTHER}


def _measured(
    data: ProfileData, query: Query, costs: OpCosts, layers: Sequence[LayerOps]
) -> MeasuredTime | None:
    if not data.hosts.any_ops:
        return None
    return op_times_of(data, OpTimesQuery(query.by, costs, layers)).finish(query.device)


def _estimated(
    data: ProfileData, query: Query, costs: OpCosts, layers: Sequence[LayerOps]
) -> EstimatedTime | None:
    if not query.wants_time or query.by not in STATIC_GROUPS:
        return None
    if set(costs.symbols) - {BATCH}:
        asks = shared.open_sizes(costs.symbols)
        raise UsageError("a time needs every size", hint=" ".join(asks))
    name_of = _names(layers)[query.by]
    clock = OpClock(query.device, query.calibration)
    return estimates(costs.ops, clock, name_of, {BATCH: 1}, data.hosts)


def _borrowed(time: EstimatedTime | None) -> list[str]:
    """What the captures have nothing of."""
    if time is None or not time.borrowed:
        return []
    pairs = ", ".join(f"{name} as {other}" for name, other in sorted(time.borrowed.items()))
    return [f"The captures have no ops of some families, timed like the next one: {pairs}."]


def _sizes_note(costs: OpCosts) -> list[str]:
    asks = shared.open_sizes(costs.symbols)
    one = "The table is of one sample, B = 1. " if BATCH in costs.symbols else ""
    return [f"{one}For other sizes: {' '.join(asks)}."] if asks else []


def _rows(
    by: str,
    costs: OpCosts,
    layers: Sequence[LayerOps],
    time: MeasuredTime | None,
    peak: AtPeak,
) -> tuple[LayersRow, ...]:
    if by == "layer":
        took = {row.name: row for row in time.rows} if time is not None else None
        return tuple(_layer(layer, took, peak) for layer in layers)
    if time is not None:
        of = peak.of if by in STATIC_GROUPS else lambda _: None
        return tuple(ran_row(row, by, _OF_LAYERS, of(row.name)) for row in time.rows)
    return _groups(by, costs, _names(layers)[by], peak)


def _names(layers: Sequence[LayerOps]) -> dict[str, Callable[[OpCost], str]]:
    """What the rows of a table are."""
    layer_of = {id(op): layer.name for layer in layers for op in layer.ops}
    return {
        "layer": lambda op: layer_of.get(id(op), NO_LAYER),
        "op": lambda op: op.site.op,
        "scope": lambda op: _scope(op.site.name),
        "node": lambda op: op.site.name,
    }


def _scope(name: str) -> str:
    return name.rpartition("/")[0] or name


def _owner(by: str, layers: Sequence[LayerOps]) -> Owner:
    """The row that something in memory belongs to."""
    if by == "layer":
        layer_of = {op.site.name: layer.name for layer in layers for op in layer.ops}
        return lambda alive: layer_of.get(alive.name, NO_LAYER)
    if by == "op":
        return lambda alive: alive.op
    return (lambda alive: _scope(alive.name)) if by == "scope" else (lambda alive: alive.name)


def _groups(
    by: str, costs: OpCosts, name_of: Callable[[OpCost], str], peak: AtPeak
) -> tuple[LayersRow, ...]:
    """Ops that work or move bytes, by name, those with the most work first."""
    members: dict[str, list[OpCost]] = {}
    for op in costs.ops:
        members.setdefault(name_of(op), []).append(op)
    sums = [(name, ops, summed(ops)) for name, ops in members.items()]
    kept = [one for one in sums if one[2].flops_all != 0 or one[2].bytes != 0]
    kept.sort(key=lambda one: (-_rough(one[2].flops_all), one[0]))
    return tuple(_group(by, *one, peak.of(one[0])) for one in kept)


def _rough(size: Size) -> int:
    """A number to sort formulas by."""
    one = at(size, dict.fromkeys(symbols(size), 1))
    return one if isinstance(one, int) else 0


def _group(by: str, name: str, ops: Sequence[OpCost], cost: WorkCost, peak: Quantity) -> LayersRow:
    sizes = (cost.macs, cost.flops, cost.flops_all, cost.float_ops, cost.read, cost.written)
    macs, flops, flops_all, float_ops, read, written = (_sum(size, ops) for size in sizes)
    kind = ops[0].site.op if by == "node" else None
    lost, took = Quantity.unknown(_OF_LAYERS), Quantity.unknown(NO_RUN)
    told = RowCost(kind, None, lost, macs, flops, flops_all, lost, peak, took)
    return LayersRow({by: name}, name, told, GroupWork(len(ops), float_ops, read, written))


def _sum(size: Size, ops: Sequence[OpCost]) -> Quantity:
    missing = sum(op.cost is None for op in ops)
    if missing:
        return Quantity.at_least(size, f"{missing:,} of {len(ops):,} ops not counted")
    return Quantity.derived(size)


def _layer(layer: LayerOps, took: Mapping[str, OpTime] | None, peak: AtPeak) -> LayersRow:
    cost = layer.cost
    told = RowCost(
        layer.kind,
        layer.output,
        _params(layer),
        _sum(cost.macs, layer.ops),
        _sum(cost.flops, layer.ops),
        _sum(cost.flops_all, layer.ops),
        Quantity.derived(layer.activation_bytes),
        peak.of(layer.name),
        _time(layer, took),
    )
    ran = took.get(layer.name) if took is not None else None
    beside = LayerTime.of(ran) if ran is not None else None
    return LayersRow({"layer": layer.name}, layer.name, told, beside)


def _params(layer: LayerOps) -> Quantity:
    total: Size = 0
    for name, size in layer.variables.items():
        if size is None:
            return Quantity.unknown(f"the size of {name} is not known")
        total = total + size
    return Quantity.derived(total)


def _time(layer: LayerOps, took: Mapping[str, OpTime] | None) -> Quantity:
    if took is None:
        return Quantity.unknown(NO_RUN)
    if layer.name not in took:
        return Quantity.unknown("nothing of it ran")
    return Quantity.measured(took[layer.name].step_us)
