"""From which share of waiting on a program is called input-bound: XProf's words and limits."""

from __future__ import annotations

from tfprof.analyses.input_pipeline.bottleneck import MATTERS

HIGHLY, MODERATELY = 0.20, MATTERS


def input_bound(share: float) -> str:
    if share >= HIGHLY:
        return "highly input-bound"
    return "moderately input-bound" if share >= MODERATELY else "not input-bound"


def limit_passed(share: float) -> str:
    """The limit behind the word."""
    if share >= MODERATELY:
        return f"≥ {HIGHLY if share >= HIGHLY else MODERATELY:.0%}"
    return f"< {MODERATELY:.0%}"
