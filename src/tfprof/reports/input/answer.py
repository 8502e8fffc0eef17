"""Whether the model waits for its data, and for which stage of the tf.data pipeline."""

from __future__ import annotations

from collections.abc import Iterator

from tfprof.analyses.input_pipeline.host_input import input_of_hosts
from tfprof.analyses.input_pipeline.session_input import session_input
from tfprof.analyses.steps.host_clock import OWN_STEPS
from tfprof.errors import InputMissing
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.graph import Graph
from tfprof.model.host_work import HostTask
from tfprof.model.hosts import Host
from tfprof.model.profile import ProfileData
from tfprof.model.remembered import Key, remembered
from tfprof.model.trace import Trace
from tfprof.model.xspace import Space
from tfprof.reports.input.partial import InputPartial
from tfprof.reports.input.words import notes
from tfprof.reports.shared.run_in_time import no_run, run_of_session
from tfprof.reports.shared.whole_hosts import with_whole_hosts
from tfprof.reports.shared.words import recognised
from tfprof.results.answered import Answered, answered
from tfprof.results.input import HostInput, InputResult
from tfprof.results.partial import ranked

_NO_STEPS = "no steps were found: waits are compared with the time from one call to the next"
_NO_ITERATORS = (
    "no iterator of tf.data was recorded: what the model reads is no tf.data.Dataset, or nothing "
    "was read during the capture"
)
_NO_STAGES = (
    "the model waited for input, but no iterator of tf.data was recorded: its stages are not known"
)
_LEVEL = (
    "no iterator of tf.data was recorded: host_tracer_level was {level}, and they are recorded "
    "from 2 on"
)
_NO_STAGES_OF_RUNS = (
    "bottleneck, hidden_us, work: the runs of sessions tell which op waited, not what made it wait"
)
_RECORDED_FROM = 2
_RECORDED_IN = "the input pipeline is recorded in captures of TensorFlow 2's profiler"
_CAPTURE_HINT = "tf.profiler.experimental.start(logdir) or Keras' TensorBoard callback makes one."


@frozen_dataclass
class Query:
    """There is nothing to choose."""


def ask(data: ProfileData, _query: Query) -> Answered[InputResult]:
    data = with_whole_hosts(data)
    recorded = data.hosts.recorded
    if recorded is not None:
        partial = InputPartial((_of_session(data, recorded),))
    else:
        partial = _of_hosts(data)
    warnings = [*data.warnings, *_warnings(partial)]
    result = partial.finish()
    said = [*warnings, *notes(result)]
    return answered("input", data, result, warnings, said, recognised=recognised(data))


def _asked(
    space: Space, first: int = 0, graph: Graph | None = None, *, functions: bool = True
) -> Key:
    return (space, graph), (first, functions)


@remembered(_asked)
def partial_of(
    space: Space, first: int = 0, graph: Graph | None = None, *, functions: bool = True
) -> InputPartial:
    """`first` is the rank of its first host; `graph` tells what fills a queue."""
    options = [one.options for one in space.environments.values() if one.options is not None]
    level = min((one.host_tracer_level for one in options), default=None)
    return InputPartial(tuple(input_of_hosts(space, first, graph, functions=functions)), level)


def _of_session(data: ProfileData, trace: Trace) -> HostInput:
    found = run_of_session(data, trace)
    host = session_input(found.space, 0, found.inputs, data.graph)
    if host is None:
        raise InputMissing(
            "no op of the runs takes elements from a queue or an iterator: nothing was waited for",
            hint="Data that is fed (feed_dict) is copied before a run begins, which is not traced.",
        )
    return host


def _of_hosts(data: ProfileData) -> InputPartial:
    if not data.hosts.captured:
        raise no_run(data, _RECORDED_IN, _CAPTURE_HINT)
    asked = input_task(data.graph)
    return data.hosts.merged(asked.key, _of_host, data.graph, about=asked.about)


def _of_host(host: Host, graph: Graph | None) -> InputPartial:
    space = host.trace.space
    return InputPartial() if space is None else partial_of(space, ranked(host.rank, 0), graph)


def input_task(graph: Graph | None) -> HostTask:
    """What a graph tells is no part of what is asked while hosts are read."""
    return HostTask("input", _of_host, (graph,), together=True, about=(graph,))


TASKS = (OWN_STEPS, input_task(None))


def _warnings(found: InputPartial) -> Iterator[str]:
    if any(host.fetches and not host.pipelines for host in found.hosts):
        yield _NO_STAGES_OF_RUNS
        return
    if any(host.pipelines for host in found.hosts):
        if all(host.marker_rule is None for host in found.hosts):
            yield _NO_STEPS
    elif found.level is not None and found.level < _RECORDED_FROM:
        yield _LEVEL.format(level=found.level)
    else:
        waited = any(host.waiting is not None and host.waiting.waited for host in found.hosts)
        yield _NO_STAGES if waited else _NO_ITERATORS
