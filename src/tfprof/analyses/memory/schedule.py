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
from dataclasses import field

from tfprof.analyses.memory.chance import Delays, wakings
from tfprof.analyses.memory.op_times import FIRST_TOUCH
from tfprof.analyses.memory.program import Program
from tfprof.analyses.memory.tape import NOBODY, Tape
from tfprof.frozen_dataclass import mutable_dataclass

_NONE = -1


@mutable_dataclass
class OnDevice:
    """`peak` in bytes at the batch of the schedule, where it was, and what was alive then."""

    peak: int = 0
    at: int = -1
    # the bytes of an op, and of its scratch
    live: list[tuple[int, int]] = field(default_factory=list)
    scratch: list[tuple[int, int]] = field(default_factory=list)


@mutable_dataclass
class Simulated:
    """What each device came to, and in which order ops started."""

    devices: list[OnDevice]
    order: list[int]
    run: Run

    def name_alive(self) -> None:
        """Names what was alive at the peaks, which takes a while and is asked of one run only."""
        for place, device in enumerate(self.devices):
            device.live = list(self.run.alive(place))

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
    tape: Tape,
    workers: int,
    *,
    chance: int | None = None,
    practised: bool = False,
) -> Simulated:
    """Each device has so many threads, which work as those of TensorFlow's executor do.

    `chance` is the seed of a run in which each op takes longer or shorter than it should, as on a
    real machine. In a `practised` run the executor knows which ops are short.
    """
    is_cheap = tape.short if practised else tape.is_cheap
    run = Run(tape, workers, tape.turn(chance), is_cheap, wakings(chance))
    run.go()
    return Simulated([one.result for one in run.devices], run.order, run)


@mutable_dataclass
class _Thread:
    """One of a pool: what it runs next by itself, and its queue, from which others may take."""

    device: _Device
    at_once: deque[int] = field(default_factory=deque)
    queue: deque[int] = field(default_factory=deque)
    is_idle: bool = True


@mutable_dataclass
class _Device:
    """A device while the program runs, and the bytes that it holds."""

    place: int
    result: OnDevice = field(default_factory=OnDevice)
    threads: list[_Thread] = field(default_factory=list)
    held: int = 0
    # ops that wait in the queues
    queued: int = 0
    # ops that run, for their scratch
    active: set[int] = field(default_factory=set)
    # how much was written down when the peak was met: ops, buffers, buffers taken over
    at_peak: tuple[int, int, int] = (0, 0, 0)


class Run:
    """What happens to buffers is written down as it goes, so that it can be told at the end."""

    def __init__(
        self,
        tape: Tape,
        workers: int,
        delays: Delays,
        is_cheap: bytes,
        waking: Iterator[float],
    ) -> None:
        self.tape, self.is_cheap, self.waking = tape, is_cheap, waking
        self.factors, self.pauses = delays
        self.waits = list(tape.waits)
        count = len(tape.sizes)
        # by output: its buffer
        self.buffer = [NOBODY] * count
        # by buffer: reads still to come, its bytes, what it keeps alive as a list, how many ops had
        # started when it was freed
        self.uses, self.sizes = [0] * count, list(tape.sizes)
        self.elements: dict[int, list[int]] = {}
        self.freed_at = array("q", [NOBODY]) * count
        self.made: list[int] = []
        # by op with scratch: how many had started when it ended
        self.ended_at: dict[int, int] = {}
        # by variable: the buffer of its value; by buffer of a value that was left: who changed it
        self.values: dict[str, int] = {}
        self.left: dict[int, int] = {}
        # buffers that were taken over, and by which output
        self.taken_over: list[int] = []
        self.taken_by: list[int] = []
        self.devices = [_Device(place) for place in range(len(tape.made.devices))]
        for device in self.devices:
            device.threads = [_Thread(device) for _ in range(workers)]
        self.running: list[tuple[float, int, int, _Thread]] = []
        self.begun = 0
        self.order: list[int] = []

    def go(self) -> None:  # noqa: C901, PLR0912, PLR0915  (all that every op of every run takes)
        """Begins with the ops that wait for nobody, on the first thread of each device."""
        tape, running, order, made = self.tape, self.running, self.order, self.made
        outputs, reads, unread, releases = tape.outputs, tape.reads, tape.unread, tape.releases
        readers, aliases, holds, reuse = tape.readers, tape.aliases, tape.holds, tape.reuse
        scratches, spared, durations, is_odd = (
            tape.scratch,
            tape.spared,
            tape.durations,
            tape.is_odd,
        )
        places, is_cheap, kinds, owners = tape.places, self.is_cheap, tape.kinds, tape.devices
        buffer, uses, sizes, waits = self.buffer, self.uses, self.sizes, self.waits
        devices, freed_at, elements, free = self.devices, self.freed_at, self.elements, self._free
        factors, pauses, pop, push = self.factors, self.pauses, heapq.heappop, heapq.heappush
        are_several = len(devices) > 1
        begins = [device.threads[0] for device in reversed(devices)]
        for thread in begins:
            thread.is_idle = False
        asleep = sum(len(device.threads) for device in devices) - len(begins)
        now, number = 0.0, _NONE
        ready: Sequence[int]
        while True:
            if begins:
                thread, number = begins.pop(), _NONE
                ready = self._roots(thread.device)
            else:
                if asleep:
                    for device in devices:
                        if device.queued:
                            asleep -= self._wake(device, now)
                if not running:
                    return
                now, _, number, thread = pop(running)
                ready = releases[number] if number >= 0 else ()
            device, at_once = thread.device, thread.at_once

            # the op ends: frees what is not needed any more
            if number >= 0:
                scratch = scratches[number]
                if scratch:
                    device.held -= scratch
                    device.active.discard(number)
                    self.ended_at[number] = len(order)
                for read in reads[number]:
                    one = buffer[read]
                    if one >= 0:
                        left = uses[one] = uses[one] - 1
                        if left <= 0:
                            if one in elements:
                                free(one)
                            elif freed_at[one] == NOBODY:
                                freed_at[one] = len(order)
                                devices[owners[one]].held -= sizes[one]
                for output in unread[number]:
                    one = buffer[output]
                    if one >= 0 and uses[one] <= 0:
                        free(one)

            # As TensorFlow's executor does with what became ready: a thread runs cheap ops itself,
            # one after the other. Of the others it keeps the last if it has nothing else to do; the
            # rest goes to the front of its queue.
            kept = _NONE
            for reader in ready:
                left = waits[reader] = waits[reader] - 1
                if left:
                    continue
                if are_several and places[reader] != device.place:
                    other = devices[places[reader]]
                    other.threads[0].queue.append(reader)
                    other.queued += 1
                elif is_cheap[reader]:
                    at_once.append(reader)
                else:
                    if kept >= 0:
                        thread.queue.appendleft(kept)
                        device.queued += 1
                    kept = reader
            if kept >= 0 and at_once:
                thread.queue.appendleft(kept)
                device.queued += 1

            # its own work first, the newest of its queue; then the oldest of another's
            if at_once:
                number = at_once.popleft()
            elif kept >= 0:
                number = kept
            elif device.queued:
                device.queued -= 1
                if thread.queue:
                    number = thread.queue.popleft()
                else:
                    number = next(one for one in device.threads if one.queue).queue.pop()
            else:
                thread.is_idle, number = True, _NONE
                asleep += 1
                continue

            # the op starts: allocates what it needs
            order.append(number)
            lasts, taken, odd = durations[number], scratches[number], is_odd[number]
            if taken:
                device.active.add(number)
            given: list[int] | None = None
            for output in outputs[number]:
                alias = aliases[output]
                if alias >= 0:
                    shared = buffer[alias]
                    if shared >= 0:
                        uses[shared] += readers[output]
                        buffer[output] = shared
                    continue
                if not kinds[output] and not (odd and output in holds):
                    continue
                if reuse[number]:
                    given = [] if given is None else given
                    if self._takes_over(number, output, given):
                        continue
                if odd and self._shares_value(number, output):
                    continue
                taken += sizes[output]
                uses[output] = readers[output]
                buffer[output] = output
                made.append(output)
                if odd and output in holds:
                    self._keep(output, holds[output])
            if odd:
                taken += self._change(number)
            if taken:
                held = device.held = device.held + taken
                if taken > 0:
                    if held > device.result.peak:
                        self._note_peak(number, device)
                    touched = taken - spared[number]
                    if touched > 0:
                        lasts += FIRST_TOUCH * touched
            begun = self.begun
            push(running, (now + (factors[number] * lasts + pauses[number]), begun, number, thread))
            self.begun = begun + 1

    def _roots(self, device: _Device) -> list[int]:
        """The ops that wait for nobody but the beginning."""
        found = self.tape.roots[device.place]
        for number in found:
            self.waits[number] = 1
        return found

    def _wake(self, device: _Device, now: float) -> int:
        """Threads that sleep hear of work that waits; returns how many."""
        woken = 0
        for thread in device.threads:
            if thread.is_idle:
                thread.is_idle = False
                woken += 1
                heapq.heappush(self.running, (now + next(self.waking), self.begun, _NONE, thread))
                self.begun += 1
        return woken

    def _shares_value(self, number: int, output: int) -> bool:
        """Whether a variable's value was handed out before and is still there: it is one buffer."""
        variable = self.tape.values.get(number)
        if variable is None:
            return False
        one = self.values.get(variable, NOBODY)
        if one == NOBODY or self.freed_at[one] != NOBODY:
            self.values[variable] = output
            return False
        self.uses[one] += self.tape.readers[output]
        self.buffer[output] = one
        return True

    def _change(self, number: int) -> int:
        """What somebody still reads is left to him, and the variable goes on with a copy."""
        if number not in self.tape.changes:
            return 0
        variable, size = self.tape.changes[number]
        one = self.values.pop(variable, NOBODY)
        if one == NOBODY or self.freed_at[one] != NOBODY:
            return 0
        self.sizes[one], self.left[one] = size, number
        return size

    def _keep(self, output: int, holds: Sequence[int]) -> None:
        """A list of what was read."""
        found = [self.buffer[one] for one in holds]
        self.elements[output] = kept = [one for one in found if one != NOBODY]
        for one in kept:
            self.uses[one] += 1

    def _takes_over(self, number: int, output: int, given: list[int]) -> bool:
        """Writes over an input that only this op still needs, if one fits; `given` are taken."""
        tape, buffer = self.tape, self.buffer
        kinds = tape.kinds
        for place in tape.reuse[number]:
            one = buffer[place]
            if one < 0 or kinds[one] != kinds[output]:
                continue
            reads = tape.reads[number]
            mine = 1 if len(reads) == 1 else [buffer[read] for read in reads].count(one)
            if self.uses[one] == mine and one not in given:
                self.uses[one] += tape.readers[output]
                self.taken_over.append(one)
                self.taken_by.append(output)
                given.append(one)
                buffer[output] = one
                return True
        return False

    def _free(self, buffer: int) -> None:
        """Of a list also the elements that nobody else has."""
        stack = [buffer]
        while stack:
            one = stack.pop()
            if self.freed_at[one] != NOBODY:
                continue
            self.freed_at[one] = len(self.order)
            self.devices[self.tape.devices[one]].held -= self.sizes[one]
            for element in self.elements.get(one, ()):
                self.uses[element] -= 1
                if self.uses[element] <= 0:
                    stack.append(element)

    def _note_peak(self, number: int, device: _Device) -> None:
        result = device.result
        result.peak, result.at = device.held, number
        result.scratch = [(one, self.tape.scratch[one]) for one in device.active]
        device.at_peak = len(self.order), len(self.made), len(self.taken_over)

    def alive(self, place: int) -> Iterator[tuple[int, int]]:
        """What was there at the peak of a device: the op that had it last, and its bytes."""
        tape = self.tape
        started, made, taken = self.devices[place].at_peak
        last = dict(zip(self.taken_over[:taken], self.taken_by[:taken], strict=True))
        for one in self.made[:made]:
            is_there = tape.devices[one] == place and not NOBODY < self.freed_at[one] < started
            if is_there and self.sizes[one]:
                yield tape.location(last.get(one, one))[0], self.sizes[one]
