"""Slow steps, and what was different in them, in words."""

from __future__ import annotations

from collections.abc import Sequence

from tfprof.model import units
from tfprof.results.host_steps import Cause, SlowStep

# up to here, something took some times as long; from there on, it is something else
_TIMES = 5
_MORE = 1.5
_NAMED = 2


def slow_texts(slow: Sequence[SlowStep]) -> list[str]:
    """A sentence a step."""
    return [
        f"Step {one.step} took {units.duration_ps(one.period)}, "
        f"{units.duration_ps(one.extra)} more than usual: {_why_slow(one)}."
        for one in slow
    ]


def slow_notes(slow: Sequence[SlowStep]) -> dict[int, str]:
    """By number of the step, short enough to stand beside a bar."""
    return {one.step: _short_reason(one) for one in slow}


def _why_slow(one: SlowStep) -> str:
    """What grew, and by which events."""
    grown, causes = _grown(one), _reasons(one)
    said = ", ".join(grown[:_NAMED]) or "nothing of its own grew much"
    return f"{said} ({'; '.join(causes)})" if causes else said


def _short_reason(one: SlowStep) -> str:
    return next(iter([*_reasons(one), *_grown(one)]), "slow")


def _grown(one: SlowStep) -> list[str]:
    return [f"{what.label} +{units.duration_ps(extra)}" for what, extra in one.grown.items()]


def _reasons(one: SlowStep) -> list[str]:
    # where everything is slower, the largest ops are only the largest
    if one.all_ops is not None:
        return [f"all ops took {one.all_ops:.1f}x as long: the machine was busy"]
    return [_cause_text(cause) for cause in (one.causes or ())[:_NAMED]]


def _cause_text(cause: Cause) -> str:
    """One IteratorGetNext of 400 ms; 12 Conv2D instead of 4; Conv2D took 3.0x as long."""
    if cause.what.startswith("tracing of "):
        return f"{cause.what}, {units.duration_ps(cause.time)}"
    if cause.time <= _TIMES * cause.usual_time and cause.count < _MORE * cause.usual_count:
        return f"{cause.what} took {cause.time / cause.usual_time:.1f}x as long"
    if cause.single:
        return f"one {cause.what} of {units.duration_ps(cause.longest)}"
    if cause.count >= _MORE * max(cause.usual_count, 1):
        return f"{cause.count:,} {cause.what} instead of {cause.usual_count:,.0f}"
    return f"{cause.what}, {units.duration_ps(cause.time)}"
