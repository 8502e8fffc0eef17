"""When the steps of a run were: the first of several rules that finds any says so."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tfprof.analyses.steps.calls import call_marks
from tfprof.analyses.steps.markers import named_marks, numbered_marks
from tfprof.analyses.steps.marks import HostMarks, Marks, host_marks
from tfprof.analyses.steps.periods import windows_of
from tfprof.analyses.steps.recorded import derived_steps, own_steps, session_runs
from tfprof.analyses.steps.requests import (
    between_requests,
    requests_a_step,
    round_marks,
    run_marks,
)
from tfprof.model.xspace import Space
from tfprof.results.windows import Steps

_NONE = Steps("none", "nothing marks steps", [])


def find_steps(space: Space, host: str | None = None) -> Steps:
    """The steps of one host, without one given of the first for which the best rule holds.

    The rules from the best to the last resort: the traced runs of sessions; what a TPU calls its
    steps; events with a step number; events called as steps are; rounds of a loop over a dataset
    in a function; repeated calls of a function; the steps that XProf added to a GPU; runs of
    functions by the runtime; the time between requests for input. A host's markers come before
    what is derived for a GPU: they enclose the wait for input, and the work that was sent.
    """
    hosts = space.hosts if host is None else (host,)
    marks = {name: host_marks(space, name) for name in hosts}
    rules: list[Callable[[str], Steps | None]] = [
        lambda name: session_runs(space, name),
        lambda name: own_steps(space, name),
        *(_on_hosts(marks, rule) for rule in (numbered_marks, named_marks)),
        *(_on_hosts(marks, rule) for rule in (round_marks, call_marks)),
        lambda name: derived_steps(space, name),
        _on_hosts(marks, run_marks),
        lambda name: _by_requests(marks[name]),
    ]
    for rule in rules:
        for name in hosts:
            found = rule(name)
            if found is not None:
                return found
    return _NONE


def _on_hosts(
    marks: dict[str, list[HostMarks]], rule: Callable[[HostMarks], Marks | None]
) -> Callable[[str], Steps | None]:
    def apply(name: str) -> Steps | None:
        for host in marks[name]:
            found = rule(host)
            if found is not None:
                return _steps(host, found)
        return None

    return apply


def _steps(host: HostMarks, marks: Marks) -> Steps:
    numbers, remark = _numbered(marks)
    windows, dropped = windows_of(host, marks, numbers)
    requests = requests_a_step(host.plane, windows)
    about = marks.what + remark
    if requests is not None and requests > 1:
        about += f"; each asks for input {requests} times, as with steps_per_execution={requests}"
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


def _by_requests(hosts: Sequence[HostMarks]) -> Steps | None:
    for host in hosts:
        found = between_requests(host)
        if found is not None:
            about, windows, dropped = found
            return Steps("input", about, windows, dropped, host.place)
    return None
