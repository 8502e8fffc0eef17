"""The best a GPU can do, from what its plane states of itself."""

from __future__ import annotations

from collections.abc import Mapping

from tfprof.model.device import DevicePeak
from tfprof.model.xspace import Plane
from tfprof.model.xstats import StatValue

_AMD = "amd"
# FLOPs a clock of one multiprocessor in float32, an FMA being two, without tensor cores, by
# compute capability: a version stands for those after it up to the next
_NVIDIA_FLOPS = {
    (2, 0): 64, (2, 1): 96, (3, 0): 384, (5, 0): 256, (6, 0): 128, (6, 1): 256, (7, 0): 128,
    (8, 0): 128, (8, 6): 256, (9, 0): 256,
}  # fmt: skip
_AMD_FLOPS = {(9, 0): 128, (9, 4): 256}


def peak_of(plane: Plane) -> DevicePeak | None:
    """Float32 without tensor cores, and memory; None where the plane does not say enough."""
    facts = plane.facts
    clock, cores = _number(facts, "clock_rate") * 1e3, _number(facts, "core_count")
    bandwidth = _number(facts, "memory_bandwidth")
    version = (
        int(_number(facts, "compute_cap_major")),
        int(_number(facts, "compute_cap_minor")),
    )
    is_amd = str(facts.get("device_vendor", "")).lower() == _AMD
    table = _AMD_FLOPS if is_amd else _NVIDIA_FLOPS
    each = [flops for since, flops in table.items() if since <= version]
    if not each or not clock or not cores or not bandwidth:
        return None
    return DevicePeak("gpu", clock * cores * each[-1], bandwidth)


def _number(facts: Mapping[str, StatValue], name: str) -> float:
    value = facts.get(name, 0)
    return float(value) if isinstance(value, int | float) and value > 0 else 0.0
