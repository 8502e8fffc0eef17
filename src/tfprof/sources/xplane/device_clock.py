"""The times of a TPU on its own clock.

Its events are written on the clock of the host, which is set again and again meanwhile: some then
begin late, overlap or last twice as long. What the device itself counted stands in two stats of
each op. The other lines of the device are brought to that clock by the ops around them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tfprof.model.medians import median_of
from tfprof.wire.packed_stats import PackedStats
from tfprof.wire.xevents import EventColumns
from tfprof.wire.xspace import PlaneColumns, all_event_stats, in_order
from tfprof.wire.xstats import INT64, UINT64

Ints = npt.NDArray[np.int64]

_OFFSET, _DURATION = "device_offset_ps", "device_duration_ps"
_TPU = "/device:TPU:"
# clocks that differ by more do not count from the same begin
_SAME_BEGIN_PS = 10**12
# 27 days: a later time is damage
_LATEST_PS = 1 << 61


def on_device_clock(data: bytes, plane: PlaneColumns) -> PlaneColumns:
    """The plane as it is, unless it is a TPU whose ops tell their own times."""
    if not plane.name.startswith(_TPU) or not len(plane.events):
        return plane
    stats = all_event_stats(data, plane)
    begin, length = (_numbers(plane, stats, name) for name in (_OFFSET, _DURATION))
    told = np.flatnonzero((begin >= 0) & (length >= 0))
    if not len(told):
        return plane
    moved = _moved(plane.events, told, begin[told], length[told], _alike(plane, told))
    return replace(plane, events=in_order(plane.lines, moved))


def _numbers(plane: PlaneColumns, stats: PackedStats, name: str) -> Ints:
    """Of every event; -1 where it has none that can be meant."""
    found = np.full(len(plane.events), -1, np.int64)
    column = stats.named(plane.stat_names.rows_named(name))
    values = column.value.view(np.int64)
    meant = np.isin(column.kind, (UINT64, INT64)) & (values >= 0) & (values < _LATEST_PS)
    found[column.owner[meant]] = values[meant]
    return found


def _alike(plane: PlaneColumns, told: Ints) -> npt.NDArray[np.bool_]:
    """The events of lines that count from the same time as those of the ops."""
    line = np.repeat(np.arange(len(plane.lines)), np.diff(plane.lines.first))
    base = plane.lines.timestamp_ns[line]
    same: npt.NDArray[np.bool_] = base == base[told[0]]
    return same


def _moved(
    events: EventColumns, told: Ints, begin: Ints, length: Ints, alike: npt.NDArray[np.bool_]
) -> EventColumns:
    old = events.offset_ps[told]
    apart = int(median_of(old - begin))
    begin = begin + (apart if abs(apart) > _SAME_BEGIN_PS else 0)
    by_time = np.argsort(old, kind="stable")
    later = (begin - old)[by_time]
    start, stop = (
        np.where(alike, time + _of_the_op_before(time, old[by_time], later), time)
        for time in (events.offset_ps, events.offset_ps + events.duration_ps)
    )
    lasted = np.maximum(stop - start, 0)
    start[told], lasted[told] = begin, length
    return replace(events, offset_ps=start, duration_ps=lasted)


def _of_the_op_before(times: Ints, starts: Ints, values: Ints) -> Ints:
    place = np.maximum(np.searchsorted(starts, times, side="right") - 1, 0)
    found: Ints = values[place]
    return found
