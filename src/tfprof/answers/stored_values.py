"""The tensors of a checkpoint as data, and the statistics of their values on request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfprof.analyses.statistics import Statistics, statistics_of
from tfprof.analyses.stored_roles import stored_role
from tfprof.answers.common import folded
from tfprof.model import units
from tfprof.model.checkpoint import Checkpoint, StoredTensor
from tfprof.views.shapes import Column, Table, Unit, Value
from tfprof.wire import dtypes

# hears how many bytes of how many were read
Done = Callable[[int, int], None]
Measured = dict[str, Statistics | None]


def measure(checkpoint: Checkpoint, done: Done | None = None) -> Measured:
    """The statistics of every tensor, reading each once."""
    whole = sum(tensor.stored_bytes for tensor in checkpoint.tensors.values())
    read = 0
    found: Measured = {}
    for key, tensor in checkpoint.tensors.items():
        found[key] = statistics_of(checkpoint, tensor)
        read += tensor.stored_bytes
        if done is not None:
            done(read, whole)
    return found


def tensors_data(checkpoint: Checkpoint, measured: Measured | None) -> list[dict[str, Any]]:
    rows = []
    for key, tensor in checkpoint.tensors.items():
        role = stored_role(checkpoint, tensor)
        row: dict[str, Any] = {
            "name": tensor.name,
            "key": key,
            "dtype": dtypes.name(tensor.dtype),
            "shape": list(tensor.shape),
            "bytes": tensor.stored_bytes,
            "role": role.value if role is not None else None,
        }
        if measured is not None:
            row["statistics"] = _statistics_data(measured[key])
        rows.append(row)
    return rows


def _statistics_data(values: Statistics | None) -> dict[str, Any] | None:
    if values is None:
        return None
    some = values.finite > 0
    return {
        "count": values.count,
        "min": values.minimum if some else None,
        "max": values.maximum if some else None,
        "mean": values.mean if some else None,
        "std": values.deviation,
        "nan": values.nan,
        "inf": values.infinite,
        "zeros": values.zeros,
        "histogram": [
            {"from": low, "to": high, "count": count} for low, high, count in values.histogram()
        ],
    }


def values_table(checkpoint: Checkpoint, measured: Measured, shown: int) -> Table:
    """Tensors with NaN or infinity first, then the largest."""
    rows = [(checkpoint.tensors[key], values) for key, values in measured.items() if values]
    rows.sort(key=lambda row: (-(row[1].nan + row[1].infinite), -row[0].elements, row[0].name))
    columns = [
        Column("name", "tensor"),
        Column("min", "min", Unit.NUMBER),
        Column("max", "max", Unit.NUMBER),
        Column("mean", "mean", Unit.NUMBER),
        Column("std", "std", Unit.NUMBER),
        Column("nan", "NaN", Unit.COUNT),
        Column("inf", "Inf", Unit.COUNT),
        Column("zeros", "zeros", Unit.SHARE),
    ]
    table = [_row(tensor, values) for tensor, values in rows]
    rest = folded(len(table) - shown) if len(table) > shown else ""
    return Table(columns, table[:shown], "Values", rest)


def _row(tensor: StoredTensor, values: Statistics) -> list[Value]:
    some = values.finite > 0
    return [
        tensor.name,
        values.minimum if some else None,
        values.maximum if some else None,
        values.mean if some else None,
        values.deviation,
        values.nan,
        values.infinite,
        values.zeros / values.count if values.count else None,
    ]


def bad_values(checkpoint: Checkpoint, measured: Measured) -> list[str]:
    """A sentence for what should not be there."""
    bad = {
        checkpoint.tensors[key].name: values
        for key, values in measured.items()
        if values is not None and values.nan + values.infinite
    }
    if not bad:
        return []
    name, first = max(bad.items(), key=lambda item: item[1].nan + item[1].infinite)
    count = sum(values.nan + values.infinite for values in bad.values())
    found = first.nan + first.infinite
    where = f"in {units.plural(len(bad), 'tensor')}; {name} has {found:,} of {first.count:,}"
    return [f"{count:,} values are NaN or infinite, {where}"]
