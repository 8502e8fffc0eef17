"""The tensors of a checkpoint, and on request the statistics of their values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from tfprof.analyses.checkpoint.restore import held_variables
from tfprof.analyses.checkpoint.roles import stored_role
from tfprof.analyses.checkpoint.statistics import Statistics, statistics_of
from tfprof.model.checkpoint import Checkpoint, StoredTensor
from tfprof.printable import place
from tfprof.reports.shared.digest import Digest
from tfprof.reports.summary.query import Query
from tfprof.results.checkpoint import (
    Bin,
    CheckpointResult,
    MeasuredRow,
    StoredRow,
    ValueStatistics,
)
from tfprof.sources.find.load import ProgressOf
from tfprof.wire import dtypes


def checkpoint_result(
    known: Digest, checkpoint: Checkpoint, query: Query, progress: ProgressOf | None
) -> CheckpointResult:
    rows = measured(checkpoint, _heard(checkpoint, progress)) if query.stats else _rows(checkpoint)
    held = None
    graph = known.data.graph
    if graph is not None:
        held = held_variables(graph, known.parameters.variables, checkpoint)
    return CheckpointResult(
        place(checkpoint.path), checkpoint.version, checkpoint.shards, tuple(rows), held
    )


def measured(
    checkpoint: Checkpoint, done: Callable[[int], None] | None = None
) -> Iterator[MeasuredRow]:
    """Reads each tensor once; `done` hears how many bytes were read."""
    read = 0
    for tensor in checkpoint.tensors.values():
        values = statistics_of(checkpoint, tensor)
        read += tensor.stored_bytes
        if done is not None:
            done(read)
        yield MeasuredRow(*_described(checkpoint, tensor), _statistics(values) if values else None)


def _heard(checkpoint: Checkpoint, progress: ProgressOf | None) -> Callable[[int], None] | None:
    if progress is None:
        return None
    whole = sum(tensor.stored_bytes for tensor in checkpoint.tensors.values())
    return progress(Path(checkpoint.path), whole)


def _rows(checkpoint: Checkpoint) -> Iterator[StoredRow]:
    for tensor in checkpoint.tensors.values():
        yield StoredRow(*_described(checkpoint, tensor))


def _described(
    checkpoint: Checkpoint, tensor: StoredTensor
) -> tuple[str, str, str, tuple[int, ...], int, str | None]:
    role = stored_role(checkpoint, tensor)
    return (
        tensor.name,
        tensor.key,
        dtypes.name(tensor.dtype),
        tensor.shape,
        tensor.stored_bytes,
        role.value if role is not None else None,
    )


def _statistics(values: Statistics) -> ValueStatistics:
    some = values.finite > 0
    return ValueStatistics(
        values.count,
        values.minimum if some else None,
        values.maximum if some else None,
        values.mean if some else None,
        values.deviation,
        values.nan,
        values.infinite,
        values.zeros,
        tuple(Bin(*one) for one in values.histogram()),
    )
