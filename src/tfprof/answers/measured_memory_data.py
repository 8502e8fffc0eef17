"""Measured memory as data: every number of every device, and why some are unknown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tfprof.analyses.measured_memory.devices import DeviceMemory, corners
from tfprof.analyses.measured_memory.usage import Block, Usage
from tfprof.answers.graph_estimate import Estimate

_CURVE_POINTS = 1000


def variables_of(device: DeviceMemory, estimate: Estimate | None) -> int | None:
    """Beside the peak of a run; in what a whole allocator holds they cannot be told apart."""
    if estimate is None or device.highest.before is not None:
        return None
    return estimate.held.get(device.device, 0)


def unknowns(devices: Sequence[DeviceMemory], estimate: Estimate | None) -> list[str]:
    """Every null of the data, with its reason."""
    said = []
    if any(one.highest.before is not None for one in devices):
        said.append("persistent_bytes: the allocator does not tell variables from the rest")
    elif estimate is None:
        said.append("persistent_bytes, total_bytes: a graph would tell the variables")
    if any(one.highest.before is None for one in devices):
        said.append(
            "baseline_bytes, before_capture_bytes, fragmentation, available_bytes, "
            "lifetime_peak_bytes: run metadata tells of the step alone"
        )
    if any(one.highest.peak_step is None for one in devices):
        said.append("peak_step: no step is marked around the peak")
    if any(block.name is None for one in devices for block in one.highest.live):
        said.append("name, op, kind of some blocks: the event names no op")
    if any(block.shape is None for one in devices for block in one.highest.live):
        said.append("shape, dtype of some blocks: the trace does not tell what lies in them")
    return said


def device_data(
    device: DeviceMemory, types: Mapping[str, str], estimate: Estimate | None
) -> dict[str, Any]:
    usage = device.highest
    held = variables_of(device, estimate)
    total = usage.peak if usage.before is not None else None
    times, levels = corners(usage, _CURVE_POINTS)
    states = [usage.state(name, usage.at_peak) for name in usage.allocators]
    one = states[0] if len(states) == 1 else None
    return {
        "peak_bytes": usage.peak,
        "persistent_bytes": held,
        "total_bytes": usage.peak + held if held is not None else total,
        "peak_us": usage.peak_ns / 1000,
        "peak_step": usage.peak_step,
        "peak_at": _taken_at_peak(usage),
        "baseline_bytes": usage.baseline,
        "residue_bytes": usage.residue,
        "attributed_bytes": usage.attributed,
        "before_capture_bytes": usage.from_before,
        "lost_bytes": usage.lost,
        "fragmentation": one.fragmentation if one else None,
        "available_bytes": one.available if one else None,
        "lifetime_peak_bytes": one.lifetime_peak if one else None,
        "events": device.changes,
        "live_at_peak": [_block_data(block, types) for block in usage.live],
        "curve": [
            [time / 1000, level]
            for time, level in zip(times.tolist(), levels.tolist(), strict=True)
        ],
        "steps": steps_data(device),
        "allocators": {
            name: {
                "peak_bytes": most,
                "events": count,
                "fragmentation": state.fragmentation,
                "available_bytes": state.available,
                "lifetime_peak_bytes": state.lifetime_peak,
            }
            for name, state in zip(usage.allocators, states, strict=True)
            for count, most in [usage.of_allocator(name)]
        },
    }


def _taken_at_peak(usage: Usage) -> str | None:
    """The op whose block made the peak."""
    made = (usage.blocks.taken == usage.at_peak - 1).nonzero()[0].tolist()
    return usage.describe(made[0]).name if made else None


def _block_data(block: Block, types: Mapping[str, str]) -> dict[str, Any]:
    return {
        "name": block.name,
        "op": types.get(block.name or ""),
        "kind": block.kind,
        "bytes": block.bytes,
        "shape": None if block.shape is None else list(block.shape),
        "dtype": block.dtype,
        "allocator": block.allocator,
    }


def steps_data(device: DeviceMemory) -> list[dict[str, Any]]:
    return [
        {
            "step": step.number,
            "start_bytes": start,
            "peak_bytes": highest,
            "end_bytes": end,
        }
        for usage in device.stretches
        for step, start, highest, end in usage.steps_levels()
    ]
