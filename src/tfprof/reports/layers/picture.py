"""The ops of a run under the roof of their device."""

from __future__ import annotations

from tfprof.errors import InputMissing
from tfprof.model import units
from tfprof.results.answered import Answered
from tfprof.results.layers import LayersResult
from tfprof.results.op_times import MeasuredTime, OpTime
from tfprof.views.chart import RooflineChart, RoofPoint

_NO_RUN = "a roofline needs a run: a graph alone takes no time"
_NO_PEAK = "what the device does at its best is not known"
_WORTH_A_DOT, _NAMED = 0.001, 5
_NO_WORK = "no op of the run tells its FLOPs and bytes"


def picture(answered: Answered[LayersResult]) -> RooflineChart:
    time, title = answered.data.time, answered.subject.title
    if time is None:
        raise InputMissing(_NO_RUN, where=title, hint="Add the capture or the run metadata.")
    if time.peak is None:
        hint = "--device A100, or --device gpu:19.5T,1555G (FLOPs and bytes a second), tells it."
        raise InputMissing(_NO_PEAK, where=title, hint=hint)
    whole = sum(_own_time(row) for row in time.rows)
    known = [row for row in time.rows if row.flops_per_second and row.intensity]
    if not known or not whole:
        hint = "The graph beside the run tells them: graph.pb, or what `tfprof run` writes."
        raise InputMissing(_NO_WORK, where=title, hint=hint)
    shown = [row for row in known if _own_time(row) >= _WORTH_A_DOT * whole] or known
    told = sum(map(_own_time, shown)) / whole
    return RooflineChart(
        f"What each {answered.data.by} does of what the device can: {title}",
        f"{time.peak.device}: {units.count(time.peak.flops)}FLOP/s, "
        f"{units.count(time.peak.bytes)}B/s at its best; dots are {units.share(told, 1)} of the "
        "time",
        time.peak.flops,
        time.peak.bytes,
        [_point(row, whole) for row in shown],
        _notes(time, len(known) - len(shown)),
    )


def _own_time(row: OpTime) -> float:
    return row.device_us if row.device_us is not None else row.host_us


def _point(row: OpTime, whole: float) -> RoofPoint:
    rate, intensity = row.flops_per_second or 0.0, row.intensity or 0.0
    return RoofPoint(row.name, intensity, rate, _own_time(row) / whole)


def _notes(time: MeasuredTime, small: int) -> list[str]:
    notes = ["The larger a dot, the more of the time. A line of the grid below is a tenth."]
    unknown = [row for row in time.rows if not row.flops_per_second and _own_time(row)]
    if unknown:
        most = sorted(unknown, key=_own_time, reverse=True)[:_NAMED]
        more = ", ..." if len(unknown) > _NAMED else ""
        named = ", ".join(row.name for row in most)
        notes.append(f"Without FLOPs or bytes, and so not here: {named}{more}")
    if small:
        notes.append(f"{small:,} more that take less than {_WORTH_A_DOT:.1%} each are not shown.")
    return notes
