"""How long ops would take at best: arithmetic by the device's peak, bytes by its bandwidth.

Whichever takes longer is the floor; both after each other, which is what Grappler's model adds up,
the ceiling. Neither knows caches, launches or libraries: estimated, never measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from tfprof.analyses.static_costs import OpCost
from tfprof.model.dims import at

COMPUTE, MEMORY = "compute", "memory"
_MICROS = 1e6


@dataclass(frozen=True, slots=True)
class Device:
    """What a device does in a second at its best."""

    name: str
    flops: float
    bytes: float


@dataclass(slots=True)
class Estimate:
    """Microseconds of some ops, run one after the other."""

    name: str
    count: int = 0
    compute: float = 0.0
    memory: float = 0.0
    lower: float = 0.0

    @property
    def upper(self) -> float:
        return self.compute + self.memory

    @property
    def bound(self) -> str:
        return COMPUTE if self.compute >= self.memory else MEMORY


def estimates(
    ops: Iterable[OpCost],
    device: Device,
    name_of: Callable[[OpCost], str],
    sizes: Mapping[str, int],
) -> list[Estimate]:
    """By name, the longest first; `sizes` are those of symbols. What stays open is left out."""
    found: dict[str, Estimate] = {}
    for op in ops:
        if op.cost is None:
            continue
        work, moved = at(op.cost.flops_all, sizes), at(op.cost.bytes, sizes)
        if not isinstance(work, int) or not isinstance(moved, int) or not work + moved:
            continue
        name = name_of(op)
        one = found.setdefault(name, Estimate(name))
        compute, memory = work / device.flops * _MICROS, moved / device.bytes * _MICROS
        one.count += 1
        one.compute += compute
        one.memory += memory
        one.lower += max(compute, memory)
    return sorted(found.values(), key=lambda one: (-one.lower, one.name))
