"""Requests for input: how often a step asks for some, and steps that nothing else tells apart."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tfprof.analyses.steps.host_marks import POOL, HostMarks, Marks, ends_of
from tfprof.model.units import plural
from tfprof.model.xspace import Plane
from tfprof.results.step_windows import Dropped, StepWindow

Ints = npt.NDArray[np.int64]

_REQUESTS = "IteratorGetNextOp::DoCompute", "IteratorGetNextAsOptionalOp::DoCompute"
_NEW_ITERATOR = "EagerLocalExecute: MakeIterator"
_CAPTURED = "InstantiatedCapturedFunction::"
_RUNS = "FunctionRun", "SessionRun", "RunGraph"
_TF_DATA = "tf_data_"
# a loop over a dataset in a function becomes a dataset, whose elements are the rounds
_ROUND = re.compile(r"ReduceIterator::Root(::Prefetch)?::Scan")


def requests_of(plane: Plane) -> Ints:
    """By time, on any thread."""
    rows = plane.named(*_REQUESTS)
    return rows[np.argsort(plane.events.start_ps[rows], kind="stable")]


def requests_a_step(plane: Plane, windows: Sequence[StepWindow]) -> int | None:
    """How often a step asks for input, if most of them agree."""
    starts = plane.events.start_ps[requests_of(plane)]
    begins = np.array([window.begin for window in windows], np.int64)
    untils = np.array([window.until for window in windows], np.int64)
    counts = np.searchsorted(starts, untils) - np.searchsorted(starts, begins)
    typical = int(np.median(counts)) if len(counts) else 0
    return typical if np.count_nonzero(counts == typical) * 2 > len(counts) else None


def run_marks(host: HostMarks) -> Marks | None:
    """Runs of functions or sessions by the runtime, unless the input pipeline runs them."""
    plane = host.plane
    rows = plane.named(*_RUNS)
    lines = plane.line_of(rows)
    ours = np.array([not name.startswith(_TF_DATA) for name in plane.lines.name], bool)
    rows, lines = rows[ours[lines]], lines[ours[lines]]
    rows = rows[~np.isin(plane.stat_of_rows("id", rows).over_all()[rows], _captured(plane))]
    lines = plane.line_of(rows)
    best: tuple[tuple[bool, int], int, Ints] | None = None
    for line in dict.fromkeys(lines.tolist()):
        mine = host.outermost(rows[lines == line])
        score = not plane.lines.name[line].startswith(POOL), len(mine)
        if len(mine) > 1 and (best is None or score > best[0]):
            best = score, line, mine
    if best is None:
        return None
    _, line, mine = best
    name = plane.name_of(int(mine[0]))
    what = f"{plural(len(mine), 'event')} `{name}` on thread {host.thread(line)}"
    return Marks("function_run", what, host.place, plane, line, mine)


def _captured(plane: Plane) -> Ints:
    """The ids of the runs that the functions of datasets are."""
    names = [name for name in plane.event_names.name if name.startswith(_CAPTURED)]
    return plane.stat_of_rows("id", plane.named(*names)).ints() if names else np.zeros(0, np.int64)


def round_marks(host: HostMarks) -> Marks | None:
    """The rounds of a loop over a dataset within one function."""
    plane = host.plane
    names = [name for name in plane.event_names.name if _ROUND.fullmatch(name)]
    bodies = [name for name in plane.event_names.name if name.startswith(_CAPTURED)]
    rows, bodies_at = plane.named(*names), plane.named(*bodies)
    if len(rows) < 2:
        return None
    # the last one finds no element, and runs nothing
    body = plane.line_of(bodies_at), plane.events.start_ps[bodies_at]
    lines, counts = np.unique(plane.line_of(rows), return_counts=True)
    line = int(lines[counts.argmax()])
    rows = host.outermost(rows[plane.line_of(rows) == line])
    starts = np.sort(body[1][body[0] == line])
    runs = np.searchsorted(starts, ends_of(plane, rows))
    rows = rows[runs > np.searchsorted(starts, plane.events.start_ps[rows])]
    if len(rows) < 2:
        return None
    what = f"{plural(len(rows), 'round')} of a loop over a dataset within a function"
    return Marks("loop", what, host.place, plane, line, rows)


def between_requests(host: HostMarks) -> tuple[str, list[StepWindow], list[Dropped]] | None:
    """From one request for input to the next one, if nothing else marks steps."""
    plane = host.plane
    rows = requests_of(plane)
    if len(rows) < 3:
        return None
    begins = plane.events.start_ps[rows]
    renewed = np.sort(plane.events.start_ps[plane.named(_NEW_ITERATOR)])
    passed = np.searchsorted(renewed, begins)
    within = np.flatnonzero(passed[1:] == passed[:-1])
    dropped = [Dropped("what came after the last request", "no other request ends it")]
    between = len(rows) - 1 - len(within)
    if between:
        what = f"{plural(between, 'pause')} before a new iterator"
        dropped.insert(0, Dropped(what, "an epoch ended there"))
    windows = [
        StepWindow(number, begin, end, end)
        for number, (begin, end) in enumerate(
            zip(begins[within].tolist(), begins[within + 1].tolist(), strict=True)
        )
    ]
    return f"the time between {plural(len(rows), 'request')} for input", windows, dropped
