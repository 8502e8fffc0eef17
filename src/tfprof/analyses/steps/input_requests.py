"""Requests for input: how often a step asks for some, and steps that nothing else tells apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tfprof.analyses.input_events.queue_waits import filling_runs
from tfprof.analyses.steps.host_marks import POOL, HostMarks, Marks, ends_of
from tfprof.late_pattern import late_pattern
from tfprof.model.medians import median_of
from tfprof.model.units import plural
from tfprof.model.xspace import Plane
from tfprof.results.step_windows import Dropped, StepWindow
from tfprof.wire.distinct import distinct

Ints = npt.NDArray[np.int64]

_REQUESTS = "IteratorGetNextOp::DoCompute", "IteratorGetNextAsOptionalOp::DoCompute"
# the iterator that is asked itself: those that it asks have longer paths
_ROOT = late_pattern(r"Iterator::\w+")
_NEW_ITERATOR = "EagerLocalExecute: MakeIterator"
_CAPTURED = "InstantiatedCapturedFunction::"
_RUNS = "FunctionRun", "SessionRun", "RunGraph"
_TF_DATA = "tf_data_"
_DONE, _TEST = "ExecutorState::Process", "::TakeWhile::"
# a loop over a dataset in a function becomes a dataset, whose elements are the rounds
_ROUND = late_pattern(r"ReduceIterator::((?!Scan::)\w+::)*Scan")


def requests_of(plane: Plane) -> Ints:
    """By time, on any thread."""
    rows = plane.named(*_REQUESTS)
    return rows[np.argsort(plane.events.start_ps[rows], kind="stable")]


def requests_text(plane: Plane, windows: Sequence[StepWindow]) -> str:
    """How often a step asks for input, if that is more than once and most of them agree.

    Batches that a step takes one after the other come from one iterator, those of replicas from
    one each.
    """
    requests = requests_of(plane)
    starts = plane.events.start_ps[requests]
    first = np.searchsorted(starts, np.array([window.begin for window in windows], np.int64))
    last = np.searchsorted(starts, np.array([window.until for window in windows], np.int64))
    counts = last - first
    typical = int(median_of(counts)) if len(counts) else 0
    usual = np.flatnonzero(counts == typical)
    if typical < 2 or len(usual) * 2 <= len(counts):
        return ""
    asked = _asked(plane, requests)
    several = {len(set(asked[first[at] : last[at]].tolist())) for at in usual.tolist()}
    if (asked[first[usual[0]] : last[usual[0]]] < 0).any() or len(several) > 1:
        return f"; each asks for input {typical} times"
    (iterators,) = several
    each = typical // iterators
    batches = f"{each} times, as with steps_per_execution={each}"
    if iterators == 1:
        return f"; each asks for input {batches}"
    said = f"; each asks {iterators} iterators for input, as {iterators} replicas do"
    return said if each == 1 else f"{said}, each of them {batches}"


def _asked(plane: Plane, requests: Ints) -> Ints:
    """The iterator that each request calls, counted through; -1 where that was not recorded."""
    names = [name for name in plane.event_names.name if _ROOT.fullmatch(name)]
    roots = plane.stat_of_rows("id", plane.named(*names)) if names else None
    found = np.full(len(requests), -1, np.int64)
    if roots is None or not len(roots.rows):
        return found
    numbers = np.unique(roots.ints(), return_inverse=True)[1].reshape(-1)
    line, root_line = plane.line_of(requests), plane.line_of(roots.rows)
    begins, ends = plane.events.start_ps[requests], ends_of(plane, requests)
    called = plane.events.start_ps[roots.rows]
    for one in distinct(line).tolist():
        mine, there = np.flatnonzero(line == one), np.flatnonzero(root_line == one)
        if len(there):
            there = there[np.argsort(called[there], kind="stable")]
            at = np.searchsorted(called[there], begins[mine])
            near = there[np.minimum(at, len(there) - 1)]
            inside = (called[near] >= begins[mine]) & (called[near] <= ends[mine])
            found[mine[inside]] = numbers[near[inside]]
    return found


def run_marks(host: HostMarks) -> Marks | None:
    """Runs of functions or sessions by the runtime, unless the input pipeline runs them."""
    plane = host.plane
    rows = plane.named(*_RUNS)
    lines = plane.line_of(rows)
    ours = np.array([not name.startswith(_TF_DATA) for name in plane.lines.name], bool)
    rows, lines = rows[ours[lines]], lines[ours[lines]]
    not_model = np.append(_captured(plane), filling_runs(plane))
    rows = rows[~np.isin(plane.stat_of_rows("id", rows).over_all()[rows], not_model)]
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
    lines, counts = np.unique(plane.line_of(rows), return_counts=True)
    line = int(lines[counts.argmax()])
    rows = host.outermost(rows[plane.line_of(rows) == line])
    bodies_at = bodies_at[plane.line_of(bodies_at) == line]
    starts = plane.events.start_ps[bodies_at]
    first = np.searchsorted(starts, plane.events.start_ps[rows])
    # the last one finds no element, and runs nothing
    ran = np.flatnonzero(np.searchsorted(starts, ends_of(plane, rows)) > first)
    whole = ran[_is_whole(plane, bodies_at[first[ran]])] if _may_break(names) else ran
    rows = rows[whole]
    if len(rows) < 2:
        return None
    what = f"{plural(len(rows), 'round')} of a loop over a dataset within a function"
    return Marks("loop", what, host.place, plane, line, rows)


def _may_break(rounds: Sequence[str]) -> bool:
    """With `break` or `return` in it, a loop goes on while a test holds."""
    return any(_TEST in name for name in rounds)


def _is_whole(plane: Plane, bodies: Ints) -> npt.NDArray[np.bool_]:
    """Whether bodies did what most do; the one in which the test fails does next to nothing."""
    numbers = plane.stat_of_rows("id", bodies)
    if len(numbers.rows) < len(bodies):
        return np.ones(len(bodies), bool)
    done = np.sort(plane.stat_of_rows("id", plane.named(_DONE)).ints())
    ids = numbers.ints()
    work = np.searchsorted(done, ids, side="right") - np.searchsorted(done, ids, side="left")
    found: npt.NDArray[np.bool_] = 2 * work > median_of(work)
    return found


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
