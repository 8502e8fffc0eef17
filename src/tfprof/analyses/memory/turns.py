"""Which runs of a step are made on paper, and which of them is expected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tfprof.analyses.memory.interval import ROUNDS, Doubt
from tfprof.analyses.memory.schedule import Simulated, play
from tfprof.analyses.memory.tape import Tape

# how many ops run at once
EXPECTED = 2
# runs by chance: at most so many, of so many ops together; more where rounds of loops overlap
_MOST_RUNS, _OPS_OF_RUNS, _OPS_OF_ROUNDS = 10, 100_000, 200_000
# what is left out at either end: a quarter of all runs, and one of three
_OF_MANY, _OF_FEW = 4, 3
# what differs by no more is the same: which of some small ops come first is not known that well
_ALIKE = 0.02


class Turn(NamedTuple):
    """A run by chance, or without a seed as it should go: of a first step or of a later one."""

    chance: int | None = None
    practised: bool = False

    def of(self, tape: Tape) -> Simulated:
        return play(tape, EXPECTED, chance=self.chance, practised=self.practised)


AS_IT_SHOULD = Turn()


def turns_of(tape: Tape, doubt: Doubt) -> Sequence[Turn]:
    """First as it should go, then by chance many of a small step, fewer of a large one.

    Rounds of a loop run otherwise in later steps, when the executor knows which ops are short.
    """
    count = max(1, len(tape.made.steps))
    if doubt not in ROUNDS:
        return [AS_IT_SHOULD, *map(Turn, range(1, 1 + min(_MOST_RUNS, _OPS_OF_RUNS // count)))]
    seeds = (None, *range(1, 1 + min(_MOST_RUNS, _OPS_OF_ROUNDS // count) // 2))
    return [Turn(one, practised) for practised in (False, True) for one in seeds]


def typical(peaks: Mapping[Turn, int]) -> Turn:
    """The run as it should go, unless most go otherwise: then the nearest of the middle half.

    Chance piles up more in these runs than on a quiet machine: their middle is no better guess, and
    worse where nothing but the order of a few large kernels decides.
    """
    turns, usual = sorted(peaks, key=lambda turn: peaks[turn]), peaks[AS_IT_SHOULD]
    outer = _outer(len(turns))
    least, most = turns[outer], turns[-1 - outer]
    nearest = least if usual < peaks[least] else most if usual > peaks[most] else AS_IT_SHOULD
    return AS_IT_SHOULD if abs(peaks[nearest] - usual) <= _ALIKE * usual else nearest


def typical_run(tape: Tape, turns: Sequence[Turn]) -> Simulated:
    """The same where nobody asks for the ends: no more runs are made than it takes to know."""
    outer, runs = _outer(len(turns)), {AS_IT_SHOULD: AS_IT_SHOULD.of(tape)}
    expected = runs[AS_IT_SHOULD]
    for turn in turns:
        others = [run.peak for run in runs.values()][1:]
        below, above = (
            sum(one <= expected.peak for one in others),
            sum(one >= expected.peak for one in others),
        )
        if min(below, above) >= outer:
            return expected
        if turn != AS_IT_SHOULD:
            runs[turn] = turn.of(tape)
    return runs[typical({turn: run.peak for turn, run in runs.items()})]


def _outer(count: int) -> int:
    return max(count // _OF_MANY, min(1, count // _OF_FEW))
