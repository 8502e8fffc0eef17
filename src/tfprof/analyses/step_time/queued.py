"""When work had been sent to a device that had not begun with it.

A device that has work in its queue does not wait for input, nor for anything else the host does:
what it waits for is the launch itself, or the work before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tfprof.analyses.events.intervals import Intervals
from tfprof.analyses.step_time.category_codes import code_of
from tfprof.analyses.step_time.classify import Classified
from tfprof.results.categories import Category

Ints = npt.NDArray[np.int64]

_NUMBER = "correlation_id"


def launches(one: Classified) -> tuple[Ints, Ints]:
    """The rows of a host's calls that launch work, and the number each has in common with it."""
    if one.is_device or not one.plane.has_stat(_NUMBER):
        none = np.zeros(0, np.int64)
        return none, none
    column = one.plane.stat(_NUMBER)
    mine = one.code[column.rows] == code_of(Category.KERNEL_LAUNCH)
    return column.rows[mine], column.ints()[mine]


def launched(one: Classified) -> tuple[Ints, Ints]:
    """The rows of what a device was told to do, and their numbers."""
    if not one.is_device or not one.plane.has_stat(_NUMBER):
        none = np.zeros(0, np.int64)
        return none, none
    column = one.plane.stat(_NUMBER)
    counts = one.code[column.rows] >= 0
    return column.rows[counts], column.ints()[counts]


def queued(planes: Sequence[Classified]) -> Mapping[str, Intervals]:
    """By device: from the begin of each launch to the begin of what it launched."""
    found: dict[str, Intervals] = {}
    for one, rows, sent in waits_in_queues(planes):
        waited = Intervals.union(sent, one.plane.events.start_ps[rows])
        found[one.device] = found.get(one.device, Intervals.none()).join(waited)
    return found


def waits_in_queues(planes: Sequence[Classified]) -> Iterator[tuple[Classified, Ints, Ints]]:
    """Of each device what ran there and was launched by a call that is known, and when it was."""
    number, sent = _sent(planes)
    for one in planes:
        rows, asked = launched(one)
        if len(number) and len(rows):
            place = np.minimum(np.searchsorted(number, asked), len(number) - 1)
            known = number[place] == asked
            yield one, rows[known], sent[place[known]]


def _sent(planes: Sequence[Classified]) -> tuple[Ints, Ints]:
    """Numbers, which rise, and when each launch began."""
    numbers, begins = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for one in planes:
        rows, number = launches(one)
        numbers.append(number)
        begins.append(one.plane.events.start_ps[rows])
    number, begin = np.concatenate(numbers), np.concatenate(begins)
    order = np.argsort(number, kind="stable")
    return number[order], begin[order]
