"""Times of steps, and what of their differences is more than noise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from tfprof.analyses.comparison.matching import matched, unnumbered
from tfprof.analyses.comparison.noise import Judged, Pairs, Samples, judged, tells_noise
from tfprof.reports.diff.sides import PERIOD, Side
from tfprof.results.diff import DiffRow, RowKind

_BY = (RowKind.PHASE, RowKind.LAYER, RowKind.OP)


def timed_rows(before: Side, after: Side) -> Iterator[DiffRow]:
    """The step and its parts, then phases, layers and ops; the largest change first."""
    was, is_now = before.parts(), after.parts()
    if not was or not is_now:
        return
    step = was[PERIOD].level
    noise = before.query.run_noise
    yield from _rows(RowKind.STEP, was, is_now, step, noise)
    for kind in _BY:
        yield from _rows(kind, before.ops(kind.value), after.ops(kind.value), step, noise)


def noise_text(before: Side, after: Side) -> str | None:
    """Where the noise between runs is taken from; None where nothing was timed."""
    counts = len(before.measured), len(after.measured)
    if not all(counts):
        return None
    if tells_noise(*counts):
        return f"noise is that between {counts[0]} and {counts[1]} captures"
    return (
        f"of {_captures(counts)} the noise between runs is not known: "
        f"{share_text(before.query.run_noise)} is taken; "
        "`tfprof diff a1,a2,a3 b1,b2,b3` measures it"
    )


def _captures(counts: tuple[int, int]) -> str:
    return "one capture a side" if counts == (1, 1) else f"{counts[0]} and {counts[1]} captures"


def share_text(share: float) -> str:
    """10%, 2.5%."""
    return f"{100 * share:.3g}%"


def paired(was: Mapping[str, Samples], is_now: Mapping[str, Samples]) -> Pairs:
    """The rows of both sides; what one does not have took no time there."""
    return {
        name: (was.get(name) or _nothing(was), is_now.get(name) or _nothing(is_now))
        for name in dict.fromkeys((*was, *is_now))
    }


def _rows(
    kind: RowKind,
    was: Mapping[str, Samples],
    is_now: Mapping[str, Samples],
    step: float,
    noise: float,
) -> Iterator[DiffRow]:
    if not was or not is_now:
        return
    if kind is RowKind.LAYER:
        is_now = _under_the_names_of(was, is_now)
    pairs = paired(was, is_now)
    found = judged(pairs, step, noise, PERIOD)
    for name in sorted(pairs, key=lambda one: (one != PERIOD, -abs(found[one].change), one)):
        yield _row(kind, name, found[name])


def _under_the_names_of(
    was: Mapping[str, Samples], is_now: Mapping[str, Samples]
) -> dict[str, Samples]:
    """Numbers at their ends tell nothing."""
    found = matched({name: unnumbered(name) for name in was}, {n: unnumbered(n) for n in is_now})
    before = {after: name for name, after in found.renamed}
    return {before.get(name, name): samples for name, samples in is_now.items()}


def _nothing(side: Mapping[str, Samples]) -> Samples:
    """What a side does not have took no time, in as many steps as its other rows have."""
    return Samples([np.zeros(len(run)) for run in next(iter(side.values())).runs])


def _row(kind: RowKind, name: str, one: Judged) -> DiffRow:
    interval = None if one.low is None or one.high is None else (one.low, one.high)
    return DiffRow(
        kind,
        name,
        "time_us",
        one.before,
        one.after,
        one.change,
        interval,
        None if one.reason else one.significant,
        one.reason or None,
    )
