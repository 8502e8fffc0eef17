"""Steps that the capture itself has: what a device calls so, and the traced runs of sessions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tfprof.analyses.events.run_space import STEP
from tfprof.model.units import plural
from tfprof.model.xspace import HOST_THREADS, Plane, Space
from tfprof.results.step_windows import Steps, StepWindow

_STEPS_LINE = "Steps"
_GPU = "/device:GPU:"


def own_steps(space: Space, host: str) -> Steps | None:
    """What a TPU says. A host runs ahead of it, and its markers tell when work was sent."""
    return next(_of_devices(space, host, derived=False), None)


def derived_steps(space: Space, host: str) -> Steps | None:
    """What XProf added to a GPU, from its first to its last kernel: better than nothing."""
    return next(_of_devices(space, host, derived=True), None)


def _of_devices(space: Space, host: str, *, derived: bool) -> Iterator[Steps]:
    for plane in space.devices:
        if plane.host == host and plane.name.startswith(_GPU) == derived:
            for line in range(len(plane.lines)):
                span = plane.rows_of_line(line)
                if plane.lines.name[line] == _STEPS_LINE and span.stop > span.start:
                    yield _of_line(plane, span)


def _of_line(plane: Plane, span: slice) -> Steps:
    begins, ends = plane.events.start_ps[span], plane.events.end_ps[span]
    names = [plane.name_of(row) for row in range(span.start, span.stop)]
    decimal = all(name.isdecimal() for name in names)
    numbers = [int(name) for name in names] if decimal else list(range(len(names)))
    untils = np.append(np.maximum(begins[1:], begins[:-1]), ends[-1:])
    rows = zip(numbers, begins.tolist(), ends.tolist(), untils.tolist(), strict=True)
    windows = [
        StepWindow(number, begin, min(end, until), until) for number, begin, end, until in rows
    ]
    return Steps(
        "device", f"{plural(len(windows), 'event')} of the line Steps of {plane.name}", windows
    )


def session_runs(space: Space, host: str) -> Steps | None:
    """One step a run. What happened between two runs was not traced, so a step ends with it."""
    found: dict[int, tuple[int, int]] = {}
    for plane in space.planes:
        # a marker of a user may have a stat of this name, too
        if plane.host != host or plane.name == HOST_THREADS or not plane.has_stat(STEP):
            continue
        column = plane.stat(STEP)
        steps = column.ints()
        for step in np.unique(steps).tolist():
            rows = column.rows[steps == step]
            begin = int(plane.events.start_ps[rows].min())
            end = int(plane.events.end_ps[rows].max())
            old = found.get(step, (begin, end))
            found[step] = min(begin, old[0]), max(end, old[1])
    windows = [StepWindow(step, begin, end, end) for step, (begin, end) in found.items()]
    windows.sort(key=lambda window: (window.begin, window.number))
    return Steps("run", f"{plural(len(windows), 'traced run')}", windows) if windows else None
