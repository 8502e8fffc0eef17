"""What a slice of a timeline is called, of which kind it is, and what else is said of it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tfprof.model.op_names import NO_NAME, OpKind, op_name
from tfprof.model.xspace import Plane
from tfprof.model.xstats import StatColumn
from tfprof.views.tracks import ArgValue, SliceName
from tfprof.wire.xstats import DOUBLE, RAW, REFERENCE, STRING, UINT64

Ints = npt.NDArray[np.int64]

# what is said of an event even if nobody asks for all there is
_USUAL = (
    "step_num", "step", "tf_op", "hlo_op", "hlo_module", "shape", "shapes", "output_shapes",
    "kernel_details", "memcpy_details", "tf_function_call", "source",
)  # fmt: skip
_KINDS = {OpKind.DATASET: "tf.data", OpKind.COPY: "copy"}
# by beginning of the name, for what is no op
_CATEGORIES = (
    ("Memcpy", "copy"), ("MEMCPY", "copy"), ("MemoryAllocation", "memory"),
    ("MemoryDeallocation", "memory"), ("$", "python"), ("Iterator", "tf.data"),
    ("ThreadpoolListener", "threadpool"),
)  # fmt: skip


def named(plane: Plane, name: str) -> SliceName:
    op = op_name(name)
    if op is not None and op.kind in (OpKind.TENSORFLOW, OpKind.JAX):
        return SliceName(name, "op", {"node": op.name, "op": op.type})
    if op is not None:
        return SliceName(name, _KINDS.get(op.kind, "op"))
    usual = "kernel" if plane.is_device else "runtime"
    found = (kind for start, kind in _CATEGORIES if name.startswith(start))
    return SliceName(name or NO_NAME, next(found, usual))


def arg_columns(plane: Plane, *, all_args: bool) -> list[tuple[str, StatColumn]]:
    known = dict.fromkeys(plane.stat_names.name[:-1])
    wanted = known if all_args else [name for name in _USUAL if name in known]
    columns = ((name, plane.stat(name)) for name in wanted)
    return [(name, column) for name, column in columns if len(column)]


def args_of(
    columns: Sequence[tuple[str, StatColumn]], rows: Ints
) -> dict[int, list[tuple[str, ArgValue]]]:
    """By position in `rows`; rows rise, and so do those of a column."""
    found: dict[int, list[tuple[str, ArgValue]]] = {}
    for key, column in columns:
        owners = column.table.owner
        first, last = np.searchsorted(owners, [rows[0], rows[-1] + 1]).tolist()
        if first == last:
            continue
        place = np.searchsorted(rows, owners[first:last])
        some = np.flatnonzero(rows[place] == owners[first:last])
        part = StatColumn(column.table.rows(some + first), column.count, column.data, column.names)
        for at, value in zip(place[some].tolist(), _values(part), strict=True):
            found.setdefault(at, []).append((key, value))
    return found


def _values(column: StatColumn) -> list[ArgValue]:
    """Each value as what it is; of bytes, which are no text, how many there are."""
    values: list[ArgValue] = list(column.ints().tolist())
    kind = column.table.kind
    for at in np.flatnonzero(kind == UINT64).tolist():
        values[at] = int(column.table.value[at])
    for at in np.flatnonzero(kind == RAW).tolist():
        values[at] = f"{int(column.table.size[at])} bytes"
    doubles = np.flatnonzero(kind == DOUBLE).tolist()
    for at, number in zip(doubles, column.floats()[doubles].tolist(), strict=True):
        values[at] = number if math.isfinite(number) else str(number)
    named = np.flatnonzero(np.isin(kind, (STRING, REFERENCE))).tolist()
    texts = column.texts() if named else None
    for at in named:
        values[at] = texts[at] if texts is not None else ""
    return values
