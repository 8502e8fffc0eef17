"""Which of the steps of a run is a usual one."""

from __future__ import annotations

from collections.abc import Sequence

from tfprof.results.step_windows import StepWindow


def typical(windows: Sequence[StepWindow]) -> StepWindow | None:
    """The step in the middle by duration; of an even number the shorter one."""
    ordered = sorted(windows, key=lambda window: (window.duration, window.begin))
    return ordered[(len(ordered) - 1) // 2] if ordered else None
