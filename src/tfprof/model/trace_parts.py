"""Some of the executions of a trace, with all that belongs to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tfprof.model.allocations import Allocations
from tfprof.model.interned import Interned
from tfprof.model.trace import Executions, Trace

Ints = npt.NDArray[np.int64]


def some_of(trace: Trace, rows: Ints) -> Trace:
    """The executions `rows`, which rise; a capture behind them stays whole."""
    source = trace.record
    return replace(
        trace,
        executions=_executions(trace.executions, rows),
        record=None if source is None else lambda row: source(int(rows[row])),
        allocations=_allocations(trace.allocations, rows),
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
    kept, codes = np.unique(column.codes[rows], return_inverse=True)
    return Interned(codes.astype(np.int32), [column.table[code] for code in kept.tolist()])


def _allocations(
    load: Callable[[], Allocations] | None, rows: Ints
) -> Callable[[], Allocations] | None:
    if load is None:
        return None

    def some() -> Allocations:
        all_ = load()
        keep = np.flatnonzero(np.isin(all_.execution, rows))
        return Allocations(
            np.searchsorted(rows, all_.execution[keep]).astype(np.int64),
            _strings(all_.allocator, keep),
            all_.micros[keep],
            all_.bytes[keep],
        )

    return some
