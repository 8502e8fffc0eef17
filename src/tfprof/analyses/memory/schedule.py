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

from tfprof.analyses.memory.program import NOTHING, Line, Program, ProgramStep

# ops take up to this power of e more or less time in a run by chance
_SPREAD = 1.0


@dataclass(slots=True)
class Buffer:
    """Memory of one output, or of those that share it; `uses` are the reads still to come.

    It stays on its `device`, also when an op on another one takes it over.
    """

    size: Line
    step: int
    port: int
    uses: int
    shape: object
    device: int


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
    keeps: bool = True,
    chance: int | None = None,
    names_alive: bool = False,
) -> Simulated:
    """Each device has so many workers and a queue, first in, first out.

    A thread that has finished an op goes on with the last one that this made ready, as TensorFlow's
    executor does; with `keeps` off, that one waits in the queue like the others. `chance` is the
    seed of a run in which each op takes longer or shorter than it should, as on a real machine.
    What was alive at the peak is written down only where it is asked for: that takes time.
    """
    run = _Run(made, workers, batch, keeps=keeps, durations=_durations(made, chance))
    run.names_alive = names_alive
    return run.go()


def _durations(made: Program, chance: int | None) -> list[float]:
    if chance is None:
        return [step.duration for step in made.steps]
    draw = random.Random(chance).uniform  # noqa: S311  (no secret hangs on it)
    return [step.duration * math.exp(draw(-_SPREAD, _SPREAD)) for step in made.steps]


@dataclass(slots=True)
class _Device:
    """A device while the program runs."""

    result: OnDevice
    ready: deque[int] = field(default_factory=deque)
    busy: int = 0
    slope: int = 0
    rest: int = 0
    alive: dict[int, Buffer] = field(default_factory=dict)
    # ops that run, for their scratch
    active: set[int] = field(default_factory=set)

    def add(self, size: Line, sign: int = 1) -> None:
        self.slope += sign * size[0]
        self.rest += sign * size[1]


class _Run:
    def __init__(
        self, made: Program, workers: int, batch: int, *, keeps: bool, durations: list[float]
    ) -> None:
        self.steps, self.workers, self.batch = made.steps, workers, batch
        self.keeps, self.durations = keeps, durations
        self.waits = [step.waits_for for step in made.steps]
        self.buffers: dict[tuple[int, int], Buffer | None] = {}
        self.devices = [_Device(OnDevice()) for _ in made.devices]
        self.running: list[tuple[float, int, int]] = []
        self.now, self.begun = 0.0, 0
        self.names_alive = False
        self.result = Simulated([one.result for one in self.devices])

    def go(self) -> Simulated:
        kept = self._ran([number for number, left in enumerate(self.waits) if not left])
        if kept is not None:
            self._queue(kept)
        while True:
            for device in self.devices:
                while device.ready and device.busy < self.workers:
                    self._begin(device.ready.popleft())
            if not self.running:
                return self.result
            self.now, _, number = heapq.heappop(self.running)
            self.devices[self.steps[number].device].busy -= 1
            kept = self._ran(self._finish(number), number)
            if kept is not None:
                self._begin(kept)

    def _begin(self, number: int) -> None:
        device = self.devices[self.steps[number].device]
        self._start(number, device)
        heapq.heappush(self.running, (self.now + self.durations[number], self.begun, number))
        self.begun += 1
        device.busy += 1

    def _queue(self, number: int) -> None:
        self.devices[self.steps[number].device].ready.append(number)

    def _ran(self, ready: list[int], after: int | None = None) -> int | None:
        """Runs what takes no time and queues the rest; the op that the thread goes on with."""
        at_once: deque[int] = deque()
        kept = None
        while True:
            last = None
            for number in ready:
                if not self.durations[number]:
                    at_once.append(number)
                else:
                    if last is not None:
                        self._queue(last)
                    last = number
            if last is not None:
                if kept is None and not at_once and self._goes_on(last, after):
                    kept = last
                else:
                    self._queue(last)
            if not at_once:
                return kept
            number = at_once.popleft()
            self._start(number, self.devices[self.steps[number].device])
            ready = self._finish(number)

    def _goes_on(self, number: int, after: int | None) -> bool:
        """A thread keeps the last op it made ready, on its own device."""
        if after is None or not self.keeps:
            return False
        return self.steps[number].device == self.steps[after].device

    def _start(self, number: int, device: _Device) -> None:
        step = self.steps[number]
        self.result.order.append(number)
        taken: set[int] = set()
        grew = step.scratch != NOTHING
        for port, output in enumerate(step.outputs):
            if output.alias is not None:
                shared = self._read(step, output.alias)
                if shared is not None:
                    shared.uses += output.readers
                self.buffers[number, port] = shared
                continue
            if output.size == NOTHING:
                self.buffers[number, port] = None
                continue
            given = self._given_up(step, output.size, output.shape, taken)
            if given is not None:
                given.uses += output.readers
                given.step, given.port = number, port
                taken.add(id(given))
                self.buffers[number, port] = given
                continue
            device.add(output.size)
            grew = True
            new = Buffer(output.size, number, port, output.readers, output.shape, step.device)
            self.buffers[number, port] = device.alive[id(new)] = new
        if step.scratch != NOTHING:
            device.add(step.scratch)
            device.active.add(number)
        if grew:
            self._look(number, device)

    def _given_up(
        self, step: ProgramStep, size: Line, shape: object, taken: set[int]
    ) -> Buffer | None:
        """The buffer of an input that only this op still needs, if it fits."""
        for place in step.reuse:
            buffer = self._read(step, place)
            if buffer is None or buffer.size != size or buffer.shape != shape:
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
        device = self.devices[buffer.device]
        if device.alive.pop(id(buffer), None) is not None:
            device.add(buffer.size, -1)
            buffer.size = NOTHING

    def _look(self, number: int, device: _Device) -> None:
        total = device.slope * self.batch + device.rest
        result = device.result
        result.lines.add((device.slope, device.rest))
        if total > result.peak:
            result.peak, result.at = total, number
            if not self.names_alive:
                return
            result.live = [(b.step, b.port, b.size) for b in device.alive.values()]
            result.scratch = [(one, self.steps[one].scratch) for one in device.active]
