"""When the steps of a run were."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tfprof.analyses.timeline.run_space import STEP
from tfprof.model.xspace import Plane, Space

_MARKER = "step_num"
_ROOT = "_r"
_STEPS_LINE = "Steps"


@dataclass(frozen=True, slots=True)
class StepWindow:
    """Picoseconds on the clock of the capture."""

    number: int
    begin: int
    end: int

    @property
    def duration(self) -> int:
        return self.end - self.begin


def step_windows(space: Space) -> list[StepWindow]:
    """By time: of markers on a host, of runs, else of what a device calls its steps."""
    for plane in space.planes:
        if not plane.is_device and plane.has_stat(_MARKER):
            found = _marked(plane)
            if found:
                return found
    return _runs(space) or _of_devices(space)


def _marked(plane: Plane) -> list[StepWindow]:
    """Any event that carries a step number marks a step; of nested ones the outermost."""
    column = plane.stat(_MARKER)
    rows, numbers = column.rows, column.ints()
    if plane.has_stat(_ROOT):
        roots = plane.stat(_ROOT).over_all()[rows] > 0
        if roots.any():
            rows, numbers = rows[roots], numbers[roots]
    start, end = plane.events.start_ps[rows], plane.events.end_ps[rows]
    order = np.lexsort((-end, start))
    found: list[StepWindow] = []
    for number, begin, stop in zip(
        numbers[order].tolist(), start[order].tolist(), end[order].tolist(), strict=True
    ):
        if not found or begin >= found[-1].end:
            found.append(StepWindow(number, begin, stop))
    return found


def _runs(space: Space) -> list[StepWindow]:
    found: dict[int, StepWindow] = {}
    for plane in space.planes:
        if not plane.has_stat(STEP):
            continue
        column = plane.stat(STEP)
        steps = column.ints()
        for step in np.unique(steps).tolist():
            rows = column.rows[steps == step]
            begin = int(plane.events.start_ps[rows].min())
            end = int(plane.events.end_ps[rows].max())
            old = found.get(step)
            if old is not None:
                begin, end = min(begin, old.begin), max(end, old.end)
            found[step] = StepWindow(step, begin, end)
    return [found[step] for step in sorted(found)]


def _of_devices(space: Space) -> list[StepWindow]:
    for plane in space.devices:
        for line in range(len(plane.lines)):
            span = plane.rows_of_line(line)
            if plane.lines.name[line] == _STEPS_LINE and span.stop > span.start:
                starts = plane.events.start_ps[span].tolist()
                ends = plane.events.end_ps[span].tolist()
                names = [plane.name_of(row) for row in range(span.start, span.stop)]
                return [
                    StepWindow(int(name) if name.isdecimal() else number, *times)
                    for number, (name, *times) in enumerate(zip(names, starts, ends, strict=True))
                ]
    return []


def typical(windows: list[StepWindow]) -> StepWindow | None:
    """The step in the middle by duration; of an even number the shorter one."""
    ordered = sorted(windows, key=lambda window: (window.duration, window.begin))
    return ordered[(len(ordered) - 1) // 2] if ordered else None
