"""Of a run alone: layers, scopes and ops are known by their names."""

from __future__ import annotations

from dataclasses import replace

from tfprof.analyses.runtime.cuts import KERNEL, kernel_key
from tfprof.analyses.runtime.host_times import OpTimesQuery, op_times_of
from tfprof.analyses.runtime.kernels import kernels_of
from tfprof.errors import InputMissing
from tfprof.model.profile import ProfileData
from tfprof.model.quantity import Quantity
from tfprof.reports.layers.nulls import null_peaks, nulls
from tfprof.reports.layers.query import Query
from tfprof.reports.shared.whole_hosts import with_whole_hosts
from tfprof.reports.shared.words import NO_STEPS
from tfprof.results.answered import Answered, answered
from tfprof.results.kernels import KernelTime
from tfprof.results.layers import LayersResult, LayersRow, LayerTime, RowCost
from tfprof.results.op_times import MeasuredTime, OpTime

_NO_PEAK = "what lives at the peak is told by layer, op, scope or node of a graph"
_NO_LAUNCH = (
    "registers, shared_bytes, grid, block, occupancy, uses_tensor_cores: null where the tracer "
    "does not tell, or runs differ"
)
_NO_STEP = "no execution of an op is known for these runs"
_NO_GRAPH, NO_RUN = "no graph was given", "no run was given"


def of_run(data: ProfileData, query: Query) -> Answered[LayersResult]:
    data = with_whole_hosts(data)
    check_run(data, query.by)
    time = op_times_of(data, OpTimesQuery(query.by)).finish(query.device)
    notes = [*data.warnings, *warnings_of(time)]
    rows = tuple(ran_row(row, query.by, _NO_GRAPH) for row in time.rows)
    lost = [*nulls(rows, _NO_GRAPH), f"bytes and what follows from them: {_NO_GRAPH}"]
    result = LayersResult(rows, query.by, time=time)
    return answered("layers", data, result, [*notes, *lost, *null_peaks(time)], notes)


def of_kernels(data: ProfileData, query: Query) -> Answered[LayersResult]:
    data = with_whole_hosts(data)
    check_run(data, "kernel")
    rows = kernels_of(data.hosts).finish()
    if not rows:
        raise InputMissing(
            "no kernels: --by kernel needs a capture of a GPU",
            where=data.title,
            hint="--by op and --by node show what ran on the CPU.",
        )
    time = op_times_of(data, OpTimesQuery(KERNEL)).finish()
    took = {one.name: one.step_us for one in time.rows}
    rows = tuple(replace(one, device_us=took.get(kernel_key(one.kernel, one.op))) for one in rows)
    result = LayersResult(tuple(map(_kernel, rows)), "kernel", wide=query.wide)
    lost = [*nulls(result.rows, _NO_GRAPH), _NO_LAUNCH]
    return answered("layers", data, result, [*data.warnings, *lost], data.warnings)


def check_run(data: ProfileData, by: str) -> None:
    if not data.hosts:
        raise InputMissing(
            f"no run: --by {by} needs a trace with ops",
            where=data.title,
            hint="Give run metadata or an .xplane.pb; by layer, op, scope or node a graph will do.",
        )
    if not data.hosts.any_ops:
        raise InputMissing(
            f"the run has no ops: --by {by} needs a trace with ops",
            where=data.title,
            hint="; ".join(data.warnings) or "`tfprof timeline` shows what else was recorded.",
        )


def warnings_of(time: MeasuredTime) -> list[str]:
    return [] if time.steps else [NO_STEPS]


def ran_row(row: OpTime, by: str, why_not: str, at_peak: Quantity | None = None) -> LayersRow:
    """What ran, with what only a graph would tell: not known, for this reason."""
    took, lost = Quantity.measured(row.step_us), Quantity.unknown(why_not)
    peak = Quantity.unknown(_NO_PEAK) if at_peak is None else at_peak
    told = RowCost(row.op, None, lost, lost, row.flops, lost, lost, peak, took)
    return LayersRow({by: row.name}, row.name, told, row if by != "layer" else LayerTime.of(row))


def _kernel(row: KernelTime) -> LayersRow:
    lost = Quantity.unknown(_NO_GRAPH)
    peak, took = Quantity.unknown(_NO_PEAK), Quantity.unknown(_NO_STEP)
    if row.device_us is not None:
        took = Quantity.measured(row.device_us)
    told = RowCost(None, None, lost, lost, lost, lost, lost, peak, took)
    return LayersRow({"kernel": row.kernel}, row.kernel, told, row)
