"""How much memory a run really took: the peak, what lived at it, and memory over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tfprof.analyses.measured_memory.devices import DeviceMemory, measured_memory, op_types
from tfprof.answers.common import used_inputs
from tfprof.answers.executed_types import executed_types
from tfprof.answers.graph_estimate import graph_estimate
from tfprof.answers.measured_memory_data import device_data, unknowns
from tfprof.answers.measured_memory_text import facts, live_table, said_of
from tfprof.answers.memory import MemoryQuestion, memory
from tfprof.answers.memory_over_time import series_of
from tfprof.answers.what_if import Progress
from tfprof.errors import InputMissing
from tfprof.model.profile import ProfileData
from tfprof.model.trace import Trace
from tfprof.reports.shared.question import Question
from tfprof.views.result import Result
from tfprof.views.shapes import Facts, Notes, Part, Report, without_empty

_TABLES = 4
# memory is recorded from this level of the host tracer on
_MEMORY_LEVEL = 2


def memory_of(
    data: ProfileData,
    asked: MemoryQuestion,
    *,
    estimate: bool = False,
    progress: Progress | None = None,
) -> Result:
    """What a trace measured, unless the question is about something that did not run."""
    if data.trace is None or not asks_for_measurement(asked, estimate=estimate):
        return memory(data, asked, progress)
    if data.graph is None and data.keras is None:
        return measured(data, _devices(data, data.trace))
    devices = measured_memory(data.trace)
    if devices:
        return measured(data, devices)
    why, then = why_none(data.trace)
    return memory(replace(data, warnings=(*data.warnings, f"{why}. {then}")), asked, progress)


def measured_peaks(data: ProfileData) -> dict[str, int]:
    """By device; from run metadata the numbers of OpenAI's mem_util."""
    found = _devices(data, data.trace) if data.trace is not None else []
    return {one.device: one.peak for one in found}


def _devices(data: ProfileData, trace: Trace) -> list[DeviceMemory]:
    found = measured_memory(trace)
    if not found:
        why, then = why_none(trace)
        raise InputMissing(why, where=data.title, hint=then)
    return found


def asks_for_measurement(asked: MemoryQuestion, *, estimate: bool = False) -> bool:
    """Whether nothing is asked that only an estimate can answer."""
    return not estimate and asked == MemoryQuestion(Question())


def why_none(trace: Trace) -> tuple[str, str]:
    """Why a trace tells nothing of memory, and what to do."""
    if trace.space is None:
        return (
            "what ran was recorded without its allocations",
            "Run metadata has them, of a run with RunOptions(trace_level=RunOptions.FULL_TRACE).",
        )
    levels = [e.options.host_tracer_level for e in trace.space.environments.values() if e.options]
    if levels and max(levels) < _MEMORY_LEVEL:
        return (
            f"the capture has no memory events: its host_tracer_level is {max(levels)}",
            f"They are recorded from host_tracer_level {_MEMORY_LEVEL} on.",
        )
    return (
        "the capture has no memory events",
        "On a CPU set TF_CPU_ALLOCATOR_USE_BFC=1 before TensorFlow starts, then capture again.",
    )


def measured(data: ProfileData, devices: Sequence[DeviceMemory]) -> Result:
    types = _types(data)
    estimate = graph_estimate(data)
    highest = sorted(devices, key=lambda one: -one.peak)[:_TABLES]
    tables = [live_table(one, several=len(devices) > 1) for one in highest]
    shown: list[Part] = [Facts(list(facts(devices, estimate))), *tables, series_of(devices)]
    unknown = unknowns(devices, estimate)
    notes = Notes([*data.warnings, *said_of(devices)])
    content: dict[str, Any] = {
        "memory_kind": "measured",
        "devices": {one.device: device_data(one, types, estimate) for one in devices},
    }
    if estimate is not None:
        content["estimated_peak_bytes"] = dict(estimate.peaks)
    return Result(
        "memory",
        used_inputs(data),
        [*data.warnings, *unknown],
        content,
        Report(data.title, "", without_empty([*shown, notes])),
    )


def _types(data: ProfileData) -> Mapping[str, str]:
    """What a graph says of a node comes before what the trace says."""
    ran = op_types(data.trace) if data.trace is not None else {}
    return {**ran, **executed_types(data)}
