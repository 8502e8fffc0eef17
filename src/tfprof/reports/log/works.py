"""Which runs do the same work: only these are compared. The rule is that of a difference."""

from __future__ import annotations

from collections.abc import Sequence

from tfprof.analyses.runtime.step_samples import ModelOps
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.known_run import KnownRun
from tfprof.reports.diff.same_work import differing, ran_alike, same_work, told_alike
from tfprof.results.diff import Likeness

# beside the work itself: what else makes times incomparable. A new version is what one looks for
_PLACES = ("devices", "hosts")
# of each work, its newest run stands for it; of so many works
_MOST_LOOKED_AT = 50


@frozen_dataclass
class Placed:
    """The number of its work, None where nothing is known of it; what told it from the last one."""

    work: int | None
    differs: str | None = None


def placed(runs: Sequence[KnownRun]) -> list[Placed]:
    """The oldest run first."""
    newest: dict[int, KnownRun] = {}
    found: list[Placed] = []
    for run in runs:
        if run.why is not None:
            found.append(Placed(None))
            continue
        work, differs = _work_of(run, newest)
        newest.pop(work, None)
        newest[work] = run  # the last one is that of now
        found.append(Placed(work, differs))
    return found


def _work_of(run: KnownRun, newest: dict[int, KnownRun]) -> tuple[int, str | None]:
    """The work of a run before, the newest first; else a new one, and what is new about it."""
    differs = None
    for at, work in enumerate(reversed(newest)):
        if at == _MOST_LOOKED_AT:
            break
        alike = likenesses_of(newest[work], run)
        if is_comparable(alike):
            return work, None
        if at == 0:
            # what is said in a few words says most
            told = sorted(differing(alike), key=len)
            differs = "; ".join(told) or "nothing tells that it is the same work"
    return len(newest) + 1, differs


def likenesses_of(before: KnownRun, after: KnownRun) -> tuple[Likeness, ...]:
    ran = ran_alike(_ops(before), _ops(after)) if before.ops or after.ops else None
    told = tuple(told_alike(before.facts, after.facts))
    return told if ran is None else (ran, *told)


def is_comparable(alike: tuple[Likeness, ...]) -> bool:
    around = [one for one in alike if one.what in _PLACES and one.same is False]
    return same_work(alike) is True and not around


def _ops(run: KnownRun) -> ModelOps:
    return ModelOps(
        {op: runs for op, (runs, _) in run.ops.items()},
        {op: share for op, (_, share) in run.ops.items()},
    )
