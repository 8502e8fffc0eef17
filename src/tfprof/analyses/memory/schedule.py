"""Runs a program on paper: ops start when their inputs are there, buffers live until the last use.

The rules are those that reproduced measured peaks (docs/memory.md): first in, first out; a few
workers; an op may write over an input that nobody else needs; the peak is looked at when an op has
started, with its outputs and its scratch allocated.
"""

from __future__ import annotations

import heapq
from collections import deque
from dataclasses import dataclass, field

from tfprof.analyses.memory.program import NOTHING, Line, Program, Step


@dataclass(slots=True)
class Buffer:
    """Memory of one output, or of those that share it; `uses` are the reads still to come."""

    size: Line
    step: int
    port: int
    uses: int
    shape: object


@dataclass(slots=True)
class Simulated:
    """`peak` in bytes at the batch of the schedule, where it was, and what was alive then.

    `lines` are the distinct sums of what was alive, as lines over the batch.
    """

    peak: int = 0
    at: int = -1
    live: list[tuple[int, int, Line]] = field(default_factory=list)
    scratch: list[tuple[int, Line]] = field(default_factory=list)
    lines: set[Line] = field(default_factory=set)
    order: list[int] = field(default_factory=list)


def simulate(made: Program, workers: int, batch: int = 1) -> Simulated:
    return _Run(made.steps, workers, batch).go()


class _Run:
    def __init__(self, steps: list[Step], workers: int, batch: int) -> None:
        self.steps, self.workers, self.batch = steps, workers, batch
        self.waits = [step.waits_for for step in steps]
        self.buffers: dict[tuple[int, int], Buffer | None] = {}
        self.slope = self.rest = 0
        self.running: list[tuple[float, int, int]] = []
        self.active: set[int] = set()
        self.result = Simulated()

    def go(self) -> Simulated:
        ready = deque(number for number, left in enumerate(self.waits) if not left)
        now, started = 0.0, 0
        while ready or self.running:
            while ready and (len(self.running) < self.workers or not self.steps[ready[0]].duration):
                number = ready.popleft()
                self._start(number)
                duration = self.steps[number].duration
                if duration:
                    heapq.heappush(self.running, (now + duration, started, number))
                    started += 1
                else:
                    ready.extend(self._finish(number))
            if self.running:
                now, _, number = heapq.heappop(self.running)
                ready.extend(self._finish(number))
        return self.result

    def _start(self, number: int) -> None:
        step = self.steps[number]
        self.result.order.append(number)
        taken: set[int] = set()
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
            self._add(output.size)
            self.buffers[number, port] = Buffer(
                output.size, number, port, output.readers, output.shape
            )
        self._add(step.scratch)
        self.active.add(number)
        if step.outputs or step.scratch != NOTHING:
            self._look(number)

    def _given_up(self, step: Step, size: Line, shape: object, taken: set[int]) -> Buffer | None:
        """The buffer of an input that only this op still needs, if it fits."""
        for place in step.reuse:
            buffer = self._read(step, place)
            if buffer is None or id(buffer) in taken:
                continue
            mine = sum(self._read(step, other) is buffer for other in range(len(step.reads)))
            if buffer.uses == mine and buffer.size == size and buffer.shape == shape:
                return buffer
        return None

    def _read(self, step: Step, place: int) -> Buffer | None:
        read = step.reads[place] if place < len(step.reads) else None
        return None if read is None else self.buffers.get(read)

    def _finish(self, number: int) -> list[int]:
        """Frees what is not needed any more; returns the ops that can start now."""
        step = self.steps[number]
        self.active.discard(number)
        self._add((-step.scratch[0], -step.scratch[1]))
        for read in step.reads:
            buffer = self.buffers.get(read) if read is not None else None
            if buffer is not None:
                buffer.uses -= 1
                self._maybe_free(buffer)
        for port in range(len(step.outputs)):
            buffer = self.buffers.get((number, port))
            if buffer is not None:
                self._maybe_free(buffer)
        ready = []
        for reader in step.releases:
            self.waits[reader] -= 1
            if not self.waits[reader]:
                ready.append(reader)
        return ready

    def _maybe_free(self, buffer: Buffer) -> None:
        if buffer.uses <= 0 and buffer.size != NOTHING:
            self._add((-buffer.size[0], -buffer.size[1]))
            buffer.size = NOTHING

    def _add(self, size: Line) -> None:
        self.slope += size[0]
        self.rest += size[1]

    def _look(self, number: int) -> None:
        total = self.slope * self.batch + self.rest
        self.result.lines.add((self.slope, self.rest))
        if total > self.result.peak:
            self.result.peak, self.result.at = total, number
            alive = {id(b): b for b in self.buffers.values() if b is not None and b.size != NOTHING}
            self.result.live = [(b.step, b.port, b.size) for b in alive.values()]
            self.result.scratch = [
                (one, self.steps[one].scratch)
                for one in self.active
                if self.steps[one].scratch != NOTHING
            ]
