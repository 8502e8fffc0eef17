"""The executions that may decide when a step ends: ops, kernels, and waiting for input."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from tfprof.analyses.timeline.critical_path import PathEvents
from tfprof.analyses.timeline.event_filters import NOISE
from tfprof.model.interned import Interned
from tfprof.model.kernel_lines import lines_that_count
from tfprof.model.op_names import OpKind, op_name
from tfprof.model.xspace import HOST_THREADS, Plane, Space

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Chosen = Callable[[Plane, Ints], Mask]

# a row of a plane and the number of the plane in one number
_PLANE_BITS = 40
_INPUT = "IteratorGetNext"
_HLO = "hlo_op"
# threads that prepare input in the background: a step waits for it in an op of its own
_BACKGROUND = "tf_data_"


def plane_and_row(key: int) -> tuple[int, int]:
    return key >> _PLANE_BITS, key & ((1 << _PLANE_BITS) - 1)


def node_of(event: str) -> str:
    """The node an event ran; its own name for what is no op."""
    op = op_name(event)
    return op.name if op is not None and op.kind is OpKind.TENSORFLOW else event


def path_events(space: Space, begin: int, end: int) -> PathEvents:
    """Those that ran between `begin` and `end`, and only what of them lies there."""

    def found(chosen: Chosen) -> list[PathEvents]:
        planes = enumerate(space.planes)
        return [_of_plane(plane, at, begin, end, chosen) for at, plane in planes]

    parts = found(_runs_an_op)
    if not any(len(part) for part in parts):
        # a capture without ops: what threads did, however it is called
        parts = found(_anything)
    return PathEvents(
        np.concatenate([part.row for part in parts] or [np.zeros(0, np.int64)]),
        Interned.joined([part.node for part in parts]),
        np.concatenate([part.start for part in parts] or [np.zeros(0, np.int64)]),
        np.concatenate([part.end for part in parts] or [np.zeros(0, np.int64)]),
    )


def _of_plane(plane: Plane, at: int, begin: int, end: int, chosen: Chosen) -> PathEvents:
    start, stop = plane.events.start_ps, plane.events.end_ps
    rows = np.flatnonzero((start < end) & (stop > begin))
    if len(rows):
        rows = rows[chosen(plane, rows)]
    rows = rows[_innermost(plane, rows)]
    names = Interned(plane.events.name[rows], plane.event_names.name)
    nodes = Interned.of(node_of(names.table[code]) for code in names.used())
    code = np.zeros(len(names.table), np.int32)
    code[names.used()] = nodes.codes
    node = Interned(code[names.codes], nodes.table)
    inside = np.maximum(start[rows], begin), np.minimum(stop[rows], end)
    return PathEvents(rows | (at << _PLANE_BITS), node, *inside)


def _runs_an_op(plane: Plane, rows: Ints) -> Mask:
    line = plane.line_of(rows)
    if plane.is_device:
        counts: Mask = lines_that_count(plane)[line]
        return counts
    names = Interned(plane.events.name[rows], plane.event_names.name)
    found = names.map(_is_op)
    if plane.has_stat(_HLO):
        found |= plane.stat(_HLO).present[rows]
    if plane.name == HOST_THREADS:
        background = [name.startswith(_BACKGROUND) for name in plane.lines.name]
        waits = names.map(lambda name: name.startswith(_INPUT))
        found &= ~np.array(background, bool)[line] | waits
        found |= waits
    return found


def _anything(plane: Plane, rows: Ints) -> Mask:
    names = Interned(plane.events.name[rows], plane.event_names.name)
    return (plane.events.duration_ps[rows] > 0) & ~names.map(lambda name: name.startswith(NOISE))


def _is_op(name: str) -> bool:
    found = op_name(name)
    return found is not None and found.kind is OpKind.TENSORFLOW


def _innermost(plane: Plane, rows: Ints) -> Mask:
    """Without those that have another one inside: a call is what it calls.

    A run of TensorFlow 1 does not tell threads apart: what lies inside another may run beside it.
    """
    if plane.is_placed or not len(rows):
        return np.ones(len(rows), bool)
    line = plane.line_of(rows)
    start, end = plane.events.start_ps[rows], plane.events.ends(rows)
    outer = (line[1:] == line[:-1]) & (start[1:] < end[:-1]) & (end[1:] <= end[:-1])
    return ~np.append(outer, False)
