"""New ways to cut op time: by phase of training, by kind of work, by line of code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
import numpy.typing as npt

from tfprof.analyses.device_events.columns import NO_SOURCE, DeviceEvents
from tfprof.analyses.device_events.kinds import kind_of
from tfprof.analyses.device_events.phases import phase_of
from tfprof.analyses.runtime.op_events import OpEvents, on_planes
from tfprof.model.interned import Interned
from tfprof.model.joint_codes import joint_codes
from tfprof.model.trace import Trace
from tfprof.results.device_work import Activity, Kind, Phase

# the last of them is no table of its own: it tells what kernels took in a step
KERNEL = "kernel"
CUTS = ("phase", "category", "source", KERNEL)
_BETWEEN = "\0"
PIPELINE = "(input pipeline)"


def cut(trace: Trace, runs: OpEvents, by: str) -> Interned:
    """What each execution belongs to."""
    if by == "phase":
        return phases(runs)
    if by == "category":
        found = _by_op(runs, lambda _, op: kind_of(Activity.COMPUTE, op).value)
        found = _with(found, runs.copy & runs.on_device, Kind.COPY.value)
        found = _of_devices(trace, runs, found, lambda events: events.kind)
        return _with(found, runs.pipeline, PIPELINE)
    if by == KERNEL:
        nothing = Interned(np.zeros(len(runs), np.int32), [""])
        return _of_devices(trace, runs, nothing, _kernels)
    sources = _sources(trace)
    found = _by_op(runs, lambda node, _: sources.get(node, NO_SOURCE))
    return _of_devices(trace, runs, found, lambda events: events.source)


def kernel_key(kernel: str, op: str | None) -> str:
    """The name of a row by kernel: one kernel may work for several types of op."""
    return f"{kernel}{_BETWEEN}{op or ''}"


def _kernels(events: DeviceEvents) -> Interned:
    kernel, op = events.kernel, events.op
    codes, first = joint_codes([kernel.codes, op.codes])
    names = Interned.of([kernel_key(kernel[row], op[row]) for row in first.tolist()])
    return Interned(names.codes[codes], names.table)


class Ops(Protocol):
    """Executions of ops, as far as their phases are asked for."""

    @property
    def node(self) -> Interned: ...
    @property
    def op(self) -> Interned: ...
    @property
    def pipeline(self) -> npt.NDArray[np.bool_]: ...


def phases(runs: Ops) -> Interned:
    """What the pipeline does is of no phase, and neither is a copy of no op."""
    found = _by_op(runs, lambda node, op: phase_of(node, op).value)
    return _with(found, runs.pipeline, Phase.OTHER.value)


def _by_op(runs: Ops, name_of: Callable[[str, str], str]) -> Interned:
    """By node and op type; pairs that are alike are asked once."""
    kinds = max(1, len(runs.op.table))
    pairs = runs.node.codes.astype(np.int64) * kinds + runs.op.codes
    room = len(runs.node.table) * kinds
    if room > len(pairs):
        distinct, codes = np.unique(pairs, return_inverse=True)
    else:  # few names ran often: no need to sort
        distinct = np.flatnonzero(np.bincount(pairs, minlength=room))
        place = np.zeros(room, np.int32)
        place[distinct] = np.arange(len(distinct))
        codes = place[pairs]
    names = Interned.of(
        [
            name_of(runs.node.table[it // kinds], runs.op.table[it % kinds])
            for it in distinct.tolist()
        ]
    )
    return Interned(names.codes[codes], names.table)


def _with(
    column: Interned, rows: np.ndarray[tuple[int], np.dtype[np.bool_]], name: str
) -> Interned:
    """The same with one name for some rows."""
    if not rows.any():
        return column
    table = Interned.of([name, *column.table])
    codes = table.codes[1:][column.codes]
    return Interned(np.where(rows, 0, codes).astype(np.int32), table.table)


def _of_devices(
    trace: Trace, runs: OpEvents, column: Interned, told: Callable[[DeviceEvents], Interned]
) -> Interned:
    """With what the events of devices say themselves."""
    if trace.space is None or runs.event is None:
        return column
    table, codes = list(column.table), column.codes.copy()
    for plane, here, mine in on_planes(trace.space, runs.event, runs.on_device):
        if not plane.is_device or plane.is_placed:
            continue
        events = DeviceEvents(plane, trace.space.compiled)
        said = told(events)
        codes[here] = said.codes[np.searchsorted(events.rows, mine)] + len(table)
        table += said.table
    merged = Interned.of(table)
    return Interned(merged.codes[codes], merged.table)


def _sources(trace: Trace) -> dict[str, str]:
    """By op, of what XLA compiled."""
    if trace.space is None:
        return {}
    programs = trace.space.compiled.by_name.values()
    every = (one for program in programs for one in program.instructions.values())
    return {one.op.name: one.source for one in every if one.source}
