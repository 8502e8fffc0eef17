"""Turns of chance: how a run on a real machine differs from one in which all goes as it should."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat

from tfprof.analyses.memory.op_times import OVERHEAD, WAKING

# by op: how many times as long it takes, and how long its thread stands still besides
Delays = tuple[list[float], list[float]]
# ops take up to this power of e more or less time in a run by chance
_SPREAD, _LEAST_SPREAD, _ROUGH_SPREAD = 1.0, 0.05, 0.5
# from a millisecond on that evens out
_EVENS_OUT = 20_000_000.0
# so often something else takes the core, for so long: some milliseconds
_OPS_A_PAUSE, _PAUSE = 300, 100_000_000.0
# so often a thread that should wake up finds no free core for so long
_LATE, _LATE_BY = 0.1, 60_000_000.0
# so often it is a short moment, in any op
_OPS_A_MOMENT, _MOMENT = 100, 20_000_000.0


def delays(lasting: Sequence[float], spread: Sequence[float], chance: int | None) -> Delays:
    """`lasting` is how long each op takes: the longer, the likelier it is the one interrupted.

    While a kernel stands still, other threads go on with the rounds of a loop, and what those make
    waits for its result. `chance` is a seed; without one nothing is delayed.
    """
    count = len(lasting)
    if chance is None or not count:
        return [1.0] * count, [0.0] * count
    draw = random.Random(chance)  # noqa: S311  (no secret hangs on it)
    exp, number = math.exp, draw.random
    factors = [exp((2 * number() - 1) * one) for one in spread]
    pauses = [0.0] * count
    for place in draw.choices(range(count), k=count // _OPS_A_MOMENT + 1):
        pauses[place] = draw.expovariate(1 / _MOMENT)
    for place in _interrupted(lasting, draw):
        pauses[place] = draw.expovariate(1 / _PAUSE)
    return factors, pauses


def wakings(chance: int | None) -> Iterator[float]:
    """How long threads that sleep take until they are awake, one after the other."""
    if chance is None:
        yield from repeat(WAKING)
    draw = random.Random(chance)  # noqa: S311  (no secret hangs on it)
    while True:
        is_late = draw.random() < _LATE
        yield WAKING + (draw.expovariate(1 / _LATE_BY) if is_late else 0.0)


def spreads(lasting: Sequence[float], rough: Iterable[bool]) -> list[float]:
    """By op, the same in all runs by chance: a long kernel evens it out, but no `rough` one."""
    return [
        max(_ROUGH_SPREAD if is_rough else _LEAST_SPREAD, min(_SPREAD, _EVENS_OUT / max(1.0, one)))
        for one, is_rough in zip(lasting, rough, strict=True)
    ]


def _interrupted(lasting: Sequence[float], draw: random.Random) -> list[int]:
    expected = len(lasting) / _OPS_A_PAUSE
    count = int(expected) + (draw.random() < expected % 1)
    # in its kernel, that is: around it any op takes the same
    likely = [max(0.0, one - OVERHEAD) for one in lasting]
    return draw.choices(range(len(lasting)), likely, k=count) if any(likely) else []
