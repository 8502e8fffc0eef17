"""What lies around the captured steps: other captures of the run, and where epochs went."""

from __future__ import annotations

from collections.abc import Sequence

from tfprof.results.recorded_run import CaptureRow, EpochRow
from tfprof.views.shapes import Column, Fold, Table, Unit, Value

_SHOWN = 8
_PARTS = {
    "data_us": "data",
    "step_us": "steps",
    "callbacks_us": "callbacks",
    "validation_us": "validation",
    "checkpoint_us": "saving",
    "other_us": "other",
}


def captures_table(captures: Sequence[CaptureRow]) -> Table:
    """The captures of a long run; any of them can be picked."""
    columns = [
        Column("capture", "capture (--run NAME)"),
        Column("steps", "steps"),
        Column("median_us", "median period", Unit.MICROS),
        Column("note", ""),
    ]
    rows: list[list[Value]] = [
        [one.capture, _steps(one), one.median_us, "shown" if one.read else one.kept_as or ""]
        for one in captures
    ]
    return Table(columns, rows, fold=Fold(_SHOWN))


def _steps(one: CaptureRow) -> str:
    known = one.first_step is not None and one.last_step is not None
    return f"{one.first_step:,} to {one.last_step:,}" if known else "?"


def epochs_table(epochs: Sequence[EpochRow]) -> Table:
    """Of the parts, those that any epoch knows."""
    known = {
        key: title
        for key, title in _PARTS.items()
        if any(getattr(one, key) is not None for one in epochs)
    }
    columns = [Column("epoch", "epoch", Unit.COUNT), Column("time_us", "time", Unit.MICROS)]
    columns += [Column(key, title, Unit.MICROS) for key, title in known.items()]
    rows = [[one.epoch, one.time_us, *(getattr(one, key) for key in known)] for one in epochs]
    return Table(columns, rows, fold=Fold(_SHOWN))
