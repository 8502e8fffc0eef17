"""A finding in words."""

from __future__ import annotations

from tfprof.model import units
from tfprof.results.advice import Finding, Gain, Severity, sentence

_LINES = 120


def in_a_line(one: Finding) -> str:
    """What to change first; of a hint its name. And what it gains."""
    first = one.told.changes[0].advice.partition("; ")[0].rstrip(".")
    if len(first) > _LINES:  # there is one screen, for more than this
        first = first.partition(". ")[0]
    what = sentence(first) if one.severity is Severity.PROBLEM else one.rule
    gain = f" ({_difference(one.gain)})" if one.gain is not None else ""
    return f"{what}{gain}:"


def gain_text(one: Finding) -> str:
    gain = one.gain
    if gain is None:
        return f"? {one.gain_reason}"
    return f"{_difference(gain)}, {gain.share:.0%} less; {gain.kind.value}: {gain.model}"


def _difference(gain: Gain) -> str:
    metric = gain.metric.rpartition("_")[0].replace("_", " ")
    return f"{metric} {_amount(gain, gain.before)} → {_amount(gain, gain.after)}"


def _amount(gain: Gain, value: float) -> str:
    """By the end of the name of the metric."""
    return units.size(value) if gain.metric.endswith("_bytes") else units.duration(value)
