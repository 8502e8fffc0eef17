"""What ran, when and where: one row an execution, whatever file it came from."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt

from tfprof.model.interned import Interned
from tfprof.model.joined_records import (
    ChosenAllocations,
    ChosenRecords,
    JoinedAllocations,
    JoinedRecords,
)
from tfprof.model.providers import AllocationSource, GraphSource, Records
from tfprof.model.xspace import Space

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Executions:
    """Times are microseconds, bytes are bytes; `*_rel` counts from `start`.

    `requested`, `peak` and `residual` are the original tool's sums over a record's allocators with
    temporary and persistent memory; `output` is what the outputs hold.

    Three columns only captures of TensorFlow 2 have: the type of the op, how long it took in
    picoseconds, where `op_end_rel` is that to the nearest microsecond, and the event behind it,
    the events of all planes counted through.
    """

    node: Interned
    device: Interned
    step: Ints
    start: Ints
    op_start_rel: Ints
    op_end_rel: Ints
    end_rel: Ints
    thread: Ints
    requested: Ints
    peak: Ints
    residual: Ints
    output: Ints
    op: Interned | None = None
    duration_ps: Ints | None = None
    event: Ints | None = None

    def __len__(self) -> int:
        return len(self.step)

    def at(self, rows: Ints) -> Executions:
        columns: dict[str, Any] = {}
        for column in fields(self):
            value = getattr(self, column.name)
            if isinstance(value, Interned):
                columns[column.name] = value.at(rows)
            else:
                columns[column.name] = None if value is None else value[rows]
        return Executions(**columns)

    @classmethod
    def joined(cls, parts: list[Executions]) -> Executions:
        """Several runs one after the other."""
        if len(parts) == 1:
            return parts[0]
        columns: dict[str, Any] = {}
        for column in fields(cls):
            values = [getattr(part, column.name) for part in parts]
            if any(value is None for value in values):
                columns[column.name] = None
            elif isinstance(values[0], Interned):
                columns[column.name] = Interned.joined(values)
            else:
                columns[column.name] = np.concatenate(values)
        return cls(**columns)


@dataclass(frozen=True, slots=True)
class Partition:
    """A graph as it was executed, loaded when asked for."""

    step: int
    kind: str
    load: GraphSource


@dataclass(frozen=True, slots=True)
class Trace:
    executions: Executions
    steps: tuple[int, ...]
    partitions: tuple[Partition, ...] = ()
    threads: Mapping[int, str] = field(default_factory=dict)
    record: Records | None = None
    # the whole capture behind executions that come from one
    space: Space | None = None
    allocations: AllocationSource | None = None
    # by step, what whoever logged the run called it
    tags: Mapping[int, str] = field(default_factory=dict)

    def without_steps(self, steps: Collection[int]) -> Trace:
        """Without some runs; the records of a capture are of no run."""
        kept = np.flatnonzero(~np.isin(self.executions.step, list(steps)))
        if len(kept) == len(self.executions) and not set(steps) & set(self.steps):
            return self
        return replace(
            self,
            executions=self.executions.at(kept),
            steps=tuple(step for step in self.steps if step not in steps),
            partitions=tuple(one for one in self.partitions if one.step not in steps),
            record=None if self.record is None else ChosenRecords(self.record, kept),
            allocations=(
                None if self.allocations is None else ChosenAllocations(self.allocations, kept)
            ),
            tags={step: tag for step, tag in self.tags.items() if step not in steps},
        )

    @classmethod
    def joined(cls, traces: list[Trace]) -> Trace:
        """Several traces, each with steps of its own, as one."""
        if len(traces) == 1:
            return traces[0]
        traces = _numbered_through(traces)
        first = [0, *accumulate(len(trace.executions) for trace in traces)][:-1]
        allocations = JoinedAllocations(
            tuple(
                (trace.allocations, start)
                for trace, start in zip(traces, first, strict=True)
                if trace.allocations is not None
            )
        )
        spaces = [trace.space for trace in traces if trace.space is not None]
        return cls(
            Executions.joined([trace.executions for trace in traces]),
            tuple(step for trace in traces for step in trace.steps),
            tuple(partition for trace in traces for partition in trace.partitions),
            {thread: name for trace in traces for thread, name in trace.threads.items()},
            JoinedRecords(tuple(trace.record for trace in traces), tuple(first)),
            Space.joined(spaces) if spaces else None,
            allocations if allocations.parts else None,
            {step: tag for trace in traces for step, tag in trace.tags.items()},
        )


def _numbered_through(traces: list[Trace]) -> list[Trace]:
    """A capture numbers its threads and events from 0 on; those of another host are others."""
    made, first, before = [], 0, 0
    for trace in traces:
        if trace.space is None:
            made.append(trace)
            continue
        rows = replace(trace.executions, thread=trace.executions.thread + first)
        if rows.event is not None:
            rows = replace(rows, event=rows.event + before)
        before += trace.space.event_count
        threads = {first + thread: name for thread, name in trace.threads.items()}
        made.append(replace(trace, executions=rows, threads=threads))
        first += len(threads)
    return made
