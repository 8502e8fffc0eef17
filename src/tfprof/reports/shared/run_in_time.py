"""The capture to look at in time, whatever kind of run was given."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tfprof.analyses.graph.node_types import written_types
from tfprof.errors import InputMissing
from tfprof.model.profile import ProfileData
from tfprof.model.remembered import parts_of, remembered
from tfprof.model.trace import Trace
from tfprof.model.xspace import Space

if TYPE_CHECKING:
    from tfprof.analyses.events.run_space import RunSpace

_LOG = "event file"
_OF_TF2 = ".v2"
_NO_RUN = (
    "A traced run is logged with writer.add_run_metadata(run_metadata, tag, global_step), or "
    "drawn by tf.train.ProfilerHook."
)
_NO_CAPTURE = (
    "profile_batch of Keras' TensorBoard counts executions: with steps_per_execution=8, forty "
    "batches are five. Name one that is reached, or call tf.profiler.experimental.start(logdir)."
)
_TRACE_HINT = "Run metadata of a session run, an XPlane capture or a Chrome trace has one."


def no_run(data: ProfileData, shows: str, hint: str) -> InputMissing:
    """What needs a run was asked where there is none; a log beside it tells that one was meant."""
    log = log_of(data)
    if log is None:
        return InputMissing(f"no run: {shows}", hint=hint)
    return InputMissing(
        f"no profile was written, this is a log without a run: {shows}",
        where=str(log),
        hint=why_no_profile(log),
    )


def log_of(data: ProfileData) -> Path | None:
    """The first event file."""
    return next((one.path for one in data.inputs if one.format == _LOG), None)


def why_no_profile(log: Path) -> str:
    """The writers of TensorFlow 2, Keras' callback among them, give their logs a version."""
    return _NO_CAPTURE if log.name.endswith(_OF_TF2) else _NO_RUN


def run_in_time(data: ProfileData, shows: str) -> RunSpace:
    """All hosts as one, to be drawn on one clock.

    `shows` is for the message: what needs a run, and shows what of it.
    """
    trace = data.trace
    if trace is None:
        raise no_run(data, shows, _TRACE_HINT)
    found = _in_time(data, trace)
    if not found.space.event_count:
        raise InputMissing("the run has no events: nothing to show", where=data.title)
    return found


def hosts_in_time(data: ProfileData, shows: str) -> Iterator[tuple[int, Space]]:
    """The capture of each host, with its rank; each when it is its turn."""
    check_events(data, shows)
    for one in data.hosts.on_one_clock:
        yield one.rank, _in_time(data, one.trace).space


def check_events(data: ProfileData, shows: str) -> None:
    """An error where there is no run, or nothing in it."""
    if not data.hosts:
        raise no_run(data, shows, _TRACE_HINT)
    if data.hosts.captured and not any(host.known.events for host in data.hosts):
        raise InputMissing("the run has no events: nothing to show", where=data.title)
    if not data.hosts.captured and not data.hosts.any_ops:
        raise InputMissing("the run has no events: nothing to show", where=data.title)


@remembered(lambda data, trace: ((trace, *parts_of(data)), ()))
def run_of_session(data: ProfileData, trace: Trace) -> RunSpace:
    """Of records without a capture."""
    from tfprof.analyses.events.run_space import run_space  # who has no run needs none of it

    return run_space(trace, written_types(data))


def _in_time(data: ProfileData, trace: Trace) -> RunSpace:
    from tfprof.analyses.events.run_space import RunSpace

    return RunSpace(trace.space, {}, {}) if trace.space else run_of_session(data, trace)
