"""Steps that took much longer than the usual one, and what was different in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from tfprof.analyses.step_time.activity import PlaneActivities
from tfprof.analyses.step_time.category_codes import CATEGORIES
from tfprof.analyses.step_time.classify import Classified
from tfprof.model.medians import median_of, medians_of
from tfprof.results.categories import Category
from tfprof.results.host_steps import Cause, SlowStep
from tfprof.results.step_windows import StepWindow
from tfprof.wire.distinct import without

Ints = npt.NDArray[np.int64]

# a step is slow beyond so many robust standard deviations, and a tenth of the usual period
_DEVIATIONS = 3 * 1.4826
_LONGER = 1.1
_FEWEST_STEPS = 3
# what explains less of the extra time than this is not told
_WORTH_TELLING = 0.1
_CAUSES = 3
_COMPARED_WITH = 15
_MOST_EXPLAINED = 5
_ALL_OPS = (Category.HOST_MODEL, Category.DEVICE_COMPUTE_16, Category.DEVICE_COMPUTE_32)
_ALL_SLOWER = 1.2


def slow_rows(periods: Ints) -> Ints:
    """Which steps are outliers; of fewer than three steps, none can be told to be one."""
    if len(periods) < _FEWEST_STEPS:
        return np.zeros(0, np.int64)
    usual = median_of(periods)
    spread = median_of(np.abs(periods - usual))
    return np.flatnonzero((periods > usual + _DEVIATIONS * spread) & (periods >= _LONGER * usual))


def slow_steps(
    windows: Sequence[StepWindow], time: Ints, planes: Sequence[Classified]
) -> list[SlowStep]:
    """In the order of time. `time` has a row a step, a column a category, as a Breakdown has.

    The slowest few are explained by their events, compared with those of usual steps.
    """
    periods = np.array([window.period for window in windows], np.int64)
    slow = slow_rows(periods)
    if not len(slow):
        return []
    usual = int(median_of(periods))
    others = without(np.arange(len(periods)), slow)
    growth = time - medians_of(time[others], 0).astype(np.int64)
    explained = set(slow[np.argsort(-periods[slow], kind="stable")][:_MOST_EXPLAINED].tolist())
    compared = _Compared(windows, others, periods, planes)
    found = []
    for row in slow.tolist():
        number, period = windows[row].number, windows[row].period
        extra = period - usual
        grown = _grown(growth[row], extra)
        if row not in explained:
            found.append(SlowStep(number, period, usual, grown, None, None))
            continue
        changes = compared.changes(windows[row])
        causes, all_ops = _causes(changes, grown, extra), _all_ops(changes, extra)
        found.append(SlowStep(number, period, usual, grown, all_ops, causes))
    return found


def _grown(growth: Ints, extra: int) -> dict[Category, int]:
    grown = zip(CATEGORIES, growth.tolist(), strict=True)
    worth = [(category, more) for category, more in grown if more >= _WORTH_TELLING * extra]
    return dict(sorted(worth, key=lambda one: -one[1]))


# by label and category: how many, how long, the longest, whether the label tells what goes on
_Key = tuple[str, int]
_Sums = dict[_Key, tuple[int, int, int, bool]]


class _Compared:
    """What usual steps spend on each label; looked up once for all slow steps."""

    def __init__(
        self,
        windows: Sequence[StepWindow],
        others: Ints,
        periods: Ints,
        planes: Sequence[Classified],
    ) -> None:
        self._planes = [PlaneActivities(one) for one in planes]
        away = np.abs(periods[others] - median_of(periods[others]))
        near = others[np.argsort(away, kind="stable")][:_COMPARED_WITH]
        self._usual = [self._sums(windows[row]) for row in near.tolist()]

    def changes(self, window: StepWindow) -> list[Cause]:
        now = self._sums(window)
        return [
            Cause(
                label, CATEGORIES[category], count, self._median(0, label, category),
                time, int(self._median(1, label, category)), longest, telling,
            )
            for (label, category), (count, time, longest, telling) in now.items()
        ]  # fmt: skip

    def _median(self, column: int, label: str, category: int) -> float:
        none = 0, 0, 0, False
        return median_of([one.get((label, category), none)[column] for one in self._usual])

    def _sums(self, window: StepWindow) -> _Sums:
        found: _Sums = {}
        for plane in self._planes:
            did = plane.between(window.begin, window.until)
            keys = did.label.codes.astype(np.int64) * len(CATEGORIES) + did.category
            distinct, first, code = np.unique(keys, return_index=True, return_inverse=True)
            count = np.bincount(code, minlength=len(distinct))
            time, longest = np.zeros((2, len(distinct)), np.int64)
            np.add.at(time, code, did.own)
            np.maximum.at(longest, code, did.own)
            for at, key in enumerate(distinct.tolist()):
                label, category = divmod(key, len(CATEGORIES))
                name = did.label.table[label], category
                old = found.get(name, (0, 0, 0, False))
                found[name] = (
                    old[0] + int(count[at]),
                    old[1] + int(time[at]),
                    max(old[2], int(longest[at])),
                    bool(did.telling[first[at]]),
                )
        return found


def _causes(changes: list[Cause], grown: Iterable[Category], extra: int) -> tuple[Cause, ...]:
    """Of the categories that grew, else of any; frames only where nothing tells more."""
    where = {category: place for place, category in enumerate(grown)}
    worth = [one for one in changes if one.extra >= _WORTH_TELLING * extra]
    best = [one for one in worth if one.category in where and one.telling]
    best = best or [one for one in worth if one.telling] or worth
    best.sort(key=lambda one: (where.get(one.category, len(where)), -one.extra, one.what))
    return tuple(best[:_CAUSES])


def _all_ops(changes: list[Cause], extra: int) -> float | None:
    """How many times longer the same ops took; None where one type has most of it."""
    ops = [one for one in changes if one.category in _ALL_OPS and one.usual_count]
    usual, now = sum(one.usual_time for one in ops), sum(one.time for one in ops)
    if not usual or now - usual < _WORTH_TELLING * extra or now < _ALL_SLOWER * usual:
        return None
    same = all(one.count <= 1.1 * one.usual_count for one in ops)
    most = max(one.extra for one in ops)
    slower = sum(one.usual_time for one in ops if one.time >= _ALL_SLOWER * one.usual_time)
    return now / usual if same and 2 * most <= now - usual and 2 * slower >= usual else None
