"""A program as plain lists: what a run looks at for every op, put together once for all runs.

Outputs are numbered through the whole program, and a buffer is the number of the output that it
was made for.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import MutableSequence, Sequence
from copy import copy
from itertools import accumulate

from tfprof.analyses.memory.at_batch import AtBatch
from tfprof.analyses.memory.chance import Delays, delays, spreads
from tfprof.analyses.memory.op_times import SHORT, is_rough
from tfprof.analyses.memory.program import MemoryModel, Program
from tfprof.analyses.memory.steps import NOTHING, Line, Location, OpOutput, ProgramStep

NOBODY = -1
_BYTE = 1 << 8


class Tape:
    """By op: the outputs that may have buffers, the outputs that it reads, those it may write over.

    By output: its bytes at the batch, its kind, the device that it is made on, how many read it,
    and the output whose buffer it is or NOBODY. Of one kind are those of one size and data type: an
    op may write over them. The kind of what holds nothing is 0.
    """

    def __init__(self, made: Program, batch: int) -> None:
        self.made, self.batch = made, batch
        steps = made.steps
        self._first = list(accumulate((len(step.outputs) for step in steps), initial=0))
        outputs = [one for step in steps for one in step.outputs]
        lines = [one.size for one in outputs]
        self.sizes = [slope * batch + rest for slope, rest in lines]
        self.devices = _small([step.device for step in steps for _ in step.outputs])
        self.readers = _small([one.readers for one in outputs])
        self._dtypes = _small([one.dtype for one in outputs])
        self.aliases = [NOBODY] * len(self.sizes)
        # of a list the outputs that it keeps alive
        self.holds: dict[int, Sequence[int]] = {}
        self.scratch = [slope * batch + rest for slope, rest in (step.scratch for step in steps)]
        self.spared = _small([step.spared for step in steps])
        self.durations = [step.duration for step in steps]
        self.places = _small([step.device for step in steps])
        self.is_cheap = bytes([step.is_cheap for step in steps])
        self.waits = [step.waits_for for step in steps]
        self.releases = [step.releases for step in steps]
        # by device: the ops that wait for nobody
        self.roots: list[list[int]] = [[] for _ in made.devices]
        for number, waits in enumerate(self.waits):
            if not waits:
                self.roots[self.places[number]].append(number)
        self._short = b""
        self._turns: dict[int | None, Delays] = {}
        self._spreads: list[float] = []
        # by op, filled when a run by chance asks: one list for the tapes of all batches
        self._rough: list[bool] = []
        # by op: the variable whose value it hands out; the one it changes, and its size
        self.values: dict[int, str] = {}
        self.changes: dict[int, tuple[str, int]] = {}
        self.outputs: list[Sequence[int]] = []
        self.reads: list[Sequence[int]] = []
        self.reuse: list[Sequence[int]] = []
        for number, step in enumerate(steps):
            if not self._add_plain(step, self._first[number]):
                self._add(number, step)
        # those of its outputs that nobody reads: they are gone when it ends
        self.unread: list[Sequence[int]] = [()] * len(steps)
        for output, count in enumerate(self.readers):
            if not count:
                number = self.location(output)[0]
                self.unread[number] = (*self.unread[number], output)
        # ops that hand out or change a variable's value, or make a list
        self.is_odd = bytearray(len(steps))
        for number in (*self.values, *self.changes, *(self.location(one)[0] for one in self.holds)):
            self.is_odd[number] = True
        self.kinds = _kinds(lines, self.sizes, self._dtypes)

    def _add_plain(self, step: ProgramStep, at: int) -> bool:
        """Most ops read one tensor and make one that is their own; false of any other."""
        if len(step.reads) != 1 or len(step.outputs) != 1 or step.value_of or step.changes[0]:
            return False
        read, output = step.reads[0], step.outputs[0]
        if read is None or output.alias is not None or output.holds or len(step.reuse) > 1:
            return False
        source, port = read
        reads = self.outputs[source] if source < len(self.outputs) else ()
        if len(reads) != 1 or port or reads[0] != self._first[source]:
            reads = (_number(read, self._first),)
        self.outputs.append((at,) if output.size != NOTHING else ())
        self.reuse.append(reads if step.reuse == (0,) else _known(step.reuse, reads))
        self.reads.append(reads)
        return True

    def _add(self, number: int, step: ProgramStep) -> None:
        first = self._first
        reads = tuple([_number(read, first) for read in step.reads])
        at = first[number]
        if len(step.outputs) == 1:
            held: Sequence[int] = (at,) if self._is_held(step.outputs[0], at, reads) else ()
        else:
            taped = enumerate(step.outputs, at)
            held = tuple([place for place, one in taped if self._is_held(one, place, reads)])
        if step.value_of:
            # it has no size, but it matters who still reads it
            self.values[number] = step.value_of
            self.aliases[at], self._dtypes[at], self.holds[at] = NOBODY, 0, ()
            held = held if at in held else (at, *held)
        if step.changes[0]:
            self.changes[number] = step.changes[0], _at(step.changes[1], self.batch)
        self.outputs.append(held)
        known = _known(range(len(reads)), reads) if NOBODY in reads else reads
        is_all = len(reads) == len(known) == 1 and step.reuse == (0,)
        self.reuse.append(known if is_all else _known(step.reuse, reads) if step.reuse else ())
        self.reads.append(known)

    def _is_held(self, output: OpOutput, number: int, reads: Sequence[int]) -> bool:
        """Whether there is anything to hold at any batch."""
        if output.alias is not None:
            alias = reads[output.alias] if output.alias < len(reads) else NOBODY
            self.aliases[number] = alias
            return alias != NOBODY
        if output.holds:
            self.holds[number] = _known(output.holds, reads)
            return True
        return output.size != NOTHING

    def at(self, batch: int, model: MemoryModel) -> Tape:
        """The same program at another batch, which it is known at: only numbers differ."""
        there, steps = AtBatch(batch, model), self.made.steps
        found = copy(self)
        found.batch = batch
        sizes = [there.size(one.size) for step in steps for one in step.outputs]
        found.sizes = [bytes_ for _, bytes_ in sizes]
        found.kinds = _kinds(sizes, found.sizes, self._dtypes)
        taken = [there.scratch(step) for step in steps]
        found.scratch = [slope * batch + rest for (slope, rest), _ in taken]
        found.spared = [spared for _, spared in taken]
        found.durations = [there.duration(step.op) for step in steps]
        found._turns, found._spreads, found._short = {}, [], b""  # noqa: SLF001  (of its own copy)
        return found

    @property
    def short(self) -> bytes:
        """The ops that a thread runs at once when they have run often."""
        if not self._short:
            both = zip(self.is_cheap, self.durations, strict=True)
            self._short = bytes([bool(cheap) or lasts <= SHORT for cheap, lasts in both])
        return self._short

    def turn(self, chance: int | None) -> Delays:
        """What is delayed in a run; that of a middle is asked for twice."""
        if chance not in self._turns:
            if chance is not None and not self._spreads:
                if not self._rough:
                    self._rough.extend(is_rough(step.op) for step in self.made.steps)
                self._spreads = spreads(self.durations, self._rough)
            self._turns[chance] = delays(self.durations, self._spreads, chance)
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


def _known(places: Sequence[int], reads: Sequence[int]) -> Sequence[int]:
    """The outputs that are read at some places; damaged graphs leave inputs out."""
    found = [reads[place] for place in places if place < len(reads)]
    return tuple([one for one in found if one != NOBODY])


def _small(numbers: list[int]) -> MutableSequence[int]:
    """A byte each where that is enough: of a large graph lists of the same few are large."""
    is_enough = not numbers or 0 <= min(numbers) <= max(numbers) < _BYTE
    return bytearray(numbers) if is_enough else numbers


def _kinds(lines: list[Line], sizes: list[int], dtypes: Sequence[int]) -> list[int]:
    """By output; what grows with the batch is never of the size of what does not."""
    numbers: dict[tuple[int, int, int], int] = {}
    return [
        0 if line == NOTHING else numbers.setdefault((line[0], size, dtype), len(numbers) + 1)
        for line, size, dtype in zip(lines, sizes, dtypes, strict=True)
    ]


def _at(size: Line, batch: int) -> int:
    slope, rest = size
    return slope * batch + rest if slope else rest
