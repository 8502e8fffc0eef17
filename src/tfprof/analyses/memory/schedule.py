"""Runs a program on paper: ops start when their inputs are there, buffers live until the last use.

The rules are those that reproduced measured peaks (docs/commands/memory.md): a few workers; an op
may write over an input that nobody else needs; the peak is looked at when an op has started, with
its outputs and its scratch allocated.
"""

from __future__ import annotations

import heapq
from array import array
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tfprof.analyses.memory.chance import Delays, wakings
from tfprof.analyses.memory.op_times import FIRST_TOUCH
from tfprof.analyses.memory.program import Program
from tfprof.analyses.memory.steps import NOTHING, Line
from tfprof.analyses.memory.tape import NOBODY, Tape

_NONE = -1


@dataclass(slots=True)
class OnDevice:
    """`peak` in bytes at the batch of the schedule, where it was, and what was alive then.

    `lines` are the distinct sums of what was alive, as lines over the batch.
    """

    peak: int = 0
    at: int = -1
    # the bytes of an op, and of its scratch
    live: list[tuple[int, int]] = field(default_factory=list)
    scratch: list[tuple[int, int]] = field(default_factory=list)
    lines: set[Line] = field(default_factory=set)


@dataclass(slots=True)
class Simulated:
    """What each device came to, and in which order ops started."""

    devices: list[OnDevice]
    order: list[int]
    _run: _Run

    def name_alive(self) -> None:
        """Names what was alive at the peaks, which takes a while and is asked of one run only."""
        for place, device in enumerate(self.devices):
            device.live = list(self._run.alive(place))

    @property
    def busiest(self) -> OnDevice:
        return max(self.devices, key=lambda one: one.peak)

    @property
    def peak(self) -> int:
        return self.busiest.peak


def simulate(made: Program, workers: int, batch: int = 1) -> Simulated:
    """A program that is run once."""
    return play(Tape(made, batch), workers)


def play(
    tape: Tape, workers: int, *, chance: int | None = None, practised: bool = False
) -> Simulated:
    """Each device has so many threads, which work as those of TensorFlow's executor do.

    `chance` is the seed of a run in which each op takes longer or shorter than it should, as on a
    real machine. In a `practised` run the executor knows which ops are short.
    """
    is_cheap = tape.short if practised else tape.cheap
    run = _Run(tape, workers, tape.turn(chance), is_cheap, wakings(chance))
    run.go()
    return Simulated([one.result for one in run.devices], run.order, run)


@dataclass(slots=True)
class _Thread:
    """One of a pool: what it runs next by itself, and its queue, from which others may take."""

    device: _Device
    at_once: deque[int] = field(default_factory=deque)
    queue: deque[int] = field(default_factory=deque)
    is_idle: bool = True


@dataclass(slots=True)
class _Device:
    """A device while the program runs: what it holds, a sample and at the batch."""

    place: int
    result: OnDevice = field(default_factory=OnDevice)
    threads: list[_Thread] = field(default_factory=list)
    slope: int = 0
    held: int = 0
    # ops that wait in the queues
    queued: int = 0
    # ops that run, for their scratch
    active: set[int] = field(default_factory=set)
    # how much was written down when the peak was met: ops, buffers, buffers taken over
    at_peak: tuple[int, int, int] = (0, 0, 0)


class _Run:
    """What happens to buffers is written down as it goes, so that it can be told at the end."""

    def __init__(
        self,
        tape: Tape,
        workers: int,
        delays: Delays,
        is_cheap: Sequence[bool],
        waking: Iterator[float],
    ) -> None:
        self.tape, self.steps = tape, tape.made.steps
        self.is_cheap, self.waking = is_cheap, waking
        self.factors, self.pauses = delays
        self.waits = [step.waits_for for step in self.steps]
        count = len(tape.sizes)
        # by output: its buffer
        self.buffer = [NOBODY] * count
        # by buffer: reads still to come, its size, its data type, what it keeps alive as a list,
        # how many ops had started when it was freed
        self.uses, self.sizes, self.dtypes = [0] * count, list(tape.sizes), [0] * count
        self.elements: dict[int, list[int]] = {}
        self.freed_at = array("q", [NOBODY]) * count
        self.made: list[int] = []
        # by variable: the buffer of its value; by buffer: the size of a value that was left
        self.values: dict[str, int] = {}
        self.left: dict[int, Line] = {}
        # buffers that were taken over, and by which output
        self.taken_over: list[int] = []
        self.taken_by: list[int] = []
        self.devices = [_Device(place) for place in range(len(tape.made.devices))]
        for device in self.devices:
            device.threads = [_Thread(device) for _ in range(workers)]
        self.running: list[tuple[float, int, int, _Thread]] = []
        self.now, self.begun = 0.0, 0
        self.order: list[int] = []

    def go(self) -> None:
        for place, device in enumerate(self.devices):
            roots = [
                number
                for number, left in enumerate(self.waits)
                if not left and self.steps[number].device == place
            ]
            self._hand_out(roots, device.threads[0])
            device.threads[0].is_idle = False
            self._next(device.threads[0])
        self._wake()
        running = self.running
        while running:
            self.now, _, number, thread = heapq.heappop(running)
            if number >= 0:
                ready = self._finish(number)
                if ready:
                    self._hand_out(ready, thread)
            self._next(thread)
            self._wake()

    def _hand_out(self, ready: list[int], thread: _Thread) -> None:
        """As TensorFlow's executor does with what an op made ready.

        A thread runs cheap ops itself, one after the other. Of the others it keeps the last if it
        has nothing else to do; the rest goes to the front of its queue.
        """
        kept, here = None, thread.device
        for number in ready:
            step = self.steps[number]
            if step.device != here.place:
                other = self.devices[step.device]
                other.threads[0].queue.append(number)
                other.queued += 1
            elif self.is_cheap[number]:
                thread.at_once.append(number)
            else:
                if kept is not None:
                    thread.queue.appendleft(kept)
                    here.queued += 1
                kept = number
        if kept is None:
            return
        if thread.at_once:
            thread.queue.appendleft(kept)
            here.queued += 1
        else:
            thread.at_once.append(kept)

    def _next(self, thread: _Thread) -> None:
        """Its own work first, the newest of its queue; then the oldest of another's."""
        device = thread.device
        if thread.at_once:
            number = thread.at_once.popleft()
        elif device.queued:
            device.queued -= 1
            if thread.queue:
                number = thread.queue.popleft()
            else:
                number = next(one for one in device.threads if one.queue).queue.pop()
        else:
            thread.is_idle = True
            return
        touched = self._start(number, device)
        written = max(0, touched - self.tape.spared[number])
        lasts = self.tape.durations[number] + FIRST_TOUCH * written
        self._later(self.factors[number] * lasts + self.pauses[number], number, thread)

    def _later(self, wait: float, number: int, thread: _Thread) -> None:
        heapq.heappush(self.running, (self.now + wait, self.begun, number, thread))
        self.begun += 1

    def _wake(self) -> None:
        """Threads that sleep hear of work that waits."""
        for device in self.devices:
            if device.queued:
                for thread in device.threads:
                    if thread.is_idle:
                        thread.is_idle = False
                        self._later(next(self.waking), _NONE, thread)

    def _start(self, number: int, device: _Device) -> int:
        """Allocates what the op needs, and says how much that is."""
        self.order.append(number)
        buffer, before = self.buffer, device.held
        reuse = self.tape.reuse[number]
        given: list[int] = []
        for output, readers, alias, dtype, holds in self.tape.outputs[number]:
            if alias != NOBODY:
                shared = buffer[alias]
                if shared != NOBODY:
                    self.uses[shared] += readers
                    buffer[output] = shared
                continue
            size = self.tape.sizes[output]
            if size == NOTHING and holds is None:
                continue
            taken = self._given_up(number, size, dtype, given) if reuse else NOBODY
            if taken != NOBODY:
                self.uses[taken] += readers
                self.taken_over.append(taken)
                self.taken_by.append(output)
                given.append(taken)
                buffer[output] = taken
                continue
            if number in self.tape.values and self._shares_value(number, output, readers):
                continue
            device.slope += size[0]
            device.held += size[1]
            self.uses[output], self.dtypes[output] = readers, dtype
            buffer[output] = output
            self.made.append(output)
            if holds:
                self._keep(output, holds)
        scratch = self.tape.scratch[number]
        if scratch != NOTHING:
            device.slope += scratch[0]
            device.held += scratch[1]
            device.active.add(number)
        if number in self.tape.changes:
            self._change(number, device)
        if device.held > before:
            self._look(number, device)
        return device.held - before

    def _shares_value(self, number: int, output: int, readers: int) -> bool:
        """Whether a variable's value was handed out before and is still there: it is one buffer."""
        variable = self.tape.values[number]
        one = self.values.get(variable, NOBODY)
        if one == NOBODY or self.freed_at[one] != NOBODY:
            self.values[variable] = output
            return False
        self.uses[one] += readers
        self.buffer[output] = one
        return True

    def _change(self, number: int, device: _Device) -> None:
        """What somebody still reads is left to him, and the variable goes on with a copy."""
        variable, size = self.tape.changes[number]
        one = self.values.pop(variable, NOBODY)
        if one == NOBODY or self.freed_at[one] != NOBODY:
            return
        self.sizes[one] = self.left[one] = size
        device.slope += size[0]
        device.held += size[1]

    def _keep(self, output: int, holds: Sequence[int]) -> None:
        """A list of what was read."""
        found = [self.buffer[one] for one in holds]
        self.elements[output] = kept = [one for one in found if one != NOBODY]
        for one in kept:
            self.uses[one] += 1

    def _given_up(self, number: int, size: Line, dtype: int, given: list[int]) -> int:
        """The buffer of an input that only this op still needs, if it fits."""
        buffer = self.buffer
        for place in self.tape.reuse[number]:
            one = buffer[place]
            if one == NOBODY or self.sizes[one] != size or self.dtypes[one] != dtype:
                continue
            mine = [buffer[read] for read in self.tape.reads[number]].count(one)
            if self.uses[one] == mine and one not in given:
                return one
        return NOBODY

    def _finish(self, number: int) -> list[int]:
        """Frees what is not needed any more; returns the ops that can start now."""
        step, buffer, uses = self.steps[number], self.buffer, self.uses
        scratch = self.tape.scratch[number]
        if scratch != NOTHING:
            device = self.devices[step.device]
            device.slope -= scratch[0]
            device.held -= scratch[1]
            device.active.discard(number)
        for read in self.tape.reads[number]:
            one = buffer[read]
            if one != NOBODY:
                uses[one] -= 1
                if uses[one] <= 0:
                    self._free(one)
        for output in self.tape.outputs[number]:
            one = buffer[output[0]]
            if one != NOBODY and uses[one] <= 0:
                self._free(one)
        ready, waits = [], self.waits
        for reader in step.releases:
            waits[reader] -= 1
            if not waits[reader]:
                ready.append(reader)
        return ready

    def _free(self, buffer: int) -> None:
        """Of a list also the elements that nobody else has."""
        stack = [buffer]
        while stack:
            one = stack.pop()
            if self.freed_at[one] != NOBODY:
                continue
            self.freed_at[one] = len(self.order)
            device = self.devices[self.tape.devices[one]]
            size = self.sizes[one]
            device.slope -= size[0]
            device.held -= size[1]
            self.sizes[one] = NOTHING
            for element in self.elements.get(one, ()):
                self.uses[element] -= 1
                if self.uses[element] <= 0:
                    stack.append(element)

    def _look(self, number: int, device: _Device) -> None:
        result = device.result
        result.lines.add((device.slope, device.held - device.slope * self.tape.batch))
        if device.held > result.peak:
            result.peak, result.at = device.held, number
            result.scratch = [(one, self.tape.scratch[one][1]) for one in device.active]
            device.at_peak = len(self.order), len(self.made), len(self.taken_over)

    def alive(self, place: int) -> Iterator[tuple[int, int]]:
        """What was there at the peak of a device: the op that had it last, and its bytes."""
        tape = self.tape
        started, made, taken = self.devices[place].at_peak
        last = dict(zip(self.taken_over[:taken], self.taken_by[:taken], strict=True))
        for one in self.made[:made]:
            if tape.devices[one] == place and not NOBODY < self.freed_at[one] < started:
                size = self.left.get(one, tape.sizes[one])[1]
                if size:
                    yield tape.location(last.get(one, one))[0], size
