"""Runs a program on paper: ops start when their inputs are there, buffers live until the last use.

The rules are those that reproduced measured peaks (docs/commands/memory.md): a few workers; an op
may write over an input that nobody else needs; the peak is looked at when an op has started, with
its outputs and its scratch allocated.
"""

from __future__ import annotations

import heapq
import math
import random
from collections import deque
from dataclasses import dataclass, field

from tfprof.analyses.memory.op_times import FIRST_TOUCH, WAKING
from tfprof.analyses.memory.program import Program
from tfprof.analyses.memory.steps import NOTHING, Line, ProgramStep

Delays = tuple[list[float], list[float]]
# ops take up to this power of e more or less time in a run by chance
_SPREAD = 1.0
# so often something else takes the core, for so long: mostly some milliseconds, in a busy kernel
_OPS_A_PAUSE, _PAUSE = 300, 100_000_000.0
# so often it is a short moment, in any op
_OPS_A_MOMENT, _MOMENT = 100, 20_000_000.0
_NONE = -1


@dataclass(slots=True)
class Buffer:
    """Memory of one output, or of those that share it; `uses` are the reads still to come.

    It stays on its `device`, also when an op on another one takes it over.
    """

    size: Line
    step: int
    port: int
    uses: int
    dtype: int
    device: int
    # what it keeps alive as a list
    elements: tuple[Buffer, ...] = ()
    is_free: bool = False


@dataclass(slots=True)
class OnDevice:
    """`peak` in bytes at the batch of the schedule, where it was, and what was alive then.

    `lines` are the distinct sums of what was alive, as lines over the batch.
    """

    peak: int = 0
    at: int = -1
    live: list[tuple[int, int, Line]] = field(default_factory=list)
    scratch: list[tuple[int, Line]] = field(default_factory=list)
    lines: set[Line] = field(default_factory=set)


@dataclass(slots=True)
class Simulated:
    """What each device came to, and in which order ops started."""

    devices: list[OnDevice]
    order: list[int] = field(default_factory=list)

    @property
    def busiest(self) -> OnDevice:
        return max(self.devices, key=lambda one: one.peak)

    @property
    def peak(self) -> int:
        return self.busiest.peak


def simulate(
    made: Program,
    workers: int,
    batch: int = 1,
    *,
    chance: int | None = None,
    names_alive: bool = False,
) -> Simulated:
    """Each device has so many threads, which work as those of TensorFlow's executor do.

    `chance` is the seed of a run in which each op takes longer or shorter than it should, as on a
    real machine.
    What was alive at the peak is written down only where it is asked for: that takes time.
    """
    run = _Run(made, workers, batch, delays=_delays(made, chance))
    run.names_alive = names_alive
    return run.go()


def _delays(made: Program, chance: int | None) -> Delays:
    """How much longer each op takes than it should, and how long its thread stands still."""
    count = len(made.steps)
    if chance is None:
        return [1.0] * count, [0.0] * count
    draw = random.Random(chance)  # noqa: S311  (no secret hangs on it)
    factors = [math.exp(draw.uniform(-_SPREAD, _SPREAD)) for _ in range(count)]
    pauses = [0.0] * count
    for number in draw.choices(range(count), k=count // _OPS_A_MOMENT + 1) if count else ():
        pauses[number] = draw.expovariate(1 / _MOMENT)
    # the longer an op takes, the likelier it is the one that is interrupted
    times = [step.duration for step in made.steps]
    for number in draw.choices(range(count), times, k=_some(count / _OPS_A_PAUSE, draw)):
        pauses[number] = draw.expovariate(1 / _PAUSE)
    return factors, pauses


def _some(expected: float, draw: random.Random) -> int:
    """A whole number near it, and it in the mean."""
    return int(expected) + (draw.random() < expected % 1)


@dataclass(slots=True)
class _Device:
    """A device while the program runs."""

    result: OnDevice
    threads: list[_Thread]
    slope: int = 0
    rest: int = 0
    alive: dict[int, Buffer] = field(default_factory=dict)
    # ops that run, for their scratch
    active: set[int] = field(default_factory=set)

    def add(self, size: Line, sign: int = 1) -> None:
        self.slope += sign * size[0]
        self.rest += sign * size[1]


@dataclass(slots=True)
class _Thread:
    """One of a pool: what it runs next by itself, and its queue, from which others may take."""

    device: int
    at_once: deque[int] = field(default_factory=deque)
    queue: deque[int] = field(default_factory=deque)
    is_idle: bool = True


class _Run:
    def __init__(self, made: Program, workers: int, batch: int, *, delays: Delays) -> None:
        self.steps, self.batch = made.steps, batch
        self.factors, self.pauses = delays
        self.waits = [step.waits_for for step in made.steps]
        self.buffers: dict[tuple[int, int], Buffer | None] = {}
        self.devices = [
            _Device(OnDevice(), [_Thread(place) for _ in range(workers)])
            for place in range(len(made.devices))
        ]
        self.running: list[tuple[float, int, int, _Thread]] = []
        self.now, self.begun = 0.0, 0
        self.names_alive = False
        self.result = Simulated([one.result for one in self.devices])

    def go(self) -> Simulated:
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
        while self.running:
            self.now, _, number, thread = heapq.heappop(self.running)
            if number >= 0:
                self._hand_out(self._finish(number), thread)
            self._next(thread)
            self._wake()
        return self.result

    def _hand_out(self, ready: list[int], thread: _Thread) -> None:
        """As TensorFlow's executor does with what an op made ready.

        A thread runs cheap ops itself, one after the other. Of the others it keeps the last if it
        has nothing else to do; the rest goes to the front of its queue.
        """
        kept = None
        for number in ready:
            step = self.steps[number]
            if step.device != thread.device:
                self.devices[step.device].threads[0].queue.append(number)
            elif step.is_cheap:
                thread.at_once.append(number)
            else:
                if kept is not None:
                    thread.queue.appendleft(kept)
                kept = number
        if kept is None:
            return
        if thread.at_once:
            thread.queue.appendleft(kept)
        else:
            thread.at_once.append(kept)

    def _next(self, thread: _Thread) -> None:
        """Its own work first, the newest of its queue; then the oldest of another's."""
        number = -1
        if thread.at_once:
            number = thread.at_once.popleft()
        elif thread.queue:
            number = thread.queue.popleft()
        else:
            for other in self.devices[thread.device].threads:
                if other.queue:
                    number = other.queue.pop()
                    break
        if number < 0:
            thread.is_idle = True
            return
        touched = self._start(number, self.devices[thread.device])
        step = self.steps[number]
        lasts = step.duration + FIRST_TOUCH * max(0, touched - step.spared)
        self._later(self.factors[number] * lasts + self.pauses[number], number, thread)

    def _later(self, wait: float, number: int, thread: _Thread) -> None:
        heapq.heappush(self.running, (self.now + wait, self.begun, number, thread))
        self.begun += 1

    def _wake(self) -> None:
        """Threads that sleep hear of work that waits."""
        for device in self.devices:
            if not any(thread.queue for thread in device.threads):
                continue
            for thread in device.threads:
                if thread.is_idle:
                    thread.is_idle = False
                    self._later(WAKING, _NONE, thread)

    def _start(self, number: int, device: _Device) -> int:
        """Allocates what the op needs, and says how much that is."""
        step = self.steps[number]
        self.result.order.append(number)
        taken: set[int] = set()
        before = device.slope * self.batch + device.rest
        for port, output in enumerate(step.outputs):
            if output.alias is not None:
                shared = self._read(step, output.alias)
                if shared is not None:
                    shared.uses += output.readers
                self.buffers[number, port] = shared
                continue
            if output.size == NOTHING and not output.holds:
                self.buffers[number, port] = None
                continue
            given = self._given_up(step, output.size, output.dtype, taken)
            if given is not None:
                given.uses += output.readers
                given.step, given.port = number, port
                taken.add(id(given))
                self.buffers[number, port] = given
                continue
            device.add(output.size)
            new = Buffer(output.size, number, port, output.readers, output.dtype, step.device)
            if output.holds:
                kept = (self._read(step, place) for place in output.holds)
                new.elements = tuple(one for one in kept if one is not None)
                for one in new.elements:
                    one.uses += 1
            self.buffers[number, port] = device.alive[id(new)] = new
        if step.scratch != NOTHING:
            device.add(step.scratch)
            device.active.add(number)
        total = device.slope * self.batch + device.rest
        if total > before:
            self._look(number, device, total)
        return total - before

    def _given_up(
        self, step: ProgramStep, size: Line, dtype: int, taken: set[int]
    ) -> Buffer | None:
        """The buffer of an input that only this op still needs, if it fits."""
        for place in step.reuse:
            buffer = self._read(step, place)
            if buffer is None or buffer.size != size or buffer.dtype != dtype:
                continue
            mine = sum(self._read(step, other) is buffer for other in range(len(step.reads)))
            if buffer.uses == mine and id(buffer) not in taken:
                return buffer
        return None

    def _read(self, step: ProgramStep, place: int) -> Buffer | None:
        read = step.reads[place] if place < len(step.reads) else None
        return None if read is None else self.buffers.get(read)

    def _finish(self, number: int) -> list[int]:
        """Frees what is not needed any more; returns the ops that can start now."""
        step = self.steps[number]
        if step.scratch != NOTHING:
            device = self.devices[step.device]
            device.add(step.scratch, -1)
            device.active.discard(number)
        for read in step.reads:
            buffer = self.buffers.get(read) if read is not None else None
            if buffer is not None:
                buffer.uses -= 1
                if buffer.uses <= 0:
                    self._free(buffer)
        for port in range(len(step.outputs)):
            buffer = self.buffers.get((number, port))
            if buffer is not None and buffer.uses <= 0:
                self._free(buffer)
        ready = []
        for reader in step.releases:
            self.waits[reader] -= 1
            if not self.waits[reader]:
                ready.append(reader)
        return ready

    def _free(self, buffer: Buffer) -> None:
        """Of a list also the elements that nobody else has."""
        stack = [buffer]
        while stack:
            one = stack.pop()
            if one.is_free:
                continue
            one.is_free = True
            device = self.devices[one.device]
            del device.alive[id(one)]
            device.add(one.size, -1)
            one.size = NOTHING
            for element in one.elements:
                element.uses -= 1
                if element.uses <= 0:
                    stack.append(element)

    def _look(self, number: int, device: _Device, total: int) -> None:
        result = device.result
        result.lines.add((device.slope, device.rest))
        if total > result.peak:
            result.peak, result.at = total, number
            if not self.names_alive:
                return
            result.live = [(b.step, b.port, b.size) for b in device.alive.values()]
            result.scratch = [(one, self.steps[one].scratch) for one in device.active]
