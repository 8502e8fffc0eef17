"""What if activations waited in the host's memory until the backward pass needs them.

An activation leaves after its last use in the forward pass and comes back in time for its first use
in the backward pass. One transfer runs at a time in each direction, beside the computing; what does
not fit beside it is time that the step takes longer.
"""

from __future__ import annotations

from bisect import bisect_left

from tfprof.analyses.memory.program import Program
from tfprof.analyses.memory.recompute import Halves, RecomputedGroup, read_from_copies
from tfprof.analyses.memory.schedule import simulate
from tfprof.analyses.memory.steps import ProgramStep
from tfprof.analyses.runtime.op_clock import OpClock, Sums
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.dims import BATCH
from tfprof.model.units import MICROS_A_SECOND

_WORKERS = 2


@frozen_dataclass
class HostLink:
    """Between device and host: bytes a second, each way; `clock` says how long ops take."""

    bytes: float
    clock: OpClock


@frozen_dataclass
class Trip:
    """A tensor away: the op during which it has left, and the one with which it comes back.

    `out` are the seconds of the step from when on its memory is free, `home` until when.
    """

    number: int
    left: int
    back: int
    out: float
    home: float


@frozen_dataclass
class Swapped:
    """`moved` bytes leave and come back; `unhidden` seconds does computing wait for them."""

    trips: list[Trip]
    peak: int
    moved: int
    unhidden: float


class Swapper:
    """Swaps of one training step at one batch."""

    def __init__(self, halves: Halves, link: HostLink) -> None:
        self.halves, self.link = halves, link
        self.before = simulate(halves.made, _WORKERS, halves.batch)
        self._order = sorted(range(len(halves.place)), key=halves.place.__getitem__)
        self.step = Sums()
        self._ends = self._clock()
        self.step_seconds = self._ends[-1] if self._ends else 0.0
        self._all = sorted(halves.droppable & halves.kept_for_later)
        self._last, self._first = self._uses()

    def hidden(self) -> Swapped:
        """What can leave and come back without anybody waiting for it."""
        return self._swapped(self._hidden_trips(), 0.0)

    def hidden_program(self) -> Program:
        return self._rewritten(self._hidden_trips())

    def _hidden_trips(self) -> list[Trip]:
        tensors = self._all
        while True:
            left, back = self._out(tensors), self._home(tensors)
            in_time = [number for number in tensors if left[number] <= back[number]]
            if len(in_time) == len(tensors):
                break
            tensors = in_time
        return [
            Trip(
                one, self._running_at(left[one]), self._running_at(back[one]), left[one], back[one]
            )
            for one in tensors
        ]

    def everything(self) -> Swapped:
        """Every activation that the backward pass reads leaves, one at a time: computing waits.

        A tensor has left when the next one wants to, and is fetched when the one before it is used.
        """
        tensors, seconds = self._all, self._seconds
        if not tensors:
            return self._swapped([], 0.0)
        left, back, wait = {}, {}, 0.0
        going = sorted(tensors, key=self._last.__getitem__)
        for number, after in zip(going, [*going[1:], None], strict=True):
            until = self._last[after] if after is not None else max(self._last.values())
            left[number] = self._order[until]
            computing = self._ends[until] - self._ends[self._last[number]]
            wait += max(0.0, seconds(number) - computing)
        coming = sorted(tensors, key=self._first.__getitem__)
        for before, number in zip([None, *coming[:-1]], coming, strict=True):
            start = self._first[before if before is not None else number]
            back[number] = self._order[max(0, start - 1)]
            computing = self._ends[self._first[number] - 1] - self._ends[start - 1]
            wait += max(0.0, seconds(number) - computing)
        trips = [
            Trip(one, left[one], back[one], self._ended(left[one]), self._ended(back[one]))
            for one in tensors
        ]
        return self._swapped(trips, wait)

    def _seconds(self, number: int) -> float:
        return self.halves.bytes_of(number) / self.link.bytes

    def _swapped(self, trips: list[Trip], wait: float) -> Swapped:
        return Swapped(
            trips,
            simulate(self._rewritten(trips), _WORKERS, self.halves.batch).peak,
            sum(self.halves.bytes_of(trip.number) for trip in trips),
            wait,
        )

    def _clock(self) -> list[float]:
        """When each op has ended, one after the other, in the order they run."""
        now, found = 0.0, []
        ops = [self.halves.made.steps[number].op for number in self._order]
        for op, time in self.link.clock.times(ops, {BATCH: self.halves.batch}):
            self.step.add(op.site.op, time)
            now += time.micros / MICROS_A_SECOND if time is not None else 0.0
            found.append(now)
        return found

    def _out(self, tensors: list[int]) -> dict[int, float]:
        """When each has left: one after the other, in the order of last use."""
        found, free = {}, 0.0
        for number in sorted(tensors, key=self._last.__getitem__):
            free = max(free, self._ends[self._last[number]]) + self._seconds(number)
            found[number] = free
        return found

    def _home(self, tensors: list[int]) -> dict[int, float]:
        """When each has to start back: as late as it can, the last needed planned first."""
        found, free = {}, self.step_seconds
        for number in sorted(tensors, key=self._first.__getitem__, reverse=True):
            free = min(free, self._ends[self._first[number] - 1]) - self._seconds(number)
            found[number] = free
        return found

    def _uses(self) -> tuple[dict[int, int], dict[int, int]]:
        """Of each tensor, when the forward pass uses it last and the backward pass first."""
        halves = self.halves
        last = {number: halves.place[number] for number in self._all}
        first = dict.fromkeys(self._all, len(halves.place) - 1)
        for number, step in enumerate(halves.made.steps):
            for read in step.reads:
                root = halves.root[read[0]] if read is not None else -1
                if root in last and halves.is_late[number]:
                    first[root] = min(first[root], halves.place[number])
                elif root in last:
                    last[root] = max(last[root], halves.place[number])
        return last, first

    def _rewritten(self, trips: list[Trip]) -> Program:
        """Late ops read what comes back; what leaves is held until it has left."""
        halves = self.halves
        aliases: dict[int, list[int]] = {}
        for number, root in enumerate(halves.root):
            if halves.is_forward[number]:
                aliases.setdefault(root, []).append(number)
        groups = [
            RecomputedGroup(aliases[trip.number], self._first[trip.number], [trip.back])
            for trip in trips
        ]
        made = read_from_copies(halves, groups, {trip.number for trip in trips})
        for trip in trips:
            _hold(made.steps, trip.number, trip.left)
        return made

    def _ended(self, number: int) -> float:
        return self._ends[self.halves.place[number]]

    def _running_at(self, when: float) -> int:
        place = min(bisect_left(self._ends, when), len(self._order) - 1)
        return self._order[place]


def _hold(steps: list[ProgramStep], number: int, until: int) -> None:
    """A reader of nothing but this tensor, which ends after another op has."""
    held = steps[number]
    waits = 1 if until == number else 2
    reader = ProgramStep(held.op, [(number, 0)], device=held.device, is_cheap=True)
    reader.waits_for = waits
    steps.append(reader)
    held.outputs[0].readers += 1
    held.release(len(steps) - 1)
    if until != number:
        steps[until].release(len(steps) - 1)
