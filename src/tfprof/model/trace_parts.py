"""Some of the executions of a trace, with all that belongs to them."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.allocations import Allocations
from tfprof.model.interned import Interned
from tfprof.model.providers import AllocationSource, Records
from tfprof.model.trace import Executions, Trace
from tfprof.wire.distinct import numbered
from tfprof.wire.schema import Proto

Ints = npt.NDArray[np.int64]


def some_of(trace: Trace, rows: Ints) -> Trace:
    """The executions `rows`, which rise; a capture behind them stays whole."""
    record, allocations = trace.record, trace.allocations
    return replace(
        trace,
        executions=_executions(trace.executions, rows),
        record=None if record is None else _SomeRecords(record, rows),
        allocations=None if allocations is None else _SomeAllocations(allocations, rows),
    )


@frozen_dataclass
class _SomeRecords:
    source: Records
    rows: Ints

    def __call__(self, row: int) -> Proto | None:
        return self.source(int(self.rows[row]))


@frozen_dataclass
class _SomeAllocations:
    source: AllocationSource
    rows: Ints

    def __call__(self) -> Allocations:
        all_ = self.source()
        keep = np.flatnonzero(np.isin(all_.execution, self.rows))
        return Allocations(
            np.searchsorted(self.rows, all_.execution[keep]).astype(np.int64),
            _strings(all_.allocator, keep),
            all_.micros[keep],
            all_.bytes[keep],
        )


def _executions(all_: Executions, rows: Ints) -> Executions:
    columns: dict[str, Any] = {}
    for column in fields(all_):
        value = getattr(all_, column.name)
        columns[column.name] = (
            None
            if value is None
            else _strings(value, rows)
            if isinstance(value, Interned)
            else value[rows]
        )
    return Executions(**columns)


def _strings(column: Interned, rows: Ints) -> Interned:
    """With only the strings that are left: what did not run is not to be listed."""
    kept, codes = numbered(column.codes[rows])
    return Interned(codes.astype(np.int32), [column.table[code] for code in kept.tolist()])
