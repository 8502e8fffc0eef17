"""How much memory a run really took: the peak, what lived at it, and memory over time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from tfprof.analyses.graph.node_types import executed_types
from tfprof.analyses.memory_trace.devices import DeviceMemory, corners, op_types
from tfprof.analyses.memory_trace.over_time import over_time
from tfprof.analyses.memory_trace.session_memory import STEP_ALONE
from tfprof.analyses.memory_trace.usage import LARGE_BLOCKS_ONLY, Usage
from tfprof.errors import TfprofError
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.hosts import Hosts
from tfprof.model.profile import ProfileData
from tfprof.model.quantity import Quantity
from tfprof.reports.memory.asked_steps import estimator_of
from tfprof.reports.memory.estimated import held_of, missing_of
from tfprof.reports.memory.query import Query
from tfprof.reports.shared.missing_sizes import bytes_known
from tfprof.results.answered import Answered, answered
from tfprof.results.memory_trace import AllocatorState, MeasuredDevice, MeasuredMemory
from tfprof.results.times import Nanoseconds

_CURVE_POINTS = 1000
# estimating a graph of more nodes would take longer than reading the run
_LARGEST_IN_A_SECOND = 20_000
# memory is recorded from this level of the host tracer on
_MEMORY_LEVEL = 2
_NOT_TOLD_APART = "the allocator does not tell variables from the rest"
_NO_GRAPH = "a graph would tell the variables"
_SEVERAL = "several allocators: each says its own"
_ONE_RUN = "what was measured is one run: --estimate tells of other batches"
_OF_STEP = "Measured in the run; what it did not allocate, such as variables, is not in it."
_OF_ALLOCATOR = "Measured by the allocator: all that it handed out, variables included."


@frozen_dataclass
class _Estimate:
    """What the graph tells: the peak before the run, and the variables, by device."""

    peaks: Mapping[str, Quantity]
    held: Mapping[str, Quantity]
    missing: str


def measured(data: ProfileData, devices: Sequence[DeviceMemory]) -> Answered[MeasuredMemory]:
    types, curves = types_of(data), over_time(devices)
    found = {one.device: device_told(one, types) for one in devices}
    told = {name: replace(one, levels=curves.levels[name]) for name, one in found.items()}
    partial = any(one.highest.tells_large_blocks_only for one in devices)
    return answer_of(data, told, curves.points, partial=partial)


def answer_of(
    data: ProfileData,
    devices: Mapping[str, MeasuredDevice],
    points: tuple[Nanoseconds, ...],
    *,
    partial: bool,
) -> Answered[MeasuredMemory]:
    """With what the graph tells; `partial`: some allocator tells of large blocks only."""
    estimate = _estimate(data)
    found = {name: _with_variables(name, one, estimate) for name, one in devices.items()}
    peaks = estimate.peaks if estimate is not None else None
    result = MeasuredMemory("measured", found, (), None, None, points, peaks)
    of_steps = all(not one.is_whole for one in found.values())
    warnings = [*data.warnings, *_unknowns(found.values(), estimate)]
    of_allocator = f"At least so much: {LARGE_BLOCKS_ONLY}." if partial else _OF_ALLOCATOR
    notes = [*data.warnings, _OF_STEP if of_steps else of_allocator]
    return answered("memory", data, result, warnings, notes)


def why_none(hosts: Hosts) -> tuple[str, str]:
    """Why a run tells nothing of memory, and what to do."""
    if not hosts.captured:
        return (
            "what ran was recorded without its allocations",
            "Run metadata has them, of a run with RunOptions(trace_level=RunOptions.FULL_TRACE).",
        )
    levels = [level for host in hosts for level in host.known.levels]
    if levels and max(levels) < _MEMORY_LEVEL:
        return (
            f"the capture has no memory events: its host_tracer_level is {max(levels)}",
            f"They are recorded from host_tracer_level {_MEMORY_LEVEL} on.",
        )
    return (
        "the capture has no memory events",
        "On a CPU set TF_CPU_ALLOCATOR_USE_BFC=1 before TensorFlow starts, then capture again.",
    )


def _estimate(data: ProfileData) -> _Estimate | None:
    """None where it takes long or cannot be made."""
    if data.graph is None or len(data.graph) > _LARGEST_IN_A_SECOND:
        return None
    try:
        estimator = estimator_of(data, Query())
        found = estimator.at(1)
    except TfprofError:
        return None
    missing, of_variables = missing_of(estimator), held_of(estimator)
    return _Estimate(
        {device: bytes_known(one.expected, missing) for device, one in found.items()},
        {device: of_variables(size) for device, size in estimator.persistent.items()},
        missing,
    )


def types_of(data: ProfileData) -> Mapping[str, str]:
    """What a graph says of a node comes before what the trace says."""
    return {**op_types(data.hosts), **executed_types(data)}


def device_told(device: DeviceMemory, types: Mapping[str, str]) -> MeasuredDevice:
    """What a run tells, as far as that goes."""
    usage = device.highest
    whole = usage.before is not None
    times, levels = corners(usage, _CURVE_POINTS)
    allocators = {name: usage.of_allocator(name) for name in usage.allocators}
    states = [one.state for one in allocators.values()]
    return MeasuredDevice(
        usage.peak,
        Quantity.unknown(_NOT_TOLD_APART if whole else _NO_GRAPH),
        usage.measured_peak,
        Nanoseconds(usage.peak_ns),
        usage.peak_step,
        usage.taken_at_peak,
        _known(usage.baseline),
        usage.residue,
        usage.attributed,
        _known(usage.from_before),
        usage.lost,
        usage.reserved_since,
        states[0] if len(states) == 1 else AllocatorState.unknown(_SEVERAL),
        device.changes,
        tuple(replace(block, op=types.get(block.name or "")) for block in usage.live),
        tuple(zip(map(Nanoseconds, times.tolist()), levels.tolist(), strict=True)),
        tuple(step for one in device.stretches for step in one.steps_levels()),
        allocators,
        None,
        (),
        _into_step(usage),
        len(usage.blocks.alive_after(len(usage))),
        (),
    )


def _with_variables(
    name: str, device: MeasuredDevice, estimate: _Estimate | None
) -> MeasuredDevice:
    """Beside the peak of a run; in what a whole allocator holds they cannot be told apart."""
    if device.is_whole:
        return device
    held = Quantity.unknown(_NO_GRAPH)
    if estimate is not None:
        held = estimate.held.get(name, Quantity.derived(0))
    return replace(device, persistent_bytes=held, total_bytes=device.total_bytes + held)


def _known(value: int | None) -> Quantity:
    return Quantity.unknown(STEP_ALONE) if value is None else Quantity.measured(value)


def _into_step(usage: Usage) -> int | None:
    """How long after the beginning of its step the peak was; a run begins with its step."""
    inside = next((step for step in usage.steps if step.number == usage.peak_step), None)
    if inside is None:
        return None
    return usage.peak_ns - (inside.start_ns if usage.before is not None else 0)


def _unknowns(devices: Iterable[MeasuredDevice], estimate: _Estimate | None) -> list[str]:
    """Every null of the data, with its reason."""
    found = list(devices)
    live = [block for one in found for block in one.live_at_peak]
    said = [f"max_batch, safe_batch, interval, pieces, batches: {_ONE_RUN}"]
    if any(one.is_whole for one in found):
        said.append(f"persistent_bytes: {_NOT_TOLD_APART}")
    elif estimate is None:
        said.append(f"persistent_bytes, total_bytes: {_NO_GRAPH}")
    elif estimate.missing:
        said.append(f"persistent_bytes, total_bytes, estimated_peak_bytes: {estimate.missing}")
    if not all(one.is_whole for one in found):
        said.append(
            "baseline_bytes, before_capture_bytes, fragmentation, available_bytes, "
            f"lifetime_peak_bytes: {STEP_ALONE}"
        )
    if any(one.peak_step is None for one in found):
        said.append("peak_step: no step is marked around the peak")
    if any(block.name is None for block in live):
        said.append("name, op, kind of some blocks: the event names no op")
    if any(block.shape is None for block in live):
        said.append("shape, dtype of some blocks: the trace does not tell what lies in them")
    return said
