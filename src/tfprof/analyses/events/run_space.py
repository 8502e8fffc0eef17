"""A traced run of TensorFlow 1 in the shape of a capture: devices are planes, threads lines."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field

import numpy as np
import numpy.typing as npt

from tfprof.analyses.events.counters import MemoryCounter
from tfprof.frozen_dataclass import frozen_dataclass, mutable_dataclass
from tfprof.late_pattern import late_pattern
from tfprof.model.interned import Interned
from tfprof.model.made_planes import MadeEvents, made_plane
from tfprof.model.op_names import op_name
from tfprof.model.trace import Trace
from tfprof.model.units import NS_A_MICROSECOND, PS_A_NANOSECOND
from tfprof.model.units import shape as shape_text
from tfprof.model.xspace import Environment, Plane, Space
from tfprof.model.xstats import StatValue
from tfprof.wire.distinct import distinct
from tfprof.wire.schema import Proto

Ints = npt.NDArray[np.int64]

# what the runtime writes beside an execution: "[cpu 38.8MB] node = Op(input:1, ^control)"
_LABEL = late_pattern(r"(?:\[.*?\] )?(?P<node>\S+) = (?P<op>\w+)\((?P<inputs>.*)\)", re.DOTALL)
STEP = "step"


@frozen_dataclass
class RunSpace:
    """The capture that a run would be; what nodes read, and memory by plane, where it is told."""

    space: Space
    inputs: Mapping[str, Sequence[str]]
    counters: Mapping[int, Sequence[MemoryCounter]]


@mutable_dataclass
class _Told:
    """What the records behind the executions of one device say, row by row."""

    names: list[str] = field(default_factory=list)
    start_ns: list[int] = field(default_factory=list)
    duration_ns: list[int] = field(default_factory=list)
    shapes: dict[int, str] = field(default_factory=dict)


def run_space(trace: Trace, ops: Mapping[str, str]) -> RunSpace:
    """`ops` are types of nodes that a graph tells."""
    rows = trace.executions
    started = rows.start > 0
    told: dict[str, _Told] = {}
    inputs: dict[str, list[str]] = {}
    mine: dict[str, Ints] = {}
    for code in rows.device.used():
        device = rows.device.table[code]
        mine[device] = np.flatnonzero((rows.device.codes == code) & started)
        told[device] = _told(trace, mine[device], ops, inputs)
    origin = min((min(one.start_ns) for one in told.values() if one.start_ns), default=0)
    planes: list[Plane] = []
    memory = _counters(trace, origin)
    counters: dict[int, list[MemoryCounter]] = {}
    for device, one in told.items():
        if one.start_ns:
            counters[len(planes)] = memory.get(device, [])
            planes.append(_plane(trace, device, mine[device], one, origin))
    return RunSpace(Space(tuple(planes), origin, {"": Environment()}), inputs, counters)


def _told(trace: Trace, rows: Ints, ops: Mapping[str, str], inputs: dict[str, list[str]]) -> _Told:
    told = _Told()
    runs = trace.executions
    for place, row in enumerate(rows.tolist()):
        record = trace.record(row) if trace.record is not None else None
        node = runs.node[row]
        label = _LABEL.fullmatch(record.timeline_label) if record is not None else None
        if label is not None:
            inputs.setdefault(node, _inputs(label["inputs"]))
        kind = label["op"] if label is not None else ops.get(node.partition(":")[0])
        told.names.append(f"{node}:{kind}" if kind and op_name(node) is None else node)
        start, duration = _times(trace, row, record)
        told.start_ns.append(start)
        told.duration_ns.append(duration)
        if record is not None:
            _note_outputs(told, place, record)
    return told


def _inputs(text: str) -> list[str]:
    """The nodes that a label names, without their ports."""
    words = (word.strip().removeprefix("^") for word in text.split(","))
    return [word.partition(":")[0] for word in words if word]


def _times(trace: Trace, row: int, record: Proto) -> tuple[int, int]:
    """Start and duration of the op itself, in nanoseconds if they were recorded."""
    if record is not None and record.all_start_nanos:
        return record.all_start_nanos, max(0, record.op_end_rel_nanos)
    runs = trace.executions
    start, took = int(runs.start[row]), max(0, int(runs.op_end_rel[row]))
    return start * NS_A_MICROSECOND, took * NS_A_MICROSECOND


def _note_outputs(told: _Told, place: int, record: Proto) -> None:
    found = [
        shape_text(tuple(None if d.size < 0 else d.size for d in out.tensor_description.shape.dim))
        for out in record.output
    ]
    if found:
        told.shapes[place] = " ".join(found)


def _counters(trace: Trace, origin_ns: int) -> dict[str, list[MemoryCounter]]:
    """By device, bytes in use since the run began: what was there before is not told."""
    if trace.allocations is None:
        return {}
    notes = trace.allocations()
    found: dict[str, list[MemoryCounter]] = {}
    device = trace.executions.device
    place = device.codes[notes.execution].astype(np.int64) * len(notes.allocator.table)
    place += notes.allocator.codes
    for key in distinct(place).tolist():
        mine = np.flatnonzero(place == key)
        mine = mine[np.argsort(notes.micros[mine], kind="stable")]
        moments, first = np.unique(notes.micros[mine], return_index=True)
        in_use = np.add.reduceat(notes.bytes[mine], first).cumsum()
        time = np.maximum(moments * NS_A_MICROSECOND - origin_ns, 0) * PS_A_NANOSECOND
        code, allocator = divmod(key, len(notes.allocator.table))
        one = MemoryCounter(notes.allocator.table[allocator], time, in_use)
        found.setdefault(device.table[code], []).append(one)
    return found


def _plane(trace: Trace, device: str, rows: Ints, told: _Told, origin_ns: int) -> Plane:
    runs = trace.executions
    threads, line = np.unique(runs.thread[rows], return_inverse=True)
    names = [trace.threads.get(thread, "") or _thread(thread) for thread in threads.tolist()]
    shapes = list(told.shapes), list(told.shapes.values())
    stats: dict[str, tuple[Sequence[int], Sequence[StatValue]]] = {"output_shapes": shapes}
    stats[STEP] = range(len(rows)), runs.step[rows].tolist()
    return made_plane(
        "",
        device,
        names,
        MadeEvents(
            line.astype(np.int64),
            Interned.of(told.names),
            (np.array(told.start_ns, np.int64) - origin_ns) * PS_A_NANOSECOND,
            np.array(told.duration_ns, np.int64) * PS_A_NANOSECOND,
            {name: held for name, held in stats.items() if len(held[0])},
        ),
    )


def _thread(number: int) -> str:
    """A run that notes no threads has them all as number 0."""
    return f"thread {number}" if number else "all threads"
