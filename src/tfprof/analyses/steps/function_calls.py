"""Calls of functions of TensorFlow: which function each is of, and which of them trains."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from tfprof.analyses.steps.host_marks import HostMarks, Marks, ends_of, is_evaluation
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.units import plural

Ints = npt.NDArray[np.int64]

# ops that only training runs: of gradients, and of optimisers
_TRAINING = "gradient_tape/", "gradients/", ":ResourceApply", ":Apply", ":ResourceSparseApply"


@frozen_dataclass(slots=False)
class FunctionCalls:
    """The outermost calls on one thread, by time; `function` tells those of one from the others."""

    host: HostMarks
    line: int
    rows: Ints
    function: Ints
    names: list[str]

    @cached_property
    def begins(self) -> Ints:
        return self.host.plane.events.start_ps[self.rows]

    @cached_property
    def ends(self) -> Ints:
        return ends_of(self.host.plane, self.rows)


def calls_of(host: HostMarks, line: int) -> FunctionCalls:
    rows = host.calls
    rows = host.outermost(rows[host.plane.line_of(rows) == line])
    keys = [_Key(*key) for key in zip(_called(host, rows), _compiled(host, rows), strict=True)]
    same = _functions(keys, _traced(host, rows))
    codes = {key: code for code, key in enumerate(dict.fromkeys(same[key] for key in keys))}
    function = np.array([codes[same[key]] for key in keys], np.int64)
    return FunctionCalls(host, line, rows, function, [key.called for key in codes])


def call_marks(host: HostMarks) -> Marks | None:
    """The calls of the function that trains, or else of the one called most."""
    best: tuple[tuple[bool, bool, int], FunctionCalls, int] | None = None
    for line in dict.fromkeys(host.plane.line_of(host.calls).tolist()):
        calls = calls_of(host, line)
        trains = _trains(calls)
        for code, name in enumerate(calls.names):
            mine = calls.function == code
            score = bool(trains[mine].mean() > 0.5), not is_evaluation(name), int(mine.sum())
            if score[-1] > 1 and (best is None or score > best[0]):
                best = score, calls, code
    if best is None:
        return None
    _, calls, code = best
    rows = calls.rows[calls.function == code]
    thread = host.thread(calls.line)
    what = f"{plural(len(rows), 'call')} of `{calls.names[code]}` on thread {thread}"
    return Marks("function", what, host.place, host.plane, calls.line, rows)


@frozen_dataclass
class _Key:
    """What Python calls a function, and what the graph that ran is called."""

    called: str
    compiled: str


def _called(host: HostMarks, rows: Ints) -> list[str]:
    return [host.plane.name_of(row) for row in rows.tolist()]


def _compiled(host: HostMarks, rows: Ints) -> list[str]:
    """What each call executed last: before that a first call traces, and may run all sorts."""
    events = host.plane.events
    executed, names = host.executions
    start, order = events.start_ps[executed], np.argsort(events.start_ps[executed], kind="stable")
    last = np.searchsorted(start[order], ends_of(host.plane, rows)) - 1
    first = np.searchsorted(start[order], events.start_ps[rows])
    return [
        names[int(order[at])] if at >= since else ""
        for at, since in zip(last.tolist(), first.tolist(), strict=True)
    ]


def _traced(host: HostMarks, rows: Ints) -> list[int]:
    known = dict(zip(*(column.tolist() for column in host.tracings), strict=True))
    return [known.get(row, 0) for row in rows.tolist()]


def _functions(keys: list[_Key], traced: list[int]) -> dict[_Key, _Key]:
    """One key for all graphs of a function.

    Two functions may have one name: Keras 3 calls what trains and what evaluates alike. And one
    function has several graphs after it met other shapes. It has no more graphs than it was traced
    times, and that number never falls.
    """
    graphs: defaultdict[str, dict[_Key, None]] = defaultdict(dict)
    counts: defaultdict[str, list[int]] = defaultdict(list)
    for key, count in zip(keys, traced, strict=True):
        graphs[key.called][key] = None
        counts[key.called].append(count)
    same = {}
    for called, alike in graphs.items():
        known = counts[called]
        rising = all(early <= late for early, late in pairwise(known))
        is_one = rising and len(alike) <= max(known)
        same.update({key: _Key(called, "") if is_one else key for key in alike})
    return same


def _trains(calls: FunctionCalls) -> npt.NDArray[np.bool_]:
    """Whether ops of training began while a call was open, on any thread."""
    plane = calls.host.plane
    names = [any(part in name for part in _TRAINING) for name in plane.event_names.name]
    starts = np.sort(plane.events.start_ps[plane.by_name(np.array(names, bool))])
    found: npt.NDArray[np.bool_] = np.searchsorted(starts, calls.ends) > np.searchsorted(
        starts, calls.begins
    )
    return found
