"""Peak memory of a step for any batch, and the batch that fits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tfprof.analyses.graph.subgraph import INPUT_OPS
from tfprof.analyses.memory.program import Program
from tfprof.analyses.memory.schedule import OnDevice, play, simulate
from tfprof.analyses.memory.steps import NOTHING, Line
from tfprof.analyses.memory.tape import Tape
from tfprof.results.memory import Alive, LinePiece

# how many ops run at once
EXPECTED = 2
# runs by chance, and how far beyond them a real one may be
_MOST_RUNS, _OPS_OF_RUNS = 10, 200_000
_MARGIN, _ALIKE = 0.08, 0.02
_LARGEST_BATCH = 1 << 20
# how often a guess is corrected, and when there is nothing to correct any more
_CORRECTIONS, _NEAR = 4, 2
SCRATCH, INPUTS = "scratch", "inputs"
KINDS = {"forward": "activations", "backward": "gradients", "update": "optimizer temporaries"}


@dataclass(frozen=True, slots=True)
class MemoryPeak:
    """Bytes of a step beside the variables.

    `least` and `most` are a little beyond what runs need that differ by chance.
    """

    batch: int
    expected: int
    least: int
    most: int
    at: str
    live: tuple[Alive, ...] = ()
    # the run by chance that is expected: in the middle of them all
    turn: int | None = None

    @property
    def interval(self) -> tuple[int, int]:
        return self.least, self.most


def peaks(made: Program, batch: int) -> dict[str, MemoryPeak]:
    """By device. `batch` makes a line a number where sizes were left open."""
    return taped_peaks(Tape(made, batch))


def taped_peaks(tape: Tape) -> dict[str, MemoryPeak]:
    made, batch = tape.made, tape.batch
    runs = {turn: play(tape, EXPECTED, chance=turn) for turn in _turns(made)}
    middle = _middle({turn: run.peak for turn, run in runs.items()})
    expected = play(tape, EXPECTED, chance=middle, names_alive=True)
    found = {}
    for place, device in enumerate(made.devices):
        here = expected.devices[place]
        at = made.steps[here.at].name if here.at >= 0 else ""
        ends = [one.devices[place].peak for one in runs.values()]
        low, high = _widened(ends)
        found[device] = MemoryPeak(batch, here.peak, low, high, at, _alive(made, here), middle)
    return found


def _turns(made: Program) -> Sequence[int | None]:
    """A run as it should go, and by chance many of a small step, fewer of a large one.

    With it they are an odd number: one of them is in the middle.
    """
    most = min(_MOST_RUNS, _OPS_OF_RUNS // max(1, len(made.steps)))
    return (None, *range(1, 1 + most // 2 * 2))


def _middle(of_turns: Mapping[int | None, int]) -> int | None:
    """The run as it should go, unless most go otherwise: then the one in the middle of them."""
    turns = sorted(of_turns, key=lambda turn: of_turns[turn])
    outer = len(turns) // 5
    if of_turns[turns[outer]] <= of_turns[None] <= of_turns[turns[-1 - outer]]:
        return None
    return turns[len(turns) // 2]


def _widened(ends: Sequence[int]) -> tuple[int, int]:
    """A little more than some runs showed: there are others. Less where all are alike."""
    low, high = min(ends), max(ends)
    are_alike = len(ends) > 1 and high - low <= low * _ALIKE
    margin = _ALIKE if are_alike else _MARGIN
    return int(low * (1 - margin)), int(high * (1 + margin)) + 1


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


def pieces(made: Program, batch: int) -> dict[str, list[LinePiece]]:
    """The peak of each device as lines over the batch, where nothing but the batch is open."""
    found = simulate(made, EXPECTED, batch)
    return {
        device: _envelope(one.lines - {NOTHING})
        for device, one in zip(made.devices, found.devices, strict=True)
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
