"""A program as plain lists: what a run looks at for every op, put together once for all runs.

Outputs are numbered through the whole program, and a buffer is the number of the output that it
was made for.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from copy import copy
from itertools import accumulate

from tfprof.analyses.memory.at_batch import AtBatch
from tfprof.analyses.memory.chance import Delays, delays
from tfprof.analyses.memory.op_times import SHORT
from tfprof.analyses.memory.program import MemoryModel, Program
from tfprof.analyses.memory.steps import NOTHING, Line, Location, OpOutput

NOBODY = -1
# bytes a sample, and bytes at the batch of the tape
Size = tuple[int, int]
# its number, how many read it, the output whose buffer it is or NOBODY, its data type, and of a
# list the outputs that it keeps alive: plain, since there is one for nearly every op
TapedOutput = tuple[int, int, int, int, Sequence[int] | None]


class Tape:
    """By op: the outputs that may have buffers, the outputs that it reads, those it may write over.

    By output: its size, and the device that it is made on.
    """

    def __init__(self, made: Program, batch: int) -> None:
        self.made, self.batch = made, batch
        steps = made.steps
        self._first = list(accumulate((len(step.outputs) for step in steps), initial=0))
        self.sizes = [_at(one.size, batch) for step in steps for one in step.outputs]
        self.devices = [step.device for step in steps for _ in step.outputs]
        self.scratch = [_at(step.scratch, batch) for step in steps]
        self.spared = [step.spared for step in steps]
        self.durations = [step.duration for step in steps]
        self.cheap = [step.is_cheap for step in steps]
        self._turns: dict[int | None, Delays] = {}
        # by op: the variable whose value it hands out; the one it changes, and its size
        self.values: dict[int, str] = {}
        self.changes: dict[int, tuple[str, Size]] = {}
        self.outputs: list[Sequence[TapedOutput]] = []
        self.reads: list[Sequence[int]] = []
        self.reuse: list[Sequence[int]] = []
        first = self._first
        for number, step in enumerate(steps):
            reads = tuple([_number(read, first) for read in step.reads])
            at = first[number]
            if len(step.outputs) == 1:
                taped = [_taped(step.outputs[0], at, reads)]
            else:
                taped = [_taped(one, place, reads) for place, one in enumerate(step.outputs, at)]
            if step.value_of:
                # it has no size, but it matters who still reads it
                self.values[number] = step.value_of
                taped[0] = (at, step.outputs[0].readers, NOBODY, 0, ())
            if step.changes[0]:
                self.changes[number] = step.changes[0], _at(step.changes[1], batch)
            self.outputs.append(tuple([one for one in taped if one is not None]))
            known = _known(range(len(reads)), reads) if NOBODY in reads else reads
            is_all = len(reads) == len(known) == 1 and step.reuse == (0,)
            self.reuse.append(known if is_all else _known(step.reuse, reads) if step.reuse else ())
            self.reads.append(known)

    def at(self, batch: int, model: MemoryModel) -> Tape:
        """The same program at another batch, which it is known at: only numbers differ."""
        there, steps = AtBatch(batch, model), self.made.steps
        found = copy(self)
        found.batch = batch
        found.sizes = [there.size(one.size) for step in steps for one in step.outputs]
        taken = [there.scratch(step) for step in steps]
        found.scratch = [size for size, _ in taken]
        found.spared = [spared for _, spared in taken]
        found.durations = [there.duration(step.op) for step in steps]
        found._turns = {}  # noqa: SLF001  (of its own copy)
        return found

    @property
    def short(self) -> list[bool]:
        """The ops that a thread runs at once when they have run often."""
        return [
            cheap or lasts <= SHORT for cheap, lasts in zip(self.cheap, self.durations, strict=True)
        ]

    def turn(self, chance: int | None) -> Delays:
        """What is delayed in a run; that of a middle is asked for twice."""
        if chance not in self._turns:
            self._turns[chance] = delays(self.durations, chance)
        return self._turns[chance]

    def location(self, number: int) -> Location:
        """The op of an output, and which of its outputs it is."""
        step = bisect_right(self._first, number) - 1
        return step, number - self._first[step]


def _number(read: Location | None, first: Sequence[int]) -> int:
    """Of an output; numbers that are there are not made again."""
    if read is None:
        return NOBODY
    return first[read[0]] + read[1] if read[1] else first[read[0]]


def _taped(output: OpOutput, number: int, reads: Sequence[int]) -> TapedOutput | None:
    """None where there is nothing to hold at any batch."""
    if output.alias is not None:
        alias = reads[output.alias] if output.alias < len(reads) else NOBODY
        return None if alias == NOBODY else (number, output.readers, alias, output.dtype, None)
    if output.holds:
        return number, output.readers, NOBODY, output.dtype, _known(output.holds, reads)
    if output.size == NOTHING:
        return None
    return number, output.readers, NOBODY, output.dtype, None


def _known(places: Sequence[int], reads: Sequence[int]) -> Sequence[int]:
    """The outputs that are read at some places; damaged graphs leave inputs out."""
    found = [reads[place] for place in places if place < len(reads)]
    return tuple([one for one in found if one != NOBODY])


def _at(size: Line, batch: int) -> Size:
    slope, rest = size
    return (slope, slope * batch + rest) if slope else size
