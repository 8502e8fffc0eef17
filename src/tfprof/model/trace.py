"""What ran, when and where: one row an execution, whatever file it came from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from tfprof.model.interned import Interned

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Executions:
    """Times are microseconds, bytes are bytes; `*_rel` counts from `start`.

    `requested`, `peak` and `residual` are the original tool's sums over a record's allocators with
    temporary and persistent memory; `output` is what the outputs hold.
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

    def __len__(self) -> int:
        return len(self.step)

    @classmethod
    def joined(cls, parts: list[Executions]) -> Executions:
        """Several runs one after the other."""
        if len(parts) == 1:
            return parts[0]
        columns: dict[str, Any] = {}
        for column in fields(cls):
            values = [getattr(part, column.name) for part in parts]
            if column.name in ("node", "device"):
                columns[column.name] = _joined_strings(values)
            else:
                columns[column.name] = np.concatenate(values)
        return cls(**columns)


def _joined_strings(columns: list[Interned]) -> Interned:
    table = list(dict.fromkeys(value for column in columns for value in column.table))
    index = {value: code for code, value in enumerate(table)}
    codes = [
        np.array([index[value] for value in column.table], np.int32)[column.codes]
        if len(column)
        else column.codes
        for column in columns
    ]
    return Interned(np.concatenate(codes), table)


@dataclass(frozen=True, slots=True)
class Partition:
    """A graph as it was executed, loaded when asked for."""

    step: int
    kind: str
    load: Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Trace:
    executions: Executions
    steps: tuple[int, ...]
    partitions: tuple[Partition, ...] = ()
    threads: Mapping[int, str] = field(default_factory=dict)
    # the wire record behind an execution, for what has no column (outputs, allocation records)
    record: Callable[[int], Any] | None = None

    @classmethod
    def joined(cls, traces: list[Trace]) -> Trace:
        """Several traces, each with steps of its own, as one."""
        if len(traces) == 1:
            return traces[0]
        bounds = np.cumsum([len(trace.executions) for trace in traces])

        def record(row: int) -> Any:  # noqa: ANN401
            part = int(np.searchsorted(bounds, row, side="right"))
            source = traces[part].record
            before = int(bounds[part - 1]) if part else 0
            return None if source is None else source(row - before)

        return cls(
            Executions.joined([trace.executions for trace in traces]),
            tuple(step for trace in traces for step in trace.steps),
            tuple(partition for trace in traces for partition in trace.partitions),
            {thread: name for trace in traces for thread, name in trace.threads.items()},
            record,
        )
