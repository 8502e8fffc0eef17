"""Whether the model waits for its data, and for which stage of the tf.data pipeline."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tfprof.analyses.input_pipeline.found import FoundPipeline, HostInput, input_of_hosts
from tfprof.answers.common import folded, recognised, used_inputs, written_by
from tfprof.answers.input_advice import changes
from tfprof.answers.input_data import (
    PS,
    name_of,
    pipelines_data,
    stages_data,
    waiting_data,
    work_data,
)
from tfprof.answers.input_words import (
    bottleneck_text,
    budget_text,
    function_table,
    notes,
    stage_table,
    verdict,
    waiting_text,
)
from tfprof.errors import InputMissing
from tfprof.model.profile import ProfileData
from tfprof.model.xspace import Space
from tfprof.views.result import Result
from tfprof.views.shapes import Facts, Notes, Part, Report, without_empty

_SHOWN = 3
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
_RECORDED_FROM = 2


def input_answer(data: ProfileData) -> Result:
    space = _space(data)
    hosts = list(input_of_hosts(space))
    found = [pipeline for host in hosts for pipeline in host.pipelines]
    warnings = [*data.warnings, *_warnings(space, hosts)]
    parts: list[Part] = [Facts(list(_facts(hosts)))]
    for number, one in enumerate(found[:_SHOWN], 1):
        title = f"stage of {number}" if len(found) > 1 else "stage"
        parts += [stage_table(one, title), function_table(one)]
    said = [*warnings, *notes(hosts)]
    if len(found) > _SHOWN:
        said.append(folded(len(found) - _SHOWN) + " pipelines: --json has them all.")
    parts.append(Notes(said))
    subtitle = recognised(data.inputs) + written_by(data)
    report = Report(data.title, subtitle, without_empty(parts))
    return Result("input", used_inputs(data), warnings, lambda: _data(hosts), report)


def _space(data: ProfileData) -> Space:
    trace = data.trace
    if trace is None or trace.space is None:
        what = "run metadata has no events of tf.data" if trace is not None else "no run"
        raise InputMissing(
            f"{what}: the input pipeline is recorded in captures of TensorFlow 2's profiler",
            hint="tf.profiler.experimental.start(logdir) or Keras' TensorBoard callback makes one.",
        )
    return trace.space


def _warnings(space: Space, hosts: list[HostInput]) -> Iterator[str]:
    if not any(host.pipelines for host in hosts):
        options = [one.options for one in space.environments.values() if one.options is not None]
        levels = [one.host_tracer_level for one in options]
        low = [level for level in levels if level < _RECORDED_FROM]
        waited = any(host.waiting is not None and host.waiting.waited for host in hosts)
        unseen = _NO_STAGES if waited else _NO_ITERATORS
        yield _LEVEL.format(level=low[0]) if low else unseen
    elif not any(host.steps.windows for host in hosts):
        yield _NO_STEPS


def _facts(hosts: list[HostInput]) -> Iterator[tuple[str, str]]:
    several = len(hosts) > 1
    for host in hosts:
        if host.waiting is not None and (host.pipelines or host.waiting.waited):
            of = f"{host.host}: " if several else ""
            yield "Waiting", of + waiting_text(host.waiting)
    found = [pipeline for host in hosts for pipeline in host.pipelines]
    for number, one in enumerate(found[:_SHOWN], 1):
        yield from _pipeline_facts(one, f" {number}" if len(found) > 1 else "")


def _pipeline_facts(found: FoundPipeline, number: str) -> Iterator[tuple[str, str]]:
    yield f"Pipeline{number}", budget_text(found)
    yield "Bottleneck", bottleneck_text(found)
    for text in changes(found):
        yield "Change", text


def _data(hosts: list[HostInput]) -> dict[str, Any]:
    found = [pipeline for host in hosts for pipeline in host.pipelines]
    # of several pipelines, that of the one the model waits for most
    slow = [name for name in map(name_of, found) if name is not None]
    first = next((host.waiting for host in hosts if host.waiting is not None), None)
    hidden = next((host.hidden for host in hosts if host.hidden is not None), None)
    return {
        "stages": stages_data(hosts),
        "bottleneck": slow[0] if slow else None,
        **waiting_data(first),
        "hidden_us": hidden.waited / PS if hidden is not None else None,
        "verdict": verdict(first.share) if first is not None else None,
        "marker_rule": next((host.steps.rule for host in hosts if host.steps.windows), None),
        "pipelines": pipelines_data(hosts),
        "work": work_data(hosts),
        "device_side": sum(host.device_side for host in hosts),
    }
