"""The events behind a slice of a step's time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tfprof.analyses.events.intervals import Intervals
from tfprof.analyses.events.self_time import holders, own_times
from tfprof.analyses.step_time.breakdown import Breakdown
from tfprof.analyses.step_time.category_codes import code_of
from tfprof.analyses.step_time.classify import ENCLOSING, Classified
from tfprof.analyses.step_time.queued import waits_in_queues
from tfprof.results.categories import Category
from tfprof.results.step_windows import StepWindow
from tfprof.results.steps import Behind

Ints = npt.NDArray[np.int64]

_IN_QUEUE = " (launched, not begun)"


def events_behind(
    found: Breakdown, category: Category, windows: Sequence[StepWindow]
) -> list[Behind]:
    """What went on while the time of some steps counted for a category; what took longest first."""
    chosen = Intervals.union([w.begin for w in windows], [w.until for w in windows])
    slice_ = found.won_by(category).both(chosen)
    sums: dict[str, list[int]] = {}
    for one in found.planes:
        rows = one.rows(category)
        own = _own_times(one, category, slice_)[rows] if len(rows) else rows
        _add(sums, one, rows, own)
    if category is Category.KERNEL_LAUNCH:
        for one, rows, sent in waits_in_queues(found.planes):
            begun = np.maximum(one.plane.events.start_ps[rows], sent)
            _add(sums, one, rows, slice_.covered_between(sent, begun), _IN_QUEUE)
    made = [Behind(name, *numbers) for name, numbers in sums.items()]
    return sorted(made, key=lambda one: (-one.self_ps, one.name))


def _add(
    sums: dict[str, list[int]], one: Classified, rows: Ints, own: Ints, said: str = ""
) -> None:
    rows, own = rows[own > 0], own[own > 0]
    names, code = np.unique(one.plane.events.name[rows], return_inverse=True)
    time, longest = np.zeros((2, len(names)), np.int64)
    np.add.at(time, code, own)
    np.maximum.at(longest, code, own)
    for name, *numbers in zip(
        names.tolist(), np.bincount(code).tolist(), time.tolist(), longest.tolist(), strict=True
    ):
        known = sums.setdefault(one.plane.event_names.name[name] + said, [0, 0, 0])
        known[:] = known[0] + numbers[0], known[1] + numbers[1], max(known[2], numbers[2])


def _own_times(one: Classified, category: Category, slice_: Intervals) -> Ints:
    """What each event of a plane has of a slice, without the events of the slice it encloses.

    Where events only enclose the work of others, what comes first and what waits is not theirs.
    """
    events = one.plane.events
    own = np.zeros(len(events), np.int64)
    counts = _taken_off(one, category) if category in ENCLOSING else one.rows(category)
    start, end = events.start_ps[counts], events.ends(counts)
    part = slice_.covered_between(start, end)
    counts, start, end, part = (column[part > 0] for column in (counts, start, end, part))
    own[counts] = own_times(holders(one.plane.line_of(counts), start, end), part)
    return own


def _taken_off(one: Classified, category: Category) -> Ints:
    first = (one.code >= 0) & (one.code <= code_of(category))
    return np.flatnonzero(first | (one.code == code_of(Category.OTHER)))
