"""What ran, when and where: one row an execution, whatever file it came from."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import field, fields, replace
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.interned import Interned
from tfprof.model.joined_records import (
    ChosenAllocations,
    ChosenRecords,
    JoinedAllocations,
    JoinedRecords,
)
from tfprof.model.providers import AllocationSource, GraphSource, Records
from tfprof.model.xspace import Space
from tfprof.wire.distinct import distinct

Ints = npt.NDArray[np.int64]


@frozen_dataclass
class Executions:
    """Times are microseconds, bytes are bytes; `*_rel` counts from `start`.

    `requested`, `peak` and `residual` are the original tool's sums over a record's allocators with
    temporary and persistent memory; `output` is what the outputs hold.

    Four columns only captures of TensorFlow 2 have: the type of the op, how long it took in
    picoseconds, where `op_end_rel` is that to the nearest microsecond, the event behind it, the
    events of all planes counted through, and whether an execution of the op begins with it: one
    may be several kernels, or go on on other threads.
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
    begins: npt.NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        return len(self.step)

    @property
    def step_numbers(self) -> list[int]:
        """The different steps, the least first; -1 is none."""
        # a capture may have millions of rows of one step
        alike = self.step.strides == (0,)
        found: list[int] = distinct(self.step[:1] if alike else self.step).tolist()
        return found

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
    def joined(cls, parts: Iterable[Executions]) -> Executions:
        """Several runs one after the other."""
        parts = list(parts)
        if len(parts) == 1:
            return parts[0]
        if not parts:
            return cls.none()
        names = {column.name for column in fields(cls)}
        if all(part.end_rel is part.op_end_rel for part in parts):
            columns = cls.joined_columns(parts, names - {"end_rel"})
            return cls(**columns, end_rel=columns["op_end_rel"])
        return cls(**cls.joined_columns(parts, names))

    @staticmethod
    def joined_columns(parts: list[Executions], names: Collection[str]) -> dict[str, Any]:
        """Some columns of several runs one after the other; none of the parts is left."""
        taken = [{name: getattr(part, name) for name in names} for part in parts]
        parts.clear()
        # column by column: those of parts that nobody else has are gone when they are joined
        return {name: _joined([part.pop(name) for part in taken]) for name in names}

    @classmethod
    def none(cls) -> Executions:
        none, names = np.zeros(0, np.int64), Interned(np.zeros(0, np.int32), [])
        return cls(
            names, names, none, none, none, none, none, none, none, none, none, none, names, none,
            none, np.zeros(0, bool),
        )  # fmt: skip


def _joined(columns: list[Any]) -> Any:  # noqa: ANN401  (of strings or of numbers)
    """None where one is missing; what is the same number in all rows takes no memory."""
    if len(columns) == 1 or any(column is None for column in columns):
        return columns[0] if len(columns) == 1 else None
    if isinstance(columns[0], Interned):
        return Interned.joined(columns)
    constants = {column[0] for column in columns if len(column) and column.strides == (0,)}
    if len(constants) == 1 and all(len(one) and one.strides == (0,) for one in columns):
        return np.broadcast_to(columns[0][0], (sum(map(len, columns)),))
    return np.concatenate(columns)


@frozen_dataclass
class Partition:
    """A graph as it was executed, loaded when asked for."""

    step: int
    kind: str
    load: GraphSource


@frozen_dataclass
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
