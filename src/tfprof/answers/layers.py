"""Cost by layer: shape, parameters, MACs, FLOPs, activations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfprof.analyses.layer_names import NO_LAYER
from tfprof.analyses.layers import Layer, by_layer
from tfprof.analyses.roofline import Device, estimates, with_measured
from tfprof.analyses.static_costs import Cost, OpCost, StaticCosts, summed
from tfprof.answers import estimated_time as time
from tfprof.answers import measured_time as measured
from tfprof.answers.common import used_inputs
from tfprof.answers.static import (
    costs_of,
    data_of,
    in_words,
    open_sizes,
    size_data,
    warnings_of,
)
from tfprof.errors import InputMissing, UsageError
from tfprof.model.dims import BATCH, Open, Size, at, formula, symbols
from tfprof.model.profile import ProfileData
from tfprof.reports.shared.question import Question
from tfprof.views.result import Result
from tfprof.views.shapes import Column, Facts, Notes, Report, Table, Unit, Value, without_empty

_GROUP_COLUMNS = (
    Column("count", "ops", Unit.COUNT),
    Column("macs", "MACs", Unit.SCALED),
    Column("flops_all", "FLOPs", Unit.SCALED),
    Column("bytes_read", "read", Unit.BYTES),
    Column("bytes_written", "written", Unit.BYTES),
)
_COLUMNS = (
    Column("layer", "layer"),
    Column("output_shape", "output"),
    Column("params", "params", Unit.COUNT),
    Column("macs", "MACs", Unit.SCALED),
    Column("flops_all", "FLOPs", Unit.SCALED),
    Column("activation_bytes", "activations", Unit.BYTES),
)
_TIME = (Column("time_us", "time", Unit.MICROS), Column("share", "share", Unit.SHARE))


def layers(
    data: ProfileData, question: Question, device: Device | None = None, by: str = "layer"
) -> Result:
    """Of a graph, a run or both; a Keras file has its layers in its configuration.

    A run adds measured time, a device estimated time.
    """
    measured.check_by(by, device)
    if data.graph is None and data.trace is None:
        raise InputMissing(
            "no graph and no run: layers are found in a graph, a .keras file or a trace",
            hint="`tfprof doctor PATH` lists what is there.",
        )
    if data.graph is None or by == "kernel":
        return measured.measured_result(data, by, device)
    if by not in measured.STATIC_GROUPS:
        measured.trace_of(data, by)
    costs = costs_of(data, question)
    found = by_layer(costs)
    warnings = [*data.warnings, *warnings_of(costs)]
    asks = open_sizes(costs)
    one = "The table is of one sample, B = 1. " if BATCH in costs.symbols else ""
    notes = [f"{one}For other sizes: {' '.join(asks)}."] if asks else []
    facts = Facts([("Computes", line) for line in in_words(costs)])
    ran = None
    if data.trace is not None and len(data.trace.executions):
        ran = measured.measure(data, data.trace, by, costs, found, device)
        warnings += measured.warnings_of(ran)
        facts = Facts([*facts.rows, *measured.facts_of(ran)])
    content: dict[str, Any]
    if by == "layer":
        table = _layers_table(found, ran)
        content = {"rows": [_data(layer, ran) for layer in found]}
    elif ran is not None:
        table = measured.table_of(ran)
        content = {"rows": measured.rows_data(ran)}
    else:
        name_of = _names(found)[by]
        groups = _groups(costs, name_of)
        table = Table([Column("name", by), *_GROUP_COLUMNS], [_group_row(*g) for g in groups])
        content = {"rows": [_group_data(by, *group) for group in groups]}
    content["total"] = data_of(costs)
    if ran is not None:
        content["time"] = measured.time_data(ran)
    if device is not None and by in measured.STATIC_GROUPS:
        name_of = _names(found)[by]
        if set(costs.symbols) - {BATCH}:
            raise UsageError("a time needs every size", hint=" ".join(asks))
        times = estimates(costs.ops, device, name_of, {BATCH: 1})
        if data.trace is not None:
            times = with_measured(times, costs.ops, data.trace, name_of)
        facts = Facts([*facts.rows, ("Time", time.in_words(device, times))])
        table = time.estimates_table(times, by)
        content["estimated_time"] = time.estimates_data(device, times)
    parts = without_empty([facts, table, Notes([*warnings, *notes])])
    warnings += measured.unknowns(by, ran)
    return Result("layers", used_inputs(data), warnings, content, Report(data.title, "", parts))


def _names(found: list[Layer]) -> dict[str, Callable[[OpCost], str]]:
    """What the rows of a table are."""
    layer_of = {id(op): layer.name for layer in found for op in layer.ops}
    return {
        "layer": lambda op: layer_of.get(id(op), NO_LAYER),
        "op": lambda op: op.site.op,
        "scope": lambda op: op.site.name.rpartition("/")[0] or op.site.name,
    }


Group = tuple[str, list[OpCost], Cost]


def _groups(costs: StaticCosts, name_of: Callable[[OpCost], str]) -> list[Group]:
    """Ops that work or move bytes, by name, those with the most work first."""
    members: dict[str, list[OpCost]] = {}
    for op in costs.ops:
        members.setdefault(name_of(op), []).append(op)
    groups = [(name, ops, summed(ops)) for name, ops in members.items()]
    kept = [group for group in groups if group[2].flops_all != 0 or group[2].bytes != 0]
    return sorted(kept, key=lambda group: (-_rough(group[2].flops_all), group[0]))


def _rough(size: Size) -> int:
    """A number to sort formulas by."""
    one = at(size, dict.fromkeys(symbols(size), 1))
    return one if isinstance(one, int) else 0


def _group_row(name: str, ops: list[OpCost], cost: Cost) -> list[Value]:
    sizes = (cost.macs, cost.flops_all, cost.read, cost.written)
    return [name, len(ops), *(shown(size) for size in sizes)]


def _group_data(by: str, name: str, ops: list[OpCost], cost: Cost) -> dict[str, Any]:
    return {
        by: name,
        "count": len(ops),
        **size_data("macs", cost.macs),
        **size_data("flops", cost.flops),
        **size_data("flops_all", cost.flops_all),
        **size_data("float_ops", cost.float_ops),
        **size_data("bytes_read", cost.read),
        **size_data("bytes_written", cost.written),
    }


def shape_text(shape: Open) -> str:
    if shape is None:
        return "?"
    return "x".join(map(_dimension_text, shape)) or "scalar"


def _dimension_text(size: Size | None) -> str:
    if size is None or isinstance(size, int):
        return "?" if size is None else str(size)
    return str(size) if len(size.terms) == 1 else f"({size})"


def _layers_table(found: list[Layer], ran: measured.Measured | None) -> Table:
    """What a run took stands in the place of MACs: a line has room for one of them."""
    rows = [_row(layer) for layer in found]
    if ran is None:
        return Table(_COLUMNS, rows, "layer")
    took = ran.by_name
    known = {layer.name for layer in found}
    whole = sum(row.self_us for row in ran.rows)
    for row, layer in zip(rows, found, strict=True):
        own = took.get(layer.name)
        row += [measured.a_step(ran, own) or 0.0, own.self_us / whole if own and whole else 0.0]
    # what only ran: the optimizer's scope, the input pipeline
    rest = [one for one in ran.rows if one.name not in known and one.self_us]
    rows += [
        [one.name, "", *[""] * (len(_COLUMNS) - 2), measured.a_step(ran, one), one.self_us / whole]
        for one in rest
    ]
    keep = [at for at, column in enumerate((*_COLUMNS, *_TIME)) if column.key != "macs"]
    columns = [(*_COLUMNS, *_TIME)[at] for at in keep]
    return Table(columns, [[row[at] for at in keep] for row in rows], "layer")


def _row(layer: Layer) -> list[Value]:
    cost = layer.cost
    return [
        layer.name,
        shape_text(layer.output),
        shown(_params(layer)),
        shown(cost.macs),
        shown(cost.flops_all),
        shown(layer.activation_bytes),
    ]


def _params(layer: Layer) -> Size | None:
    total: Size = 0
    for size in layer.variables.values():
        if size is None:
            return None
        total = total + size
    return total


def shown(size: Size | None) -> Value:
    """A table has no room for formulas: of one sample, unless more than the batch is open."""
    one = None if size is None else at(size, {BATCH: 1})
    return one if one is None or isinstance(one, int) else formula(one)


def _data(layer: Layer, ran: measured.Measured | None) -> dict[str, Any]:
    cost = layer.cost
    shape = layer.output
    return {
        "layer": layer.name,
        "class": layer.kind,
        "output_shape": None
        if shape is None
        else [size if size is None or isinstance(size, int) else str(size) for size in shape],
        **size_data("params", _params(layer)),
        **size_data("macs", cost.macs),
        **size_data("flops", cost.flops),
        **size_data("flops_all", cost.flops_all),
        **size_data("activation_bytes", layer.activation_bytes),
        "peak_bytes": None,
        "time_us": measured.a_step(ran, ran.by_name.get(layer.name)) if ran else None,
    }
