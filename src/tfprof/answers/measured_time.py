"""What ops took in a run: the tables of `layers --by`, and the numbers behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tfprof.analyses.device_peaks import peak_of
from tfprof.analyses.executed_types import executed_types
from tfprof.analyses.layer_names import without_calls
from tfprof.analyses.op_runs import PS_A_MICROSECOND, OpRuns, op_runs
from tfprof.analyses.op_times import OpTime, groups, op_times
from tfprof.analyses.op_work import work_of
from tfprof.analyses.roofline import Device
from tfprof.analyses.steps.in_steps import TraceSteps
from tfprof.answers.common import NO_STEPS, fold, used_inputs
from tfprof.answers.kernels import kernels_data, kernels_of, kernels_table
from tfprof.errors import InputMissing, UsageError
from tfprof.model import units
from tfprof.model.profile import ProfileData
from tfprof.model.trace import Trace
from tfprof.views.result import Result
from tfprof.views.shapes import Column, Facts, Notes, Report, Table, Unit, Value, without_empty

if TYPE_CHECKING:  # without a graph there are none, and need not be imported
    from tfprof.analyses.layers import Layer
    from tfprof.analyses.static_costs import StaticCosts

GROUPS = ("layer", "op", "scope", "node", "device", "thread", "kernel")
# those that a graph alone can tell
STATIC_GROUPS = ("layer", "op", "scope")
_NO_LAYER_PEAK = "peak_bytes: the memory of single layers is not worked out in this version"
_NO_GRAPH = (
    "output_shape, params, macs, flops, activation_bytes, bytes and what follows from them: "
    "no graph was given"
)
_SHOWN = 40
_LONG_NUMBER = 6


@dataclass(frozen=True, slots=True)
class Measured:
    """The executions of a run and its rows; `steps` is 0 if nothing tells where steps begin.

    `of_steps` is the own time by row of what began in a step.
    """

    by: str
    runs: OpRuns
    rows: list[OpTime]
    steps: int
    of_steps: Mapping[str, float]
    peak: Device | None = None

    @property
    def self_us(self) -> float:
        return int(self.runs.self_ps.sum()) / PS_A_MICROSECOND

    @property
    def span_us(self) -> float:
        return self.runs.span_ps / PS_A_MICROSECOND

    @property
    def pipeline_us(self) -> float:
        return int(self.runs.self_ps[self.runs.pipeline].sum()) / PS_A_MICROSECOND

    @property
    def by_name(self) -> Mapping[str, OpTime]:
        return {row.name: row for row in self.rows}


def measure(
    data: ProfileData,
    trace: Trace,
    by: str,
    costs: StaticCosts | None = None,
    layers: Sequence[Layer] = (),
    device: Device | None = None,
) -> Measured:
    """With FLOPs and bytes where the graph's `costs` are known, and its `layers`."""
    runs = op_runs(trace, executed_types(data)).timed()
    known = {without_calls(op.site.name): layer.name for layer in layers for op in layer.ops}
    work = None
    if costs is not None and data.graph is not None:
        work = work_of(runs, costs, data.graph)
    group = groups(runs, by, known)
    rows = op_times(runs, group, work)
    marked = TraceSteps(trace)
    mine = np.ones(len(runs), bool)
    if marked:
        mine = marked.holding(runs.device, runs.start_ps)
    own = np.bincount(group.codes[mine], runs.self_ps[mine], len(group.table)) / PS_A_MICROSECOND
    of_steps = dict(zip(group.table, own.tolist(), strict=True))
    steps = len(marked) or len(trace.steps)
    return Measured(by, runs, rows, steps, of_steps, device or _own_peak(trace))


def _own_peak(trace: Trace) -> Device | None:
    """What the first GPU of a capture states of itself."""
    planes = trace.space.devices if trace.space is not None else ()
    return next((peak for peak in map(peak_of, planes) if peak is not None), None)


def measured_result(data: ProfileData, by: str, device: Device | None = None) -> Result:
    """Of a run alone: layers, scopes and ops are known by their names."""
    trace = trace_of(data, by)
    if by == "kernel":
        return kernels_result(data, trace)
    found = measure(data, trace, by, device=device)
    notes = [*data.warnings, *warnings_of(found)]
    content: dict[str, Any] = {"rows": rows_data(found)}
    if by == "layer":
        content = {"rows": [_layer_data(row, found) for row in found.rows]}
    content["time"] = time_data(found)
    parts = without_empty([Facts(facts_of(found)), table_of(found), Notes(notes)])
    warnings = [*notes, _NO_GRAPH, *unknowns(by, found)]
    return Result("layers", used_inputs(data), warnings, content, Report(data.title, "", parts))


def kernels_result(data: ProfileData, trace: Trace) -> Result:
    found = kernels_of(trace)
    if not found:
        raise InputMissing(
            "no kernels: --by kernel needs a capture of a GPU",
            where=data.title,
            hint="--by op and --by node show what ran on the CPU.",
        )
    parts = without_empty([kernels_table(found), Notes(data.warnings)])
    content = {"rows": kernels_data(found)}
    report = Report(data.title, "", parts)
    return Result("layers", used_inputs(data), list(data.warnings), content, report)


def trace_of(data: ProfileData, by: str) -> Trace:
    if data.trace is None:
        raise InputMissing(
            f"no run: --by {by} needs a trace with ops",
            where=data.title,
            hint="Give run metadata or an .xplane.pb; --by layer, op and scope work on a graph.",
        )
    if not len(data.trace.executions):
        raise InputMissing(
            f"the run has no ops: --by {by} needs a trace with ops",
            where=data.title,
            hint="; ".join(data.warnings) or "`tfprof timeline` shows what else was recorded.",
        )
    return data.trace


def check_by(by: str, device: Device | None) -> None:
    if by == "kernel" and device is not None:
        raise UsageError("--device does not go with --by kernel", hint="Leave one of them out.")


def warnings_of(found: Measured) -> list[str]:
    return [] if found.steps else [NO_STEPS]


def unknowns(by: str, found: Measured | None) -> list[str]:
    """For who reads the data: which keys are null, and why."""
    said = [_NO_LAYER_PEAK] if by == "layer" else []
    if found is not None and found.peak is None:
        said.append("time.peak, peak_share: the peak of the device is not known; --device tells it")
    return said


def facts_of(found: Measured) -> list[tuple[str, str]]:
    runs = units.plural(len(found.runs), "execution")
    own = f"{units.duration(found.self_us)} of op time in {runs}"
    if found.pipeline_us:
        own += f", {units.duration(found.pipeline_us)} of it in the input pipeline"
    span = f"{units.duration(found.span_us)} from the first op to the last"
    if found.steps > 1:
        span += f", {units.plural(found.steps, 'step')}"
    return [("Time", span), ("Time", own)]


def table_of(found: Measured) -> Table:
    """What fits 80 columns; all there is to say is in the data."""
    counted = any(row.flops for row in found.rows)
    nests = any(row.total_us > row.self_us for row in found.rows)
    whole = sum(row.self_us for row in found.rows)
    columns = [
        Column("name", found.by),
        Column("runs", "runs", Unit.COUNT),
        Column("self_us", "self", Unit.MICROS),
        Column("share", "share", Unit.SHARE),
    ]
    if counted:
        columns += [
            Column("flops_per_second", "FLOP/s", Unit.SCALED),
            Column("intensity", "FLOP/B", Unit.NUMBER),
        ]
        if found.peak is not None:
            columns.append(Column("peak_share", "of peak", Unit.SHARE))
    else:
        columns += [Column("total_us", "total", Unit.MICROS)] if nests else []
        columns += [
            Column("median_us", "median", Unit.MICROS),
            Column("max_us", "max", Unit.MICROS),
        ]
    rows: list[list[Value]] = []
    for row in found.rows[:_SHOWN]:
        said = _row_data(row, found) | {"share": row.self_us / whole if whole else 0.0}
        said["name"] = _thread(row.name) if found.by == "thread" else row.name
        rows.append([_shown(said[column.key], column) for column in columns])
    rest = [row.self_us for row in found.rows[_SHOWN:]]
    return Table(columns, rows, "", fold(rest, whole))


def _shown(value: Any, column: Column) -> Value:  # noqa: ANN401
    """Many ops only move data: where there is no work, nothing stands."""
    of_work = column.key in ("flops_per_second", "intensity", "peak_share")
    return "" if of_work and not value else value


def _thread(name: str) -> str:
    """The pool, and as much of the number behind it as tells threads apart."""
    pool, slash, number = name.rpartition("/")
    return f"{pool}/…{number[-4:]}" if slash and len(number) > _LONG_NUMBER else name


def rows_data(found: Measured) -> list[dict[str, Any]]:
    return [{found.by: row.name} | _row_data(row, found) for row in found.rows]


def _row_data(row: OpTime, found: Measured) -> dict[str, Any]:
    rate = row.flops_a_second
    return {
        "name": row.name,
        "op": row.op,
        "runs": row.runs,
        "self_us": row.self_us,
        "total_us": row.total_us,
        "min_us": row.least_us,
        "median_us": row.median_us,
        "max_us": row.most_us,
        "flops": row.flops,
        "bytes": row.bytes,
        "flops_per_second": rate,
        "bytes_per_second": row.bytes_a_second,
        "intensity": row.intensity,
        "peak_share": rate / found.peak.flops if rate is not None and found.peak else None,
    }


def a_step(found: Measured, row: OpTime | None) -> float | None:
    """The own time of a row in an average step, or in all of a run whose steps are not known."""
    return None if row is None else found.of_steps[row.name] / max(1, found.steps)


def _layer_data(row: OpTime, found: Measured) -> dict[str, Any]:
    nulls = ("output_shape", "params", "macs", "flops", "flops_all", "activation_bytes")
    return {
        "layer": row.name,
        "class": row.op,
        **dict.fromkeys(nulls),
        "peak_bytes": None,
        "time_us": a_step(found, row),
    }


def time_data(found: Measured) -> dict[str, Any]:
    """Beside the rows: the sums, and every number of each row."""
    peak = found.peak
    return {
        "kind": "measured",
        "by": found.by,
        "steps": found.steps or None,
        "executions": len(found.runs),
        "self_us": found.self_us,
        "pipeline_us": found.pipeline_us,
        "span_us": found.span_us,
        "peak": None if peak is None else {"flops": peak.flops, "bytes": peak.bytes},
        "rows": rows_data(found),
    }
