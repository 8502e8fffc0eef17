"""What a run held whenever an op had started, as lines over the batch; read off what it wrote down.

Only the formula over the batch asks for them: runs themselves count bytes at one batch.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tfprof.analyses.memory.schedule import Run
from tfprof.analyses.memory.steps import NOTHING, Line, Location
from tfprof.analyses.memory.tape import NOBODY


class _Held(NamedTuple):
    """Something that is held on a device from the start of one op until before that of another."""

    place: int
    start: int
    # NOBODY for what is never freed
    end: int
    size: Line


def lines_of(run: Run) -> list[set[Line]]:
    """By device the distinct sums, noted where an op took more than nothing."""
    count, batch, places = len(run.order), run.tape.batch, run.tape.places
    sums = [[[0, 0] for _ in range(count + 1)] for _ in run.devices]
    taken = [0] * count
    for one in _held(run):
        slope, rest = one.size
        changes = sums[one.place]
        for at, sign in ((one.start, 1), (one.end, -1)):
            if at != NOBODY:
                changes[at][0] += sign * slope
                changes[at][1] += sign * rest
        taken[one.start] += slope * batch + rest
    found: list[set[Line]] = []
    for place, changes in enumerate(sums):
        slope = rest = 0
        lines: set[Line] = set()
        for number, more, (steeper, higher) in zip(run.order, taken, changes, strict=False):
            slope, rest = slope + steeper, rest + higher
            if more > 0 and places[number] == place:
                lines.add((slope, rest))
        found.append(lines)
    return found


def _held(run: Run) -> Iterator[_Held]:
    tape, steps = run.tape, run.tape.made.steps
    started = {number: at for at, number in enumerate(run.order)}

    def size_of(location: Location) -> Line:
        return steps[location[0]].outputs[location[1]].size

    for one in run.made:
        location, end = tape.location(one), run.freed_at[one]
        if one not in run.left:
            yield _Held(tape.devices[one], started[location[0]], end, size_of(location))
    for one, number in run.left.items():
        # from then on it holds what its variable had
        size = steps[number].changes[1]
        yield _Held(tape.devices[one], started[number], run.freed_at[one], size)
    for number, at in started.items():
        scratch = steps[number].scratch
        if scratch != NOTHING:
            end = run.ended_at.get(number, NOBODY)
            yield _Held(tape.places[number], at, end, scratch)
