"""Which functions Python called in a capture, how often they were traced, what XLA compiled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from tfprof.analyses.steps.host_marks import HostMarks, host_marks
from tfprof.late_pattern import late_pattern
from tfprof.model.units import as_micros
from tfprof.model.xspace import Plane, Space
from tfprof.results.capture_traits import CalledFunction, CaptureTraits

_CALL, _TRACINGS = "tf_function_call", "tracing_count"
_COMPILES = late_pattern(r"XlaCompile|CompileGraph|CompileSingleOp|.*::CompileToLocalExecutable")


def capture_traits(spaces: Iterable[Space]) -> CaptureTraits:
    """Of all hosts together; devices, versions and shares are the summary's."""
    found: dict[str, CalledFunction] = {}
    compiled: Counter[str] = Counter()
    took = 0.0
    for space in spaces:
        for host in space.hosts:
            for marks in host_marks(space, host):
                for one in _functions(marks):
                    known = found.get(one.name)
                    found[one.name] = one if known is None else _both(known, one)
                names, micros = _compiled(marks.plane)
                compiled.update(names)
                took += micros
    ordered = sorted(found.values(), key=lambda one: (-one.time_us, one.name))
    return CaptureTraits(tuple(ordered), dict(compiled), took)


def _functions(marks: HostMarks) -> Iterator[CalledFunction]:
    rows = marks.calls
    if not len(rows):
        return
    plane = marks.plane
    column = plane.stat_of_rows(_CALL, rows)
    texts = column.texts()
    kinds = dict(
        zip(column.rows.tolist(), (texts[at] for at in range(len(column.rows))), strict=True)
    )
    counted = dict(zip(*(one.tolist() for one in marks.tracings), strict=True))
    for row in rows.tolist():
        kind = kinds.get(row, "")
        time = as_micros(int(plane.events.duration_ps[row]))
        traced = kind.startswith("traced")
        name = plane.event_names.name[int(plane.events.name[row])]
        yield CalledFunction(
            name, 1, int(traced), int(kind.startswith("eager")), time,
            time if traced else 0.0, int(counted.get(row, 0)),
        )  # fmt: skip


def _both(one: CalledFunction, other: CalledFunction) -> CalledFunction:
    return replace(
        one,
        calls=one.calls + other.calls,
        traced=one.traced + other.traced,
        eager=one.eager + other.eager,
        time_us=one.time_us + other.time_us,
        traced_us=one.traced_us + other.traced_us,
        tracings=max(one.tracings, other.tracings),
    )


def _compiled(plane: Plane) -> tuple[list[str], float]:
    wanted = [at for at, name in enumerate(plane.event_names.name) if _COMPILES.match(name)]
    rows = np.flatnonzero(np.isin(plane.events.name, wanted)) if wanted else np.zeros(0, np.int64)
    names = [plane.event_names.name[int(plane.events.name[row])] for row in rows.tolist()]
    return names, as_micros(int(plane.events.duration_ps[rows].sum()))
