"""From what runs on paper took to what real ones may take: by what there is to be unsure of.

The margins are those that runs of other models asked for (`benchmarks/intervals.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum

from tfprof.analyses.memory.op_times import OVERHEAD
from tfprof.analyses.memory.steps import ProgramStep
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.late_pattern import late_pattern

# ops whose outputs are as large as their data says; here they are taken to be as large as can be
CHOOSES = "Where"
_BY_DATA = late_pattern(r"Where|Unique.*|DynamicPartition|NonMaxSuppression.*")
# runs by chance that are as near to each other are steady, if they take long next to what
# interrupts threads: some 20 milliseconds
_ALIKE, _LONG = 0.02, 400_000_000.0
# below that, what threads do between two ops of a loop decides, and not how long the ops take
_SHORT = 1.25


class Doubt(StrEnum):
    """Why runs differ."""

    STEADY = "steady"
    PLAIN = "plain"
    LOOPS = "loops"
    SHORT_ROUNDS = "short rounds"
    DATA = "data"


# rounds of loops run at once, and in later steps otherwise than in the first
ROUNDS = (Doubt.LOOPS, Doubt.SHORT_ROUNDS)


@frozen_dataclass
class Margin:
    """How far a real run may be below the least of those on paper, and above the most."""

    below: float
    above: float

    def around(self, ends: Sequence[int]) -> tuple[int, int]:
        return int(min(ends) / (1 + self.below)), int(max(ends) * (1 + self.above)) + 1


# Of steady steps one in twenty went 8 % above, on a busy machine: with room for that, all others
# would be told a batch that is smaller than what fits
MARGINS = {
    Doubt.STEADY: Margin(0.03, 0.03),
    Doubt.PLAIN: Margin(0.07, 0.05),
    Doubt.LOOPS: Margin(0.10, 0.02),
    Doubt.SHORT_ROUNDS: Margin(0.11, 0.11),
    Doubt.DATA: Margin(0.08, 0.13),
}


def doubt_of(steps: Sequence[ProgramStep], durations: Sequence[float]) -> Doubt:
    if has_rounds(steps):
        usual = sum(durations) / (OVERHEAD * max(1, len(durations)))
        return Doubt.SHORT_ROUNDS if usual < _SHORT else Doubt.LOOPS
    is_by_data = any(_BY_DATA.fullmatch(op) for op in {step.op.site.op for step in steps})
    return Doubt.DATA if is_by_data else Doubt.PLAIN


def settled(doubt: Doubt, ends: Sequence[int], durations: Sequence[float]) -> Doubt:
    """The same once runs by chance are known: of some long steps all take as much."""
    if doubt != Doubt.PLAIN or len(ends) < 2 or sum(durations) < _LONG:
        return doubt
    return Doubt.STEADY if max(ends) - min(ends) <= _ALIKE * min(ends) else doubt


def has_rounds(steps: Iterable[ProgramStep]) -> bool:
    return any(
        site.loops or site.times != 1 or (site.called is not None and site.called.carried)
        for site in (step.op.site for step in steps)
    )
