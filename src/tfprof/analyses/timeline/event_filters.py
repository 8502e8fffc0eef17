"""Which events of a capture are wanted: by time, thread and duration, and without noise."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.xspace import Plane, Space

Ints = npt.NDArray[np.int64]

# what the runtime notes about its thread pools: over half of the events, none of them any time
NOISE = "ThreadpoolListener::"


@frozen_dataclass
class Filters:
    """Picoseconds on the clock of the capture; None is open."""

    begin: int | None = None
    end: int | None = None
    thread: re.Pattern[str] | None = None
    min_duration: int = 0
    noise: bool = False


@frozen_dataclass
class Picked:
    """The wanted rows of one line of a plane."""

    line: int
    rows: Ints


def picked(plane: Plane, filters: Filters) -> Iterator[Picked]:
    """Line after line, those without a wanted event left out."""
    quiet = np.array([name.startswith(NOISE) for name in plane.event_names.name], bool)
    for line in _by_name(plane):
        if filters.thread and not filters.thread.search(plane.line_name(line)):
            continue
        span = plane.rows_of_line(line)
        keep = _kept(plane, span, filters, quiet)
        rows = np.arange(span.start, span.stop) if keep is None else np.flatnonzero(keep)
        if keep is not None:
            rows += span.start
        if len(rows):
            yield Picked(line, rows)


def _kept(
    plane: Plane, span: slice, filters: Filters, quiet: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_] | None:
    """None for all."""
    tests = []
    if not filters.noise and quiet.any():
        tests.append(~quiet[plane.events.name[span]])
    start = plane.events.start_ps[span]
    if filters.end is not None:
        tests.append(start < filters.end)
    if filters.begin is not None:
        # an event of no duration belongs to the moment it stands at
        end = start + np.maximum(plane.events.duration_ps[span], 1)
        tests.append(end > filters.begin)
    if filters.min_duration:
        tests.append(plane.events.duration_ps[span] >= filters.min_duration)
    # what was only counted has no time
    if plane.events.occurrences[span].any():
        tests.append(plane.events.occurrences[span] == 0)
    return np.logical_and.reduce(tests) if tests else None


def _by_name(plane: Plane) -> list[int]:
    """Lines as a reader expects them: numbers in names count as numbers."""
    names = [plane.line_name(line) for line in range(len(plane.lines))]
    return sorted(range(len(names)), key=lambda line: (_natural(names[line]), line))


def _natural(name: str) -> list[tuple[int, int, str]]:
    parts = re.split(r"(\d+)", name)
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts]


def first_start(space: Space) -> int:
    """When the first event of all began."""
    starts = [int(p.events.start_ps.min()) for p in space.planes if len(p.events)]
    return min(starts, default=0)


def last_end(space: Space) -> int:
    return max((int(p.events.end_ps.max()) for p in space.planes if len(p.events)), default=0)
