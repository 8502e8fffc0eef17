"""What a program is called that waits for so much of its time."""

from __future__ import annotations

from tfprof.analyses.input_pipeline.limits import HIGHLY, MATTERS


def input_bound(share: float) -> str:
    if share >= HIGHLY:
        return "highly input-bound"
    return "moderately input-bound" if share >= MATTERS else "not input-bound"


def limit_passed(share: float) -> str:
    """The limit behind the word."""
    if share >= MATTERS:
        return f"≥ {HIGHLY if share >= HIGHLY else MATTERS:.0%}"
    return f"< {MATTERS:.0%}"
