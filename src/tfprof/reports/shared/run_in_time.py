"""The capture to look at in time, whatever kind of run was given."""

from __future__ import annotations

from tfprof.analyses.events.run_space import RunSpace, run_space
from tfprof.analyses.graph.node_types import written_types
from tfprof.errors import InputMissing
from tfprof.model.profile import ProfileData
from tfprof.model.trace import Trace
from tfprof.model.xspace import Space

_TRACE_HINT = "Run metadata of a session run, an XPlane capture or a Chrome trace has one."


def run_in_time(data: ProfileData, shows: str) -> RunSpace:
    """All hosts as one, to be drawn on one clock.

    `shows` is for the message: what needs a run, and shows what of it.
    """
    trace = data.trace
    if trace is None:
        raise InputMissing(f"no run: {shows}", hint=_TRACE_HINT)
    found = _in_time(data, trace)
    if not found.space.event_count:
        raise InputMissing("the run has no events: nothing to show", where=data.title)
    return found


def hosts_in_time(data: ProfileData, shows: str) -> list[tuple[int, Space]]:
    """The capture of each host, with its rank."""
    if not data.hosts:
        raise InputMissing(f"no run: {shows}", hint=_TRACE_HINT)
    found = [(one.rank, _in_time(data, one.trace).space) for one in data.hosts.on_one_clock]
    if not any(space.event_count for _, space in found):
        raise InputMissing("the run has no events: nothing to show", where=data.title)
    return found


def run_of_session(data: ProfileData, trace: Trace) -> RunSpace:
    """Of records without a capture."""
    return run_space(trace, written_types(data))


def _in_time(data: ProfileData, trace: Trace) -> RunSpace:
    return RunSpace(trace.space, {}, {}) if trace.space else run_of_session(data, trace)
