"""The capture to look at in time, whatever kind of run was given."""

from __future__ import annotations

from tfprof.analyses.executed_types import written_types
from tfprof.analyses.timeline.run_space import RunSpace, run_space
from tfprof.errors import InputMissing
from tfprof.model.profile import ProfileData

_TRACE_HINT = "Run metadata of a session run, an XPlane capture or a Chrome trace has one."


def run_in_time(data: ProfileData, shows: str) -> RunSpace:
    """`shows` is for the message: what needs a run, and shows what of it."""
    trace = data.trace
    if trace is None:
        raise InputMissing(f"no run: {shows}", hint=_TRACE_HINT)
    found = RunSpace(trace.space, {}, {}) if trace.space else run_space(trace, written_types(data))
    if not found.space.event_count:
        raise InputMissing("the run has no events: nothing to show", where=data.title)
    return found
