"""The tables of layers: what fits 80 columns; all there is to say is in the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tfprof.model import units
from tfprof.model.dims import BATCH, Dim, Open, Size, at, formula
from tfprof.model.quantity import Quantity
from tfprof.reports.layers.time_tables import estimated_table, kernels_table, measured_table
from tfprof.results.answered import Answered
from tfprof.results.kernels import KernelTime
from tfprof.results.layers import (
    CallOfLayer,
    EstimatedTime,
    GroupWork,
    LayersResult,
    LayersRow,
    RowCost,
)
from tfprof.results.op_times import MeasuredTime
from tfprof.views.shapes import (
    Column,
    Facts,
    Fold,
    Notes,
    Report,
    Table,
    Unit,
    Value,
    without_empty,
)

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
_NODES_SHOWN = 40
_TIME = (Column("time_us", "time", Unit.MICROS), Column("share", "share", Unit.SHARE))
_KERAS_COLUMNS = (
    Column("layer", "layer"),
    Column("class", "class"),
    Column("output_shape", "output"),
    Column("params", "params", Unit.COUNT),
    Column("macs", "MACs", Unit.SCALED),
    Column("activation_bytes", "activations", Unit.BYTES),
)
_NO_FLOPS = "no FLOPs are known: the graph would add FLOP/s and shares of the best"


def view(answered: Answered[LayersResult]) -> Report:
    found = answered.data
    parts = without_empty([Facts(_facts(found)), _table(found), Notes(answered.notes)])
    return Report(*answered.subject.lines, parts)


def _table(found: LayersResult) -> Table:
    if found.estimated_time is not None:
        return estimated_table(found.estimated_time, found.by)
    if _is_keras(found):
        return _keras_table(found.rows)
    if found.by == "kernel":
        rows = [row.beside for row in found.rows if isinstance(row.beside, KernelTime)]
        return kernels_table(rows, wide=found.wide)
    if found.by == "layer" and found.total is not None:
        return _layers_table(found.rows, found.time)
    if found.time is not None:
        return measured_table(found.time)
    return _groups_table(found.rows, found.by)


def _is_keras(found: LayersResult) -> bool:
    return any(isinstance(row.beside, CallOfLayer) for row in found.rows)


def _facts(found: LayersResult) -> list[tuple[str, str]]:
    return [
        *(("Computes", line) for line in _computes(found)),
        *(("Time", line) for line in _measured(found.time)),
        *(("Time", line) for line in _no_work(found)),
        *(("Time", line) for line in _estimated(found.estimated_time)),
    ]


def _computes(found: LayersResult) -> list[str]:
    # words are made where graphs are counted; of a run there are none
    if found.total is None:
        return []
    if _is_keras(found):
        from tfprof.reports.shared.keras_costs import in_words as by_layers_in_words

        return by_layers_in_words(found.total)
    from tfprof.reports.shared.model_costs import in_words

    return in_words(found.total)


def _measured(time: MeasuredTime | None) -> list[str]:
    if time is None:
        return []
    if time.device_us is not None:
        return _on_devices(time, time.device_us)
    runs = units.plural(time.executions, "execution")
    own = f"{units.duration(time.self_us)} of op time in {runs}"
    if time.pipeline_us:
        took = units.duration(time.pipeline_us)
        own += f", {took} of it in the input pipeline, with what its iterators wait"
    span = f"{units.duration(time.span_us)} from the first op to the last"
    if time.steps is not None and time.steps > 1:
        span += f", {units.plural(time.steps, 'step')}"
    return [span, own]


def _on_devices(time: MeasuredTime, of_steps: float) -> list[str]:
    """All of the capture first, as the table has it; then the average step."""
    copies = sum(row.own_copies_us for row in time.rows)
    runs = units.plural(time.executions, "execution")
    own = f"{units.duration(time.self_us - copies)} of {'kernels' if copies else 'device time'}"
    if copies:
        own += f" and {units.duration(copies)} of copies"
    own += f" on {units.plural(time.devices, 'device')}, {runs}"
    span = f"{units.duration(time.span_us)} from the first op to the last"
    if time.steps is not None and time.steps > 1:
        span += f", {units.plural(time.steps, 'step')}"
        own += f"; {units.duration(of_steps)} a step"
    host = f"{units.duration(time.host_us)} of ops on threads of the host"
    if time.steps:
        host += ", a step"
    best = []
    if time.peak is not None and any(row.flops.number or row.bytes.number for row in time.rows):
        rates = f"{units.count(time.peak.flops)}FLOP/s and {units.size(time.peak.bytes)}/s"
        best = [f"at its best {time.peak.device} does {rates}"]
    return [span, own, *([host] if time.host_us else []), *best, *_unknown_work(time)]


def _no_work(found: LayersResult) -> list[str]:
    """How well a device is used nobody can tell without FLOPs; a graph has them."""
    time = found.time
    if time is None or time.device_us is None or found.total is not None:
        return []
    known = any(row.flops.number or row.bytes.number for row in time.rows)
    return (
        [] if known else ["no FLOPs are known: the graph would add FLOP/s and shares of the best"]
    )


def _unknown_work(time: MeasuredTime) -> list[str]:
    """Where some rates are told: of how much of the time they are not."""
    if not time.work_unknown_us or not any(row.flops.number for row in time.rows):
        return []
    share = units.share(time.work_unknown_us, time.self_us)
    return [f"{share} of the time is in ops whose FLOPs are not known: rates are of the rest"]


def _estimated(time: EstimatedTime | None) -> list[str]:
    if time is None:
        return []
    shown = f"{time.time_us.kind.mark}{units.duration(time.time_us.number or 0.0)}"
    device = time.device
    best = ""
    if device is not None:
        rates = f"{units.count(device.flops)}FLOP/s and {units.size(device.bytes)}/s"
        best = f"a {device.name} of {rates}"
    if time.calibration is None:
        return [f"{shown} estimated at the best of {best}"]
    low, high = time.time_interval_us
    until = f"{units.duration(low)} to {units.duration(high)}" if high is not None else "or more"
    machine = f"the machine of {', '.join(time.calibration.sources)}"
    faster = [f"no op faster than {best} can"] if best else []
    return [f"{shown} ({until}) estimated on {machine}", *faster]


def _layers_table(rows: Sequence[LayersRow], time: MeasuredTime | None) -> Table:
    """What a run took stands in the place of MACs: a line has room for one of them."""
    if time is None:
        return Table(_COLUMNS, [_row(layer) for layer in rows], "layer")
    took = {row.name: row for row in time.rows}
    known = {layer.name for layer in rows}
    whole = sum(row.self_us for row in time.rows)
    cells: list[list[Value]] = []
    for layer in rows:
        own = took.get(layer.name)
        share = own.self_us / whole if own and whole else 0.0
        cells.append([*_row(layer), layer.cost.time_us if own else 0.0, share])
    # what only ran: the optimizer's scope, the input pipeline
    rest = [one for one in time.rows if one.name not in known and one.self_us]
    empty = [""] * (len(_COLUMNS) - 1)
    cells += [[one.name, *empty, one.step_us, one.self_us / whole] for one in rest]
    keep = [at for at, column in enumerate((*_COLUMNS, *_TIME)) if column.key != "macs"]
    columns = [(*_COLUMNS, *_TIME)[at] for at in keep]
    return Table(columns, [[row[at] for at in keep] for row in cells], "layer")


def _row(row: LayersRow) -> list[Value]:
    one = row.cost
    sizes = (one.params, one.macs, one.flops_all, one.activation_bytes)
    return [row.name, _shape(one.output_shape), *map(_shown, sizes)]


def _groups_table(rows: Sequence[LayersRow], by: str) -> Table:
    works = [(row, row.beside) for row in rows if isinstance(row.beside, GroupWork)]
    cells = [
        [
            row.name,
            work.count,
            *map(_shown, (row.cost.macs, row.cost.flops_all, work.bytes_read, work.bytes_written)),
        ]
        for row, work in works
    ]
    fold = Fold(_NODES_SHOWN) if by == "node" else None
    return Table([Column("name", by), *_GROUP_COLUMNS], cells, fold=fold)


def _keras_table(rows: Sequence[LayersRow]) -> Table:
    return Table(_KERAS_COLUMNS, [_call(row, row.cost) for row in rows])


def _call(row: LayersRow, one: RowCost) -> list[Value]:
    """The parameters of a layer are counted at its first call."""
    again = row.beside.call if isinstance(row.beside, CallOfLayer) else 0
    return [
        row.name + (f" (call {again + 1})" if again else ""),
        one.kind,
        _shape(one.output_shape),
        0 if again else one.params,
        _shown(one.macs),
        _shown(one.activation_bytes),
    ]


def _shape(shape: Open) -> str:
    if shape is None:
        return "?"
    return "x".join(map(_size, shape)) or "scalar"


def _size(size: Size | None) -> str:
    if size is None or isinstance(size, int):
        return "?" if size is None else str(size)
    return str(size) if len(size.terms) == 1 else f"({size})"


def _shown(quantity: Quantity) -> Value:
    """A table has no room for formulas: of one sample, unless more than the batch is open."""
    value = quantity.value
    if not isinstance(value, Dim):
        return quantity
    one = at(value, {BATCH: 1})
    return formula(one) if isinstance(one, Dim) else replace(quantity, value=one)
