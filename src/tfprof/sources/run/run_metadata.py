"""RunMetadata: what a traced session run did, one row an execution."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.allocations import Allocations
from tfprof.model.interned import Interned
from tfprof.model.trace import Executions, Partition, Trace
from tfprof.sources.files.reader import parse, read_bytes, top_fields
from tfprof.sources.files.registry import FilePiece
from tfprof.sources.files.text_format import text_to_wire
from tfprof.sources.graph.graphdef import FileBytes, PackedGraph
from tfprof.sources.run.times import LATEST, LONGEST, cut, said_of_cut
from tfprof.wire.fields import Fields, Progress
from tfprof.wire.schema import Proto

Ints = npt.NDArray[np.int64]

# field numbers
_STEP_STATS, _PARTITIONS, _FUNCTION_GRAPHS = 1, 3, 4
_DEVICE_STATS = 1
_DEVICE_NAME, _NODE_STATS, _THREAD_NAMES = 1, 2, 3
_NODE_NAME, _START, _OP_START, _OP_END, _END, _MEMORY, _OUTPUT = 1, 2, 3, 4, 5, 6, 7
_THREAD, _MEMORY_STATS = 10, 12
_ALLOCATOR, _TOTAL, _PEAK, _LIVE, _RECORDS = 1, 2, 3, 4, 6
_WHEN, _CHANGE = 1, 2
_TEMPORARY, _PERSISTENT = 1, 3
_TENSOR = 3
_ALLOCATION = 4
_REQUESTED, _ALLOCATED = 1, 2


def read_binary(path: Path, step: int, progress: Progress | None) -> FilePiece:
    return run_piece(read_bytes(path, progress), path, step, [], progress)


def read_text(path: Path, step: int, progress: Progress | None) -> FilePiece:
    warnings: list[str] = []
    data, _ = text_to_wire(read_bytes(path, progress), "RunMetadata", path, warnings)
    return run_piece(data, path, step, warnings, progress)


def run_piece(
    data: bytes, path: Path, step: int, warnings: list[str], progress: Progress | None = None
) -> FilePiece:
    """What the bytes of one RunMetadata give, as step number `step`."""
    data, fields = top_fields(data, "RunMetadata", path, warnings, progress)
    source = FileBytes(data, path)
    stats = fields.repeated(_STEP_STATS)
    devices = source.split(stats.start, stats.end).repeated(_DEVICE_STATS)
    trace = _trace(source, devices, step, progress)
    if not len(trace.executions):
        warnings.append(f"{path} has no step stats: run with trace_level=FULL_TRACE to record them")
    warnings += said_of_cut(trace.executions, path)
    partitions = _partitions(source, fields, step)
    return FilePiece(
        trace=replace(trace, partitions=partitions),
        warnings=warnings,
    )


def _trace(source: FileBytes, devices: Fields, step: int, progress: Progress | None) -> Trace:
    inside = source.split(devices.start, devices.end, progress)
    names = source.strings(*inside.spans(_DEVICE_NAME, len(devices)))
    records = inside.repeated(_NODE_STATS)
    table = list(dict.fromkeys(names)) or [""]
    device_code = np.array([table.index(name) for name in names] or [0], np.int32)
    fields = source.split(records.start, records.end, progress, up_to=_MEMORY_STATS)
    device = Interned(device_code[records.owner], table)
    executions = _executions(source, fields, device, step)
    threads = {}
    for row in inside.rows(_THREAD_NAMES, 2).tolist():
        span = int(inside.start[row]), int(inside.end[row])
        entry = parse(
            "DeviceStepStats_thread_names", source.data[span[0] : span[1]], source.path, span[0]
        )
        threads[entry.key] = entry.value
    return Trace(
        executions,
        (step,),
        (),
        threads,
        _Records(source, records.start, records.end),
        allocations=_AllocatorRecords(source, fields.repeated(_MEMORY)),
    )


def _executions(source: FileBytes, fields: Fields, device: Interned, step: int) -> Executions:
    count = len(device)
    extra = _memory_stats(source, fields, count)
    memory = fields.repeated(_MEMORY)
    used = source.split(memory.start, memory.end)

    def per_execution(number: int) -> Ints:
        return _sum_by(memory.owner, used.ints(number, len(memory)), count)

    temporary, persistent = extra
    return Executions(
        node=Interned.of_spans(source.spans(*fields.spans(_NODE_NAME, count))),
        device=device,
        step=np.full(count, step, np.int64),
        start=cut(fields.ints(_START, count), LATEST),
        op_start_rel=cut(fields.ints(_OP_START, count), LONGEST),
        op_end_rel=cut(fields.ints(_OP_END, count), LONGEST),
        end_rel=cut(fields.ints(_END, count), LONGEST),
        thread=fields.ints(_THREAD, count),
        requested=per_execution(_TOTAL) + temporary + persistent,
        peak=per_execution(_PEAK) + temporary + persistent,
        residual=per_execution(_LIVE) + persistent,
        output=_output_bytes(source, fields, count),
    )


@frozen_dataclass
class _AllocatorRecords:
    """The records of all allocators; `memory` is where each execution tells of one."""

    source: FileBytes
    memory: Fields

    def __call__(self) -> Allocations:
        used = self.source.split(self.memory.start, self.memory.end)
        records = used.repeated(_RECORDS)
        inside = self.source.split(records.start, records.end)
        spans = self.source.spans(*used.spans(_ALLOCATOR, len(self.memory)))
        allocator = Interned.of_spans(spans)
        return Allocations(
            self.memory.owner[records.owner],
            Interned(allocator.codes[records.owner], allocator.table),
            cut(inside.ints(_WHEN, len(records)), LATEST),
            inside.ints(_CHANGE, len(records)),
        )


def _memory_stats(source: FileBytes, fields: Fields, count: int) -> tuple[Ints, Ints]:
    stats = fields.repeated(_MEMORY_STATS)
    inside = source.split(stats.start, stats.end)
    return (
        _sum_by(stats.owner, inside.ints(_TEMPORARY, len(stats)), count),
        _sum_by(stats.owner, inside.ints(_PERSISTENT, len(stats)), count),
    )


def _output_bytes(source: FileBytes, fields: Fields, count: int) -> Ints:
    """What the outputs hold: the larger of requested and allocated, summed by execution."""
    outputs = fields.repeated(_OUTPUT)
    tensors = source.split(outputs.start, outputs.end).repeated(_TENSOR)
    allocations = source.split(tensors.start, tensors.end).repeated(_ALLOCATION)
    inside = source.split(allocations.start, allocations.end)
    held = np.maximum(
        inside.ints(_REQUESTED, len(allocations)), inside.ints(_ALLOCATED, len(allocations))
    )
    return _sum_by(outputs.owner[tensors.owner[allocations.owner]], held, count)


def _sum_by(owner: Ints, values: Ints, count: int) -> Ints:
    totals = np.zeros(count, np.int64)
    np.add.at(totals, owner, values)
    return totals


@frozen_dataclass
class _Records:
    """The whole NodeExecStats behind a row."""

    source: FileBytes
    starts: Ints
    ends: Ints

    def __call__(self, row: int) -> Proto:
        begin, end = int(self.starts[row]), int(self.ends[row])
        return parse("NodeExecStats", self.source.data[begin:end], self.source.path, begin)


def _partitions(source: FileBytes, fields: Fields, step: int) -> tuple[Partition, ...]:
    """The graphs as they were executed: of the session, else of each function."""
    found = []
    for row in fields.rows(_PARTITIONS, 2).tolist():
        span = fields.start[row : row + 1], fields.end[row : row + 1]
        found.append(Partition(step, "partition", PackedGraph(source, *span)))
    functions = fields.repeated(_FUNCTION_GRAPHS)
    inside = source.split(functions.start, functions.end)
    for number, kind in ((1, "partition"), (2, "before optimization"), (3, "after optimization")):
        for row in inside.rows(number, 2).tolist():
            span = inside.start[row : row + 1], inside.end[row : row + 1]
            label = f"function {kind}"
            found.append(Partition(step, label, PackedGraph(source, *span)))
    return tuple(found)
