"""When the steps of a run were: the first of several rules that finds any says so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, cast

from tfprof.analyses.steps.function_calls import call_marks
from tfprof.analyses.steps.host_marks import HostMarks, Marks, host_marks
from tfprof.analyses.steps.input_requests import (
    between_requests,
    requests_text,
    round_marks,
    run_marks,
)
from tfprof.analyses.steps.marked_steps import named_marks, numbered_marks
from tfprof.analyses.steps.periods import windows_of
from tfprof.analyses.steps.program_runs import host_programs, launched_programs, module_runs
from tfprof.analyses.steps.recorded_steps import derived_steps, own_steps, session_runs
from tfprof.model.xspace import Space
from tfprof.results.step_windows import Steps

_NONE = Steps("none", "nothing marks steps", [])


def find_steps(space: Space, host: str | None = None) -> Steps:
    """The steps of one host, without one given of the first for which the best rule holds.

    The rules from the best to the last resort: the traced runs of sessions; what a TPU calls its
    steps, and the runs of its programs; events with a step number; events called as steps are;
    rounds of a loop over a dataset in a function; repeated calls of a function; the runs of a
    program that a host launched on its GPUs; the steps that XProf added to them; runs of functions
    by the runtime, and of programs by its threads; the time between requests for input. A host's
    markers come before what is derived for a GPU: they enclose the wait for input, and the work
    that was sent.
    """
    hosts = space.hosts if host is None else (host,)
    return first_steps([(space, name) for name in hosts])[1]


class _Seen(NamedTuple):
    """A host of a capture, and what on it may mark steps."""

    space: Space
    host: str
    marks: Sequence[HostMarks]


def first_steps(places: Sequence[tuple[Space, str]]) -> tuple[str, Steps]:
    """The first host for which the best rule holds, of one capture or several; and its steps."""
    if len(places) != 1:
        return _first(places)[:2]
    host, found, _ = _of_one(*places[0])
    return host, found


def ranked_steps(space: Space, host: str) -> tuple[int, Steps]:
    """The steps of a host, and the place of the rule that found them: the lower, the better."""
    _, found, place = _of_one(space, host)
    return place, found


def _of_one(space: Space, host: str) -> tuple[str, Steps, int]:
    """Several parts of an answer ask for the steps of one host."""
    known = space.found.get(("steps", host))
    if known is None:
        known = space.found["steps", host] = _first([(space, host)])
    return cast("tuple[str, Steps, int]", known)


def _first(places: Sequence[tuple[Space, str]]) -> tuple[str, Steps, int]:
    seen = [_Seen(space, host, host_marks(space, host)) for space, host in places]
    for place, rule in enumerate(_RULES):
        for one in seen:
            found = rule(one)
            if found is not None:
                return one.host, found, place
    return "", _NONE, len(_RULES)


def _marked(rule: Callable[[HostMarks], Marks | None], seen: _Seen) -> Steps | None:
    for host in seen.marks:
        found = rule(host)
        if found is not None:
            return _steps(host, found)
    return None


def _steps(host: HostMarks, marks: Marks) -> Steps:
    numbers, remark = _numbered(marks)
    windows, dropped = windows_of(host, marks, numbers)
    about = marks.what + remark + requests_text(host.plane, windows)
    return Steps(marks.rule, about, windows, [*marks.dropped, *dropped], marks.place, marks.line)


def _numbered(marks: Marks) -> tuple[list[int], str]:
    """Numbers that tell steps apart: their own, or their places if their own repeat."""
    count = len(marks.rows)
    if marks.numbers is None:
        return list(range(count)), ""
    numbers = marks.numbers.tolist()
    if len(set(numbers)) == count:
        return numbers, ""
    return list(range(count)), "; numbered through here, since their own numbers repeat"


def _by_requests(seen: _Seen) -> Steps | None:
    for host in seen.marks:
        found = between_requests(host)
        if found is not None:
            about, windows, dropped = found
            return Steps("input", about, windows, dropped, host.place)
    return None


_RULES: tuple[Callable[[_Seen], Steps | None], ...] = (
    lambda seen: session_runs(seen.space, seen.host),
    lambda seen: own_steps(seen.space, seen.host),
    lambda seen: module_runs(seen.space, seen.host),
    *(partial(_marked, rule) for rule in (numbered_marks, named_marks, round_marks, call_marks)),
    lambda seen: launched_programs(seen.space, seen.host),
    lambda seen: derived_steps(seen.space, seen.host),
    partial(_marked, run_marks),
    lambda seen: host_programs(seen.space, seen.host),
    _by_requests,
)
