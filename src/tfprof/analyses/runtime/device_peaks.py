"""The best a device can do: what its plane states of itself, and what its maker states of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tfprof.model.device import DevicePeak
from tfprof.model.known_devices import KnownDevice, built_like, called
from tfprof.model.xspace import Plane
from tfprof.model.xstats import StatValue

_AMD = "amd"
_NAMES = ("gpu_device_name", "device_type_string")
# FLOPs a clock of one multiprocessor in float32, an FMA being two, without tensor cores, by
# compute capability: a version stands for those after it up to the next
_NVIDIA_FLOPS = {
    (2, 0): 64, (2, 1): 96, (3, 0): 384, (5, 0): 256, (6, 0): 128, (6, 1): 256, (7, 0): 128,
    (8, 0): 128, (8, 6): 256, (9, 0): 256,
}  # fmt: skip
_AMD_FLOPS = {(9, 0): 128, (9, 4): 256}
_TERA, _GIGA = 1e12, 1e9


def peak_of(plane: Plane, *, half: bool = False) -> DevicePeak | None:
    """Float32 without tensor cores, and memory; None where the plane does not say enough.

    `half` asks for 16 bits on tensor cores, which a plane does not state, but its maker does.
    """
    known = known_device(plane)
    stated = _stated(plane) or _worked_out(plane)
    if known is None or stated is None:
        return stated if known is None else known.peak(half=half)
    if not half or _stated(plane) is not None:
        return replace(stated, name=known.name)
    best = known.peak(half=half)
    # an old driver may state a bandwidth that its memory exceeds
    moved = max(best.bytes, _number(plane.facts, "memory_bandwidth"))
    return DevicePeak(best.name, best.flops, moved)


def known_device(plane: Plane) -> KnownDevice | None:
    """By name, else by how it is built."""
    facts = plane.facts
    for key in _NAMES:
        if isinstance(facts.get(key), str) and (found := called(str(facts[key]))) is not None:
            return found
    cores = int(_number(facts, "core_count"))
    return built_like(_version(facts), cores, _number(facts, "memory_bandwidth"))


def _stated(plane: Plane) -> DevicePeak | None:
    """A TPU states it."""
    facts = plane.facts
    flops = _number(facts, "peak_teraflops_per_second") * _TERA
    moved = _number(facts, "peak_hbm_bw_gigabytes_per_second") * _GIGA
    name = str(facts.get("device_type_string") or "tpu")
    return DevicePeak(name, flops, moved) if flops and moved else None


def _worked_out(plane: Plane) -> DevicePeak | None:
    """Of a GPU, from its clock and its multiprocessors."""
    facts = plane.facts
    clock, cores = _number(facts, "clock_rate") * 1e3, _number(facts, "core_count")
    bandwidth = _number(facts, "memory_bandwidth")
    is_amd = str(facts.get("device_vendor", "")).lower() == _AMD
    table = _AMD_FLOPS if is_amd else _NVIDIA_FLOPS
    each = [flops for since, flops in table.items() if since <= _version(facts)]
    if not each or not clock or not cores or not bandwidth:
        return None
    return DevicePeak("gpu", clock * cores * each[-1], bandwidth)


def _version(facts: Mapping[str, StatValue]) -> tuple[int, int]:
    parts = ("compute_cap_major", "compute_cap_minor")
    return int(_number(facts, parts[0])), int(_number(facts, parts[1]))


def _number(facts: Mapping[str, StatValue], name: str) -> float:
    value = facts.get(name, 0)
    return float(value) if isinstance(value, int | float) and value > 0 else 0.0
