"""How the stages of a pipeline are set: what tf.data notes beside the calls of an iterator."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from tfprof.analyses.input_pipeline.pipelines import Pipeline, Stage
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.late_pattern import late_pattern
from tfprof.model.medians import median_of
from tfprof.model.xspace import Plane
from tfprof.results.input import Budget, PrefetchBuffer
from tfprof.wire.distinct import are_among
from tfprof.wire.xstats import RAW, REFERENCE, STRING

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_NUMBERS = (
    "parallelism", "buffer_limit", "buffer_size", "buffered_elements", "batch_size",
    "cycle_length", "cpu_budget", "ram_budget_megabytes", "threadpool_size", "intra_op_parallelism",
)  # fmt: skip
_TEXTS = (
    "name", "shapes", "types", "autotune", "autotune_mode", "algorithm", "ram_usage_megabytes",
)  # fmt: skip
# used of all there is: "6994 out of 25274 (27.67%)"
_USED = late_pattern(r"(\d+) out of (\d+)")
_TRUE = {"true": True, "false": False}


@frozen_dataclass
class Settings:
    """None is what no call tells. `parallelism` is the usual one, `most_parallel` the highest."""

    op: str | None
    shapes: str | None
    types: str | None
    parallelism: int | None
    most_parallel: int | None
    autotuned: bool | None
    autotune_mode: str | None
    batch_size: int | None
    cycle_length: int | None
    buffer: PrefetchBuffer | None


class Noted:
    """What the calls of some iterators note, read once."""

    def __init__(self, plane: Plane, rows: Ints) -> None:
        self._rows = rows
        names = (*_NUMBERS, *_TEXTS)
        self._columns = dict(zip(names, plane.stats_of_rows(rows, *names), strict=True))

    def numbers(self, name: str, rows: Ints) -> Floats:
        """The values that some of the events have."""
        column = self._columns[name]
        is_number = ~np.isin(column.table.kind, (STRING, RAW, REFERENCE))
        return column.floats()[is_number & are_among(column.rows, rows)]

    def usual_number(self, name: str, rows: Ints) -> int | None:
        found = self.numbers(name, rows)
        return round(median_of(found)) if len(found) else None

    def text(self, name: str, rows: Ints) -> str | None:
        """The most frequent one."""
        column = self._columns[name]
        mine = np.flatnonzero(are_among(column.rows, rows))
        if not len(mine):
            return None
        texts = column.texts()
        return texts.table[int(np.bincount(texts.codes[mine]).argmax())] or None

    def last_text(self, name: str, rows: Ints) -> str | None:
        column = self._columns[name]
        mine = np.flatnonzero(are_among(column.rows, rows))
        return column.texts()[int(mine[-1])] or None if len(mine) else None


def noted(pipeline: Pipeline) -> Noted:
    rows = np.concatenate([stage.calls for stage in pipeline.stages])
    return Noted(pipeline.plane, np.sort(pipeline.calls.row[rows]))


def settings(pipeline: Pipeline, said: Noted) -> list[Settings]:
    """One a stage."""
    return [_settings(pipeline, stage, said) for stage in pipeline.stages]


def _settings(pipeline: Pipeline, stage: Stage, said: Noted) -> Settings:
    rows = pipeline.calls.row[stage.calls]
    parallelism = said.numbers("parallelism", rows)
    autotune = said.text("autotune", rows)
    return Settings(
        said.text("name", rows),
        said.text("shapes", rows),
        said.text("types", rows),
        round(median_of(parallelism)) if len(parallelism) else None,
        int(parallelism.max()) if len(parallelism) else None,
        _TRUE.get(autotune) if autotune is not None else None,
        said.text("autotune_mode", rows),
        said.usual_number("batch_size", rows),
        said.usual_number("cycle_length", rows),
        _buffer(rows, said),
    )


def _buffer(rows: Ints, said: Noted) -> PrefetchBuffer | None:
    """An empty buffer is not noted: calls that note nothing found nothing."""
    limit = said.usual_number("buffer_limit", rows)
    limit = said.usual_number("buffer_size", rows) if limit is None else limit
    filled = said.numbers("buffered_elements", rows)
    if limit is None and not len(filled):
        return None
    of_calls = np.zeros(len(rows))
    of_calls[: len(filled)] = filled
    empty = float((of_calls <= 0).mean()) if len(rows) else 0.0
    return PrefetchBuffer(median_of(of_calls), limit if limit and limit > 0 else None, empty)


def budget(pipeline: Pipeline, said: Noted) -> Budget:
    rows = pipeline.calls.row[pipeline.first.calls]
    ram = said.usual_number("ram_budget_megabytes", rows)
    used = _USED.match(said.last_text("ram_usage_megabytes", rows) or "")
    return Budget(
        said.text("algorithm", rows),
        said.usual_number("cpu_budget", rows),
        ram * 10**6 if ram is not None else None,
        int(used[1]) * 10**6 if used else None,
        int(used[2]) * 10**6 if used else None,
        said.usual_number("threadpool_size", rows),
        said.usual_number("intra_op_parallelism", rows),
    )


def fused_ops(op: str | None) -> tuple[str, ...]:
    """`fused(MapDataset:1,BatchDatasetV2:2)` was written as two."""
    inner = re.fullmatch(r"fused\((.*)\)", op or "")
    return tuple(map(_without_number, inner[1].split(","))) if inner else ()


def written_as(op: str | None) -> str:
    """The dataset of a stage without its number: `MapDataset`."""
    return _without_number(op or "")


def _without_number(op: str) -> str:
    return re.sub(r":\d+$", "", op.strip())
