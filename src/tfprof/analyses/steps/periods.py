"""How long steps last: from marker to marker, unless something that is no step lies between."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import numpy.typing as npt

from tfprof.analyses.steps.function_calls import FunctionCalls, calls_of
from tfprof.analyses.steps.host_marks import HostMarks, Marks, ends_of, is_evaluation
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.units import as_micros, duration, plural
from tfprof.results.step_windows import Dropped, StepWindow

Ints = npt.NDArray[np.int64]

# the gap of what is in none
_OVERLAPS = -2


@frozen_dataclass
class Other:
    """Something between markers: a call or a marker, in the gap after step `gap` (-1: before)."""

    what: str
    name: str
    gap: int
    begin: int
    end: int
    is_step: bool


def windows_of(
    host: HostMarks, marks: Marks, numbers: list[int]
) -> tuple[list[StepWindow], list[Dropped]]:
    """The steps that markers are, and what lies between them that is none."""
    others = _strangers(_others(host, marks), len(marks.rows))
    closed = {other.gap for other in others}
    begins, ends = marks.begins.tolist(), marks.ends.tolist()
    last = len(begins) - 1
    windows = [
        StepWindow(
            numbers[at],
            begin,
            ends[at],
            ends[at] if at == last or at in closed else begins[at + 1],
        )
        for at, begin in enumerate(begins)
    ]
    return windows, _told(others, last)


def _others(host: HostMarks, marks: Marks) -> list[Other]:
    """The calls and markers on the thread of the steps that are in none of them."""
    calls = calls_of(host, marks.line)
    gaps = _gaps(marks, calls.begins, calls.ends)
    stepping = _stepping(marks, calls)
    markers = _other_markers(host, marks)
    gaps[_within(markers, calls.begins, calls.ends)] = _OVERLAPS
    found = [
        Other("call", calls.names[function], gap, begin, end, function in stepping)
        for function, gap, begin, end in zip(
            calls.function.tolist(),
            gaps.tolist(),
            calls.begins.tolist(),
            calls.ends.tolist(),
            strict=True,
        )
        if gap != _OVERLAPS
    ]
    return found + markers


def _gaps(marks: Marks, begins: Ints, ends: Ints) -> Ints:
    """The step that each was after, -1 before all."""
    before = np.searchsorted(marks.begins, begins, side="right") - 1
    step_ends = np.append(marks.ends, np.iinfo(np.int64).min)
    step_begins = np.append(marks.begins, np.iinfo(np.int64).max)
    free = (begins >= step_ends[before]) & (ends <= step_begins[before + 1])
    return np.where(free, before, _OVERLAPS)


def _within(markers: list[Other], begins: Ints, ends: Ints) -> npt.NDArray[np.bool_]:
    """Who is within a marker, which tells all about it; markers stand by time."""
    starts = np.array([marker.begin for marker in markers], np.int64)
    # before all markers there is one that nothing is within
    stops = np.array([*(marker.end for marker in markers), np.iinfo(np.int64).min])
    found: npt.NDArray[np.bool_] = ends <= stops[np.searchsorted(starts, begins, "right") - 1]
    return found


def _stepping(marks: Marks, calls: FunctionCalls) -> set[int]:
    """The functions that steps call."""
    before = np.searchsorted(marks.begins, calls.begins, side="right") - 1
    within = (before >= 0) & (calls.ends <= marks.ends[np.maximum(before, 0)])
    return set(calls.function[within].tolist())


def _other_markers(host: HostMarks, marks: Marks) -> list[Other]:
    rows = host.numbered[0]
    rows = rows[(host.plane.line_of(rows) == marks.line) & ~np.isin(rows, marks.rows)]
    rows = host.outermost(rows)
    begins, ends = host.plane.events.start_ps[rows], ends_of(host.plane, rows)
    return [
        Other("marker", host.plane.name_of(row), gap, begin, end, is_step=False)
        for row, gap, begin, end in zip(
            rows.tolist(),
            _gaps(marks, begins, ends).tolist(),
            begins.tolist(),
            ends.tolist(),
            strict=True,
        )
        if gap != _OVERLAPS
    ]


def _strangers(others: list[Other], steps: int) -> list[Other]:
    """Those that are no part of what a step is; a function called after most steps is."""
    places = {(other.name, other.gap) for other in others if 0 <= other.gap < steps - 1}
    often = Counter(name for name, _ in places)
    return [
        other
        for other in others
        if other.is_step
        or (other.what == "marker" and is_evaluation(other.name))
        or often[other.name] * 2 <= steps - 1
    ]


def _told(others: list[Other], last: int) -> list[Dropped]:
    kinds: defaultdict[tuple[str, str, bool], list[Other]] = defaultdict(list)
    for other in others:
        kinds[other.what, other.name, other.is_step].append(other)
    told = []
    for (what, name, is_step), mine in kinds.items():
        if is_step:
            told += _unmarked(name, mine, last)
            continue
        kind = f"{plural(len(mine), 'call')} of" if what == "call" else plural(len(mine), "marker")
        told.append(
            Dropped(
                f"{kind} `{name}`{_where_and_how_long(mine)}",
                "no step, such as an evaluation: its time is in no step",
            )
        )
    return told


def _where_and_how_long(others: list[Other]) -> str:
    """How many gaps they are in, and how long these were from the first to the last of them."""
    spans: dict[int, tuple[int, int]] = {}
    for other in others:
        begin, end = spans.get(other.gap, (other.begin, other.end))
        spans[other.gap] = min(begin, other.begin), max(end, other.end)
    where = f" in {len(spans)} places" if len(spans) > 1 else ""
    took = sum(end - begin for begin, end in spans.values())
    return f"{where}, {duration(as_micros(took))}"


def _unmarked(name: str, calls: list[Other], last: int) -> list[Dropped]:
    """Calls of what steps call, with no marker around them."""
    before = [call for call in calls if call.gap < 0]
    after = [call for call in calls if call.gap == last]
    between = len(calls) - len(before) - len(after)
    told = [
        (len(before), "before the first marker", "its step began before the capture"),
        (between, "between markers", "no marker is around it"),
        (len(after), "after the last marker", "its step ended after the capture"),
    ]
    return [
        Dropped(f"{plural(count, 'call')} of `{name}` {where}", why if count == 1 else _NO_MARKERS)
        for count, where, why in told
        if count
    ]


_NO_MARKERS = "no markers are around them"
