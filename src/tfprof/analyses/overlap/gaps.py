"""The longest stretches in which nothing ran that should, and what the host did meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tfprof.analyses.events.intervals import Intervals
from tfprof.analyses.step_time.activity import Activities, PlaneActivities
from tfprof.analyses.step_time.category_codes import code_of
from tfprof.model.medians import median_of
from tfprof.model.xspace import HOST_THREADS
from tfprof.results.categories import Category
from tfprof.results.host_steps import Did, Gap
from tfprof.results.step_windows import Steps, StepWindow
from tfprof.wire.distinct import distinct

Ints = npt.NDArray[np.int64]

# more types of ops than this are told as one
_FEW_TYPES = 3
# what covers less of a gap than this does not explain it
_WORTH_TELLING = 0.1
_EXPLAINED = 0.8
_DIDS = 3
_SAME_GAP = 0.5
# of a usual step: what is shorter is not worth asking about
_SHORTEST = 0.01
OPS = "ops of the model"
RUNTIME = "Python, runtime"
NOTHING = "nothing recorded"
# threads record all that TensorFlow does
OUTSIDE = "Python outside TensorFlow"


def longest_gaps(
    busy: Mapping[str, Intervals], host: Sequence[PlaneActivities], steps: Steps, most: int = 10
) -> list[Gap]:
    """`busy` is when each of those was at work whose gaps are looked for; the longest first."""
    windows = steps.windows
    periods = Intervals.union([one.begin for one in windows], [one.until for one in windows])
    shortest = _SHORTEST * median_of([one.period for one in windows])
    found = []
    for idle, begin, end in _told_once(busy, periods, most):
        if end - begin < shortest:
            continue
        step = _step_with_most(windows, begin, end)
        did = meanwhile(host, begin, end, steps.line)
        found.append(Gap(tuple(idle), begin, end - begin, step, tuple(did)))
    return found


def _told_once(
    busy: Mapping[str, Intervals], periods: Intervals, most: int
) -> list[tuple[list[str], int, int]]:
    """Devices that do nothing at about the same time have one gap together."""
    candidates: list[tuple[int, int, str]] = []
    for name, when in busy.items():
        idle = periods.minus(when)
        longest = np.argsort(-idle.lengths, kind="stable")[: most * len(busy)]
        starts, ends = idle.starts[longest].tolist(), idle.ends[longest].tolist()
        candidates += [(begin, end, name) for begin, end in zip(starts, ends, strict=True)]
    candidates.sort(key=lambda one: (one[0] - one[1], one[0], one[2]))
    told: list[tuple[list[str], int, int]] = []
    for begin, end, name in candidates:
        same = next((one for one in told if _same(one, begin, end, name)), None)
        if same is not None:
            same[0].append(name)
        elif len(told) < most:
            told.append(([name], begin, end))
    return told


def _same(told: tuple[list[str], int, int], begin: int, end: int, name: str) -> bool:
    """The one told is the longer one."""
    names, first, last = told
    common = min(end, last) - max(begin, first)
    return name not in names and common >= _SAME_GAP * (last - first)


def _step_with_most(windows: Sequence[StepWindow], begin: int, end: int) -> int:
    first = np.array([window.begin for window in windows], np.int64)
    last = np.array([window.until for window in windows], np.int64)
    common = np.minimum(last, end) - np.maximum(first, begin)
    return windows[int(common.argmax())].number


def meanwhile(host: Sequence[PlaneActivities], begin: int, end: int, line: int | None) -> list[Did]:
    """What covers most of the time first; where nothing tells more, which frame is open most.

    `line` is the thread that marks steps, whose frames count, those of others only where nothing
    else is told. Threads that prepare input in the background are left out: what the model waits
    for is in the wait.
    """
    length = end - begin
    told: list[Did] = []
    open_: list[Activities] = []
    anything = Intervals.none()
    for plane in host:
        found = plane.between(begin, end)
        found = found.where(found.category != code_of(Category.HOST_TF_DATA))
        anything = anything.join(Intervals.union(found.start, found.end))
        # frames enclose each other: together they are what Python and the runtime took
        frames = ~found.whole & (found.category != code_of(Category.COMPILATION))
        told += _told(found.where(~frames), length)
        open_.append(found.where(frames))
        if sum(one.share for one in told) < _EXPLAINED and line is not None:
            told += _frames(open_[-1].where(open_[-1].line == line), length)
    if length and 1 - anything.length / length >= _WORTH_TELLING:
        threads = any(plane.classified.plane.name == HOST_THREADS for plane in host)
        told.append(Did(OUTSIDE if threads else NOTHING, 1 - anything.length / length))
    told = told or [did for one in open_ for did in _frames(one, length)]
    told.sort(key=lambda one: (-one.share, one.what))
    return [one for one in told if one.share >= _WORTH_TELLING][:_DIDS] or told[:1]


def _told(found: Activities, length: int) -> Iterator[Did]:
    ops = found.category == code_of(Category.HOST_MODEL)
    types = distinct(found.label.codes[ops])
    if len(types) > _FEW_TYPES:
        mine = found.where(ops)
        yield Did(OPS, Intervals.union(mine.start, mine.end).length / length)
        found = found.where(~ops)
    for code in distinct(found.label.codes).tolist():
        mine = found.where(found.label.codes == code)
        # what is told by self time has others inside, which are told beside it
        lasted = Intervals.union(mine.start, mine.end).length
        own = int(mine.own.sum())
        yield Did(found.label.table[code], min(lasted, own) / length)


def _frames(found: Activities, length: int) -> Iterator[Did]:
    """What threads spent between events that tell more, and where most of it."""
    if len(found):
        own = np.zeros(len(found.label.table), np.int64)
        np.add.at(own, found.label.codes, found.own)
        most = found.label.table[int(own.argmax())]
        # where events overlap without enclosing each other, their self times do too
        lasted = Intervals.union(found.start, found.end).length
        yield Did(f"{RUNTIME}: {most}", min(lasted, int(own.sum())) / length)
