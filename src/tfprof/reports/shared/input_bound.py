"""What a program is called that waits for so much of its time."""

from __future__ import annotations

import math
from collections.abc import Mapping

from tfprof.model import units
from tfprof.results.categories import Category
from tfprof.results.input_bound import HIGHLY, MATTERS

NO_OPS = "neither ops nor waits were recorded: they are from host_tracer_level 2 on"
_SLICES = 3
_UNEXPLAINED = 0.03
# there are no events behind these two
REST = (Category.OTHER, Category.IDLE)


def is_input_bound(share: float | None) -> bool:
    return share is not None and share >= MATTERS


def input_bound(share: float) -> str:
    if share >= HIGHLY:
        return "highly input-bound"
    return "moderately input-bound" if share >= MATTERS else "not input-bound"


def limit_passed(share: float) -> str:
    """The limit behind the word."""
    if share >= MATTERS:
        return f"≥ {HIGHLY if share >= HIGHLY else MATTERS:.0%}"
    return f"< {MATTERS:.0%}"


def bound_text(average: Mapping[Category, float], share: float | None) -> str:
    """What to call an average step; `share` is what of it waits, if that is known."""
    if share is None:
        return NO_OPS
    dark = sum(average[category] for category in REST)
    if share < MATTERS and dark >= _UNEXPLAINED * math.fsum(average.values()):
        return f"{input_bound(share)}, as far as it was recorded"
    return input_bound(share)


def step_text(average: Mapping[Category, float], share: float | None) -> str:
    """An average step in a line: its largest slices, and whether it waits for input."""
    whole = math.fsum(average.values())
    largest = sorted(average.items(), key=lambda item: -item[1])[:_SLICES]
    slices = [f"{units.share(time, whole)} {one.label}" for one, time in largest if time]
    return f"{', '.join(slices)}: {bound_text(average, share)}"
