"""Slow steps, and what was different in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfprof.analyses.step_time.slow import Cause, SlowStep
from tfprof.model import units

_PS = 1_000_000  # picoseconds of a microsecond
# up to here, something took some times as long; from there on, it is something else
_TIMES = 5
_MORE = 1.5
_NAMED = 2


def slow_texts(slow: Sequence[SlowStep]) -> list[str]:
    """A sentence a step."""
    return [
        f"Step {one.window.number} took {units.duration(one.window.period / _PS)}, "
        f"{units.duration(one.extra / _PS)} more than usual: {why_slow(one)}."
        for one in slow
    ]


def slow_notes(slow: Sequence[SlowStep]) -> dict[int, str]:
    """By number of the step, short enough to stand beside a bar."""
    return {one.window.number: short_reason(one) for one in slow}


def why_slow(one: SlowStep) -> str:
    """What grew, and by which events."""
    grown = [
        f"{grown.category.label} +{units.duration(grown.extra / _PS)}"
        for grown in one.grown[:_NAMED]
    ]
    causes = _reasons(one)
    said = ", ".join(grown) or "nothing of its own grew much"
    return f"{said} ({'; '.join(causes)})" if causes else said


def short_reason(one: SlowStep) -> str:
    reasons = _reasons(one)
    if reasons:
        return reasons[0]
    if not one.grown:
        return "slow"
    return f"{one.grown[0].category.label} +{units.duration(one.grown[0].extra / _PS)}"


def _reasons(one: SlowStep) -> list[str]:
    reasons = []
    if one.all_ops is not None:
        reasons.append(f"all ops took {one.all_ops:.1f}x as long: the machine was busy")
    causes = one.causes or ()
    single = [cause_text(cause) for cause in causes[:_NAMED]]
    # where everything is slower, the largest ops are only the largest
    return reasons or single


def cause_text(cause: Cause) -> str:
    """One IteratorGetNext of 400 ms; 12 Conv2D instead of 4; Conv2D took 3.0x as long."""
    if cause.what.startswith("tracing of "):
        return f"{cause.what}, {units.duration(cause.time / _PS)}"
    if cause.time <= _TIMES * cause.usual_time and cause.count < _MORE * cause.usual_count:
        return f"{cause.what} took {cause.time / cause.usual_time:.1f}x as long"
    if cause.single:
        return f"one {cause.what} of {units.duration(cause.longest / _PS)}"
    if cause.count >= _MORE * max(cause.usual_count, 1):
        return f"{cause.count:,} {cause.what} instead of {cause.usual_count:,.0f}"
    return f"{cause.what}, {units.duration(cause.time / _PS)}"


def slow_data(slow: Sequence[SlowStep]) -> list[dict[str, Any]]:
    """`causes` is null for steps that were not looked into: only the slowest few are."""
    return [
        {
            "step": one.window.number,
            "period_us": one.window.period / _PS,
            "usual_us": one.usual / _PS,
            "grown": {grown.category.value: grown.extra / _PS for grown in one.grown},
            "all_ops_factor": one.all_ops,
            "causes": None if one.causes is None else [_cause_data(c) for c in one.causes],
        }
        for one in slow
    ]


def _cause_data(cause: Cause) -> dict[str, Any]:
    return {
        "what": cause.what,
        "category": cause.category.value,
        "count": cause.count,
        "usual_count": cause.usual_count,
        "time_us": cause.time / _PS,
        "usual_us": cause.usual_time / _PS,
        "longest_us": cause.longest / _PS,
    }
