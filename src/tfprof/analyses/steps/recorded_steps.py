"""Steps that the capture itself has: what a device calls so, and the traced runs of sessions."""

from __future__ import annotations

from tfprof.analyses.events.run_space import STEP
from tfprof.model.units import plural
from tfprof.model.xspace import HOST_THREADS, Plane, Space
from tfprof.results.step_windows import Steps, StepWindow
from tfprof.wire.distinct import distinct

_STEPS_LINE = "Steps"
_GPU = "/device:GPU:"


def own_steps(space: Space, host: str) -> Steps | None:
    """What a TPU says. A host runs ahead of it, and its markers tell when work was sent."""
    return _of_devices(space, host, derived=False)


def derived_steps(space: Space, host: str) -> Steps | None:
    """What XProf added to GPUs, from the first to the last kernel: better than nothing."""
    return _of_devices(space, host, derived=True)


def _of_devices(space: Space, host: str, *, derived: bool) -> Steps | None:
    """A step of several devices goes on as long as it goes on on any of them."""
    found: dict[str, tuple[int, int]] = {}
    devices: dict[str, int] = {}
    for plane in space.devices:
        if plane.host != host or plane.name.startswith(_GPU) != derived:
            continue
        for line in range(len(plane.lines)):
            if plane.lines.name[line] == _STEPS_LINE:
                rows = plane.rows_of_line(line)
                devices[plane.name] = rows.stop - rows.start
                for row in range(rows.start, rows.stop):
                    _widen(found, plane, row)
    devices = {name: count for name, count in devices.items() if count}
    if not found:
        return None
    about = f"{plural(len(found), 'step')} of the line Steps of {', '.join(devices)}"
    return Steps("device", about, _windows(found))


def _widen(found: dict[str, tuple[int, int]], plane: Plane, row: int) -> None:
    begin = int(plane.events.start_ps[row])
    end = begin + int(plane.events.duration_ps[row])
    name = plane.name_of(row)
    old = found.get(name, (begin, end))
    found[name] = min(begin, old[0]), max(end, old[1])


def _windows(found: dict[str, tuple[int, int]]) -> list[StepWindow]:
    by_time = sorted(found.items(), key=lambda one: one[1])
    decimal = all(name.isdecimal() for name in found)
    numbers = [int(name) for name, _ in by_time] if decimal else list(range(len(by_time)))
    begins, ends = zip(*(span for _, span in by_time), strict=True)
    untils = [*begins[1:], ends[-1]]
    rows = zip(numbers, begins, ends, untils, strict=True)
    return [StepWindow(n, begin, min(end, until), until) for n, begin, end, until in rows]


def session_runs(space: Space, host: str) -> Steps | None:
    """One step a run. What happened between two runs was not traced, so a step ends with it."""
    found: dict[int, tuple[int, int]] = {}
    for plane in space.planes:
        # a marker of a user may have a stat of this name, too
        if plane.host != host or plane.name == HOST_THREADS or not plane.has_stat(STEP):
            continue
        column = plane.stat(STEP)
        steps = column.ints()
        for step in distinct(steps).tolist():
            rows = column.rows[steps == step]
            begin = int(plane.events.start_ps[rows].min())
            end = int(plane.events.ends(rows).max())
            old = found.get(step, (begin, end))
            found[step] = min(begin, old[0]), max(end, old[1])
    windows = [StepWindow(step, begin, end, end) for step, (begin, end) in found.items()]
    windows.sort(key=lambda window: (window.begin, window.number))
    return Steps("run", f"{plural(len(windows), 'traced run')}", windows) if windows else None
