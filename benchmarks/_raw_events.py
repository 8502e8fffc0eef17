"""What the raw events of captures say, read with TensorFlow's own messages and nothing of tfprof.

For the rows of benchmarks/accelerators.py whose truth hangs on which clock or which ops are meant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

# products of matrices that XLA hands to a library; their shapes tell the FLOPs
_PRODUCT = "__cublas$gemm"


@cache
def _planes(path: Path) -> list[Any]:
    from tensorflow.tsl.profiler.protobuf import xplane_pb2

    space = xplane_pb2.XSpace()
    space.ParseFromString(path.read_bytes())
    return list(space.planes)


def _stats(plane: Any, holder: Any) -> dict[str, Any]:
    found = {}
    for stat in holder.stats:
        kind = stat.WhichOneof("value")
        value = getattr(stat, kind) if kind else None
        if kind == "ref_value":
            value = plane.stat_metadata[value].name
        found[plane.stat_metadata[stat.metadata_id].name] = value
    return found


# --- a TPU ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Fusions:
    """Of one core: bytes a second by its own clock and by the events' durations; events of 0 ps."""

    by_device: float
    by_host: float
    events: int
    of_no_time: int
    peak: float


def fusions(path: Path) -> Iterator[Fusions]:
    """`bytes_accessed` of every execution of a loop fusion, by both times that an event has."""
    for plane in _planes(path):
        if not plane.name.startswith("/device:TPU"):
            continue
        known = {key: _stats(plane, one) for key, one in plane.event_metadata.items()}
        moved = device = host = events = of_no_time = 0
        for line in plane.lines:
            for event in line.events if line.name == "XLA Ops" else ():
                told = known[event.metadata_id]
                if told.get("hlo_category") != "loop fusion":
                    continue
                moved += told["bytes_accessed"]
                device += _stats(plane, event)["device_duration_ps"]
                host += event.duration_ps
                events += 1
                of_no_time += event.duration_ps == 0
        peak = _stats(plane, plane)["peak_hbm_bw_gigabytes_per_second"]
        yield Fusions(moved / device * 1e3, moved / host * 1e3, events, of_no_time, peak)


def bandwidth(path: Path) -> Mapping[str, float]:
    """GB/s of all cores by their own clocks, and percent of what their memory can do."""
    cores = list(fusions(path))
    mean = len(cores) / sum(1 / one.by_device for one in cores)
    return {"fusions GB/s": mean, "of HBM": 100 * mean / cores[0].peak}


def why_not_by_host(path: Path) -> str:
    """What the other times of the events give, which had been taken for the truth, and why not."""
    cores = list(fusions(path))
    low, high = min(one.by_host for one in cores), max(one.by_host for one in cores)
    peak = cores[0].peak
    return (
        f"by duration_ps, which is set to the clock of the host, cores do {low:,.0f} to "
        f"{high:,.0f} GB/s ({100 * low / peak:.0f} to {100 * high / peak:.0f} %); but "
        f"{sum(one.of_no_time for one in cores)} of {sum(one.events for one in cores):,} of these "
        "events then move gigabytes in 0 ps. By device_duration_ps, the core's own, none does"
    )


# --- XLA on a GPU ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HloTime:
    """Kernel time of one instruction; `target` is that of a custom call."""

    name: str
    opcode: str
    target: str
    took_ps: int


def instructions(path: Path, module: str) -> list[HloTime]:
    """The instructions of a program that launched kernels on the first GPU."""
    told = _instructions(path, module)
    took: Counter[str] = Counter()
    for plane in _planes(path):
        for line in plane.lines if plane.name == "/device:GPU:0" else ():
            for event in line.events:
                took[_stats(plane, event)["hlo_op"]] += event.duration_ps
    return [HloTime(name, *told[name], time) for name, time in took.items()]


def _instructions(path: Path, module: str) -> dict[str, tuple[str, str]]:
    from tensorflow.compiler.xla.service import hlo_pb2

    for plane in _planes(path):
        for one in plane.event_metadata.values() if plane.name == "/host:metadata" else ():
            if one.name.startswith(f"{module}("):
                proto = hlo_pb2.HloProto()
                proto.ParseFromString(_stats(plane, one)["Hlo Proto"])
                return {
                    made.name: (made.opcode, made.custom_call_target)
                    for computation in proto.hlo_module.computations
                    for made in computation.instructions
                }
    raise LookupError(module)


def without_flops(path: Path) -> Mapping[str, float]:
    """Percent of kernel time in custom calls that are no product of matrices."""
    found = instructions(path, "jit_loss_fn")
    lost = sum(one.took_ps for one in _custom_calls(found) if one.target != _PRODUCT)
    return {"time without FLOPs": 100 * lost / sum(one.took_ps for one in found)}


def why_not_all_custom_calls(path: Path) -> str:
    found = instructions(path, "jit_loss_fn")
    whole = sum(one.took_ps for one in found)
    calls = _custom_calls(found)
    products = [one for one in calls if one.target == _PRODUCT]
    return (
        f"all custom calls are {100 * sum(one.took_ps for one in calls) / whole:.1f} %, which "
        f"had been told; {', '.join(one.name for one in products)} of them "
        f"({100 * sum(one.took_ps for one in products) / whole:.1f} %) is a {_PRODUCT}, whose "
        "FLOPs are those of its shapes"
    )


def _custom_calls(found: list[HloTime]) -> list[HloTime]:
    return [one for one in found if one.opcode == "custom-call"]
