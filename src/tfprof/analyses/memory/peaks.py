"""Peak memory of a step for any batch, and the batch that fits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace

from tfprof.analyses.graph.subgraph import INPUT_OPS
from tfprof.analyses.memory.interval import MARGINS, Doubt, doubt_of, settled
from tfprof.analyses.memory.lines import lines_of
from tfprof.analyses.memory.program import Program
from tfprof.analyses.memory.schedule import OnDevice, play
from tfprof.analyses.memory.steps import NOTHING, Line
from tfprof.analyses.memory.tape import Tape
from tfprof.analyses.memory.turns import (
    AS_IT_SHOULD,
    EXPECTED,
    Turn,
    turns_of,
    typical,
    typical_run,
)
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.remembered import remembered
from tfprof.results.memory import Alive, LinePiece

_LARGEST_BATCH = 1 << 20
# how often a guess is corrected, and when there is nothing to correct any more
_CORRECTIONS, _NEAR = 4, 2
SCRATCH, INPUTS = "scratch", "inputs"
KINDS = {"forward": "activations", "backward": "gradients", "update": "optimizer temporaries"}


@frozen_dataclass
class OnPaper:
    """The ends of what runs on paper took, and why real ones may take less or more."""

    doubt: Doubt
    low: int
    high: int


@frozen_dataclass
class MemoryPeak:
    """Bytes of a step beside the variables.

    `least` and `most` are beyond what runs `on_paper` took, by a margin for what is in doubt.
    """

    batch: int
    expected: int
    least: int
    most: int
    at: str
    live: tuple[Alive, ...] = ()
    # the run that is expected
    turn: Turn = AS_IT_SHOULD
    on_paper: OnPaper | None = None

    def reaching(self, held: Iterable[int]) -> MemoryPeak:
        """The same where as much may be held on paper."""
        paper = self.on_paper
        if paper is None:
            return self
        ends = sorted([paper.low, paper.high, *held])
        least, most = MARGINS[paper.doubt].around(ends)
        return replace(
            self, least=least, most=most, on_paper=replace(paper, low=ends[0], high=ends[-1])
        )

    @property
    def interval(self) -> tuple[int, int]:
        return self.least, self.most


@frozen_dataclass
class ExpectedPeak:
    """The same without the ends of an interval, which take many more runs."""

    batch: int
    expected: int
    live: tuple[Alive, ...]


@remembered(lambda made, batch: ((made,), (batch,)))
def expected_peaks(made: Program, batch: int) -> dict[str, ExpectedPeak]:
    """By device. `batch` makes a line a number where sizes were left open."""
    tape = Tape(made, batch)
    expected = typical_run(tape, turns_of(tape, doubt_of(made.steps, tape.durations)))
    expected.name_alive()
    return {
        device: ExpectedPeak(batch, here.peak, _alive(made, here))
        for device, here in zip(made.devices, expected.devices, strict=True)
    }


@remembered(lambda made, batch, _tape_at: ((made,), (batch,)))
def peaks_at(_made: Program, batch: int, tape_at: Callable[[int], Tape]) -> dict[str, MemoryPeak]:
    """By device; questions that are asked together look at the same batches of one program."""
    return taped_peaks(tape_at(batch))


@remembered(lambda made, batch, turn, _tape_at: ((made,), (batch, turn)))
def peaks_in(
    made: Program, batch: int, turn: Turn, tape_at: Callable[[int], Tape]
) -> dict[str, int]:
    """The same of one run alone."""
    found = turn.of(tape_at(batch)).devices
    return {device: one.peak for device, one in zip(made.devices, found, strict=True)}


def taped_peaks(tape: Tape) -> dict[str, MemoryPeak]:
    """By device, with what is in doubt about it."""
    made, batch = tape.made, tape.batch
    doubt = doubt_of(made.steps, tape.durations)
    runs = {turn: turn.of(tape) for turn in turns_of(tape, doubt)}
    turn = typical({one: run.peak for one, run in runs.items()})
    runs[turn].name_alive()
    # what a run writes down of a large step is large
    peaks = [[device.peak for device in run.devices] for run in runs.values()]
    devices = runs[turn].devices
    runs.clear()
    found = {}
    for place, device in enumerate(made.devices):
        here = devices[place]
        at = made.steps[here.at].name if here.at >= 0 else ""
        ends = [one[place] for one in peaks]
        kind = settled(doubt, ends, tape.durations)
        low, high = MARGINS[kind].around(ends)
        on_paper = OnPaper(kind, min(ends), max(ends))
        alive = _alive(made, here)
        found[device] = MemoryPeak(batch, here.peak, low, high, at, alive, turn, on_paper)
    return found


def _alive(made: Program, found: OnDevice) -> tuple[Alive, ...]:
    """What is alive at the peak, the largest first."""
    rows = []
    for number, size in found.scratch:
        op = made.steps[number].op
        rows.append(Alive(op.site.name, op.site.op, SCRATCH, size))
    for number, size in found.live:
        op = made.steps[number].op
        kind = INPUTS if INPUT_OPS.fullmatch(op.site.op) else KINDS[op.phase]
        rows.append(Alive(op.site.name, op.site.op, kind, size))
    return tuple(sorted(rows, key=lambda row: (-row.bytes, row.name)))


def _at(size: Line, batch: int) -> int:
    return size[0] * batch + size[1]


@remembered(lambda made, batch: ((made,), (batch,)))
def pieces(made: Program, batch: int) -> dict[str, list[LinePiece]]:
    """The peak of each device as lines over the batch, where nothing but the batch is open."""
    found = lines_of(play(Tape(made, batch), EXPECTED).run)
    return {
        device: _envelope(lines - {NOTHING})
        for device, lines in zip(made.devices, found, strict=True)
    }


def _envelope(lines: set[Line]) -> list[LinePiece]:
    """Which line is on top, from batch 1 on: steeper ones take over as the batch grows."""
    found: list[LinePiece] = []
    at = 1
    while lines and at < _LARGEST_BATCH:
        slope, rest = max(lines, key=lambda one: (one[0] * at + one[1], one[0]))
        # the first batch at which a steeper line lies above
        crossings = [
            (rest - other) // (steeper - slope) + 1 for steeper, other in lines if steeper > slope
        ]
        to = min(crossings) - 1 if crossings else None
        found.append(LinePiece(at, to, slope, rest))
        if to is None:
            return found
        at = to + 1
    return found


def largest_batch(room: Callable[[int], float], guess: int) -> int:
    """The largest batch that leaves room, or none to spare; 0 if not even one sample does."""
    if room(1) < 0:
        return 0
    most = max(_LARGEST_BATCH, guess)
    low, high, stride = 1, _corrected(room, max(2, guess), most), 1
    # that is mostly near: from there in strides that double, up or down
    if room(high) >= 0:
        while room(high) >= 0:
            low, high, stride = high, high + stride, stride * 2
            if high > most:
                return low
    else:
        while (below := high - stride) > 1:
            if room(below) >= 0:
                low = below
                break
            high, stride = below, stride * 2
    while high - low > 1:
        middle = (low + high) // 2
        if room(middle) >= 0:
            low = middle
        else:
            high = middle
    return low


def _corrected(room: Callable[[int], float], guess: int, most: int) -> int:
    """What is needed is nearly a line over the batch: where that leaves no room any more."""
    before, at = 1, guess
    for _ in range(_CORRECTIONS):
        slope = (room(at) - room(before)) / (at - before)
        if slope >= 0:
            break
        then = at + math.floor(room(at) / -slope) + 1
        if abs(then - at) <= _NEAR or not 1 < then <= most:
            break
        before, at = at, then
    return at


def with_inputs(lines: Iterable[LinePiece], fed: Line) -> list[LinePiece]:
    """The peak and what is fed, which whoever runs the step holds beside it."""
    slope, rest = fed
    return [replace(one, slope=one.slope + slope, intercept=one.intercept + rest) for one in lines]


def guess_from(lines: list[LinePiece], budget: int) -> int:
    """The batch that the formula says; 0 if not even one sample fits."""
    for piece in reversed(lines):
        if piece.slope > 0:
            batch = (budget - piece.intercept) // piece.slope
            if batch >= piece.start:
                return batch
    return 0
