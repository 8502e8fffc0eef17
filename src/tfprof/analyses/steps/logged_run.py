"""The rate of a whole run from what it logged: steps and the times on the wall they were logged at.

Between two points of a log lies a stretch of steps. A stretch in which a step was traced or a
checkpoint was saved takes longer than the others: by how much tells what that costs.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.late_pattern import late_pattern
from tfprof.model.event_scalars import EventScalars, SavedCheckpoint, ScalarSeries
from tfprof.model.medians import median_of
from tfprof.model.quantity import Quantity
from tfprof.results.logged_run import LoggedLoss, LoggedRun, LoggedSaving, LoggedTracing

_RATE = "global_step/sec"
_OF_EPOCHS = ("epoch_", "evaluation_")
_CHANGE = 2
_A_LOSS = late_pattern(r"loss(_\d{1,9})?$", re.IGNORECASE)
_LOSSES = ("loss", "epoch_loss", "batch_loss", "total_loss")
_MICROS = 1e6
# fewer stretches than this have no usual length
_USUAL = 3
# Saver puts the global step into this name; others count their saves
_BY_STEP = "model.ckpt-"
_CLOSE_S = 2.0
_MOST_SAVES, _NOTICED_S = 200, 1e-3
# less than this between two points is no time that anything took
_SHORTEST_S = 1e-6


@frozen_dataclass
class _Stretch:
    """Steps after `first` up to `last`."""

    first: int
    last: int
    begin_s: float
    end_s: float

    @property
    def seconds(self) -> float:
        return self.end_s - self.begin_s

    @property
    def a_step(self) -> float:
        return self.seconds / (self.last - self.first)

    def holds_any(self, steps: Sequence[int]) -> bool:
        """Of steps that rise."""
        return bisect_right(steps, self.last) > bisect_right(steps, self.first)


def logged_run(
    logs: Sequence[EventScalars],
    traced: Collection[int] = (),
    saves: Sequence[SavedCheckpoint] = (),
) -> LoggedRun | None:
    """`traced` are steps that are known to be traced from elsewhere; None where nothing tells."""
    group = _fullest_folder(logs)
    tag = _clock_of(group)
    if tag is None:
        return None
    stretches = [one for log in group if tag in log.series for one in _stretches(log.series[tag])]
    if not stretches:
        return None
    steps = sorted({*traced, *(step for log in group for step in log.traced)})
    rates = _rates(group)
    seconds = sum(one.seconds for one in stretches)
    count = sum(one.last - one.first for one in stretches)
    rate = Quantity.measured(median_of(rates)) if rates else Quantity.derived(count / seconds)
    epochs = tag.startswith(_OF_EPOCHS)
    return LoggedRun(
        "epoch" if epochs else "step",
        _RATE if rates else tag,
        rate,
        median_of([one.a_step for one in stretches]) * _MICROS,
        min(one.first for one in stretches),
        max(one.last for one in stretches),
        seconds * _MICROS,
        sum(tag in log.series for log in group),
        None if epochs else _tracing(stretches, steps),
        None if epochs else _saving(stretches, steps, saves),
        _loss(group),
    )


def _fullest_folder(logs: Sequence[EventScalars]) -> list[EventScalars]:
    """Evaluation logs to a folder of its own: what was logged most often is the training.

    In the order of their sessions.
    """
    sizes: dict[Path, int] = {}
    for log in logs:
        found = sum(len(one) for one in log.series.values())
        sizes[log.path.parent] = sizes.get(log.path.parent, 0) + found
    if not sizes:
        return []
    fullest = max(sizes, key=lambda folder: sizes[folder])
    mine = [log for log in logs if log.path.parent == fullest]
    return sorted(mine, key=lambda log: min(float(one.wall_s[0]) for one in log.series.values()))


def _clock_of(group: Sequence[EventScalars]) -> str | None:
    """The tag with the most points; of epochs only where nothing counts steps."""
    counts: dict[str, int] = {}
    for log in group:
        for tag, series in log.series.items():
            counts[tag] = counts.get(tag, 0) + len(series)
    several = {tag: count for tag, count in counts.items() if count > 1}
    of_steps = {tag: n for tag, n in several.items() if not tag.startswith(_OF_EPOCHS)}
    chosen = of_steps or several
    return max(chosen, key=lambda tag: chosen[tag]) if chosen else None


def _stretches(series: ScalarSeries) -> Iterator[_Stretch]:
    """Where steps and time go on; a step that comes again begins anew."""
    points = zip(series.step.tolist(), series.wall_s.tolist(), strict=True)
    for (first, begin), (last, end) in pairwise(points):
        if last > first and end - begin >= _SHORTEST_S:
            yield _Stretch(first, last, begin, end)


def _rates(group: Sequence[EventScalars]) -> list[float]:
    found = [log.series[_RATE].value for log in group if _RATE in log.series]
    whole = np.concatenate(found) if found else np.zeros(0)
    return [rate for rate in whole.tolist() if np.isfinite(rate) and rate > 0]


def _tracing(stretches: Sequence[_Stretch], steps: Sequence[int]) -> LoggedTracing | None:
    traced = [one for one in stretches if one.holds_any(steps)]
    usual = [one.a_step for one in stretches if not one.holds_any(steps)]
    if not traced or len(usual) < _USUAL:
        return None
    with_it, without = median_of([one.a_step for one in traced]), median_of(usual)
    share = Quantity.estimated(with_it / without - 1)
    return LoggedTracing(with_it * _MICROS, without * _MICROS, share, len(traced))


def _saving(
    stretches: Sequence[_Stretch], steps: Sequence[int], saves: Sequence[SavedCheckpoint]
) -> LoggedSaving | None:
    """By the stretches before and after a save: it comes first or last at its step."""
    near = {one.number: _around(one, stretches) for one in saves[-_MOST_SAVES:]}
    held = {at for places in near.values() for at in places}
    usual = [
        one.a_step
        for at, one in enumerate(stretches)
        if at not in held and not one.holds_any(steps)
    ]
    if len(usual) < _USUAL:
        return None
    a_step = median_of(usual)
    longer = [
        max(stretches[at].seconds - a_step * (stretches[at].last - stretches[at].first)
            for at in places)
        for places in near.values()
        if places
    ]  # fmt: skip
    if not longer or median_of(longer) < _NOTICED_S:
        return None
    return LoggedSaving(Quantity.estimated(median_of(longer) * _MICROS), len(longer))


def _around(save: SavedCheckpoint, stretches: Sequence[_Stretch]) -> list[int]:
    """The stretches that a save is in, or between; by its step, else by when it was written."""
    if save.path.name.startswith(_BY_STEP):
        return [at for at, one in enumerate(stretches) if one.first <= save.number <= one.last]
    return [
        at
        for at, one in enumerate(stretches)
        if one.begin_s - _CLOSE_S <= save.modified <= one.end_s + _CLOSE_S
        and one.first <= save.number <= one.last
    ]


def _loss(group: Sequence[EventScalars]) -> LoggedLoss | None:
    tags = list(dict.fromkeys(tag for log in group for tag in log.series))
    named = [tag for tag in _LOSSES if tag in tags]
    named += [tag for tag in tags if _A_LOSS.search(tag)]
    if not named:
        return None
    parts = [log.series[named[0]] for log in group if named[0] in log.series]
    if sum(map(len, parts)) < _CHANGE:
        return None
    first, last = parts[0], parts[-1]
    return LoggedLoss(
        named[0],
        _finite(first.value[0]),
        _finite(last.value[-1]),
        int(first.step[0]),
        int(last.step[-1]),
    )


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
