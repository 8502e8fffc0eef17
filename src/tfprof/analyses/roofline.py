"""How long ops would take at best: arithmetic by the device's peak, bytes by its bandwidth.

Whichever takes longer is the floor; both after each other, which is what Grappler's model adds up,
the ceiling. Neither knows caches, launches or libraries: estimated, never measured.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tfprof.analyses.layer_names import without_calls
from tfprof.analyses.op_runs import PS_A_MICROSECOND, op_runs
from tfprof.model.dims import at
from tfprof.model.trace import Trace

if TYPE_CHECKING:  # a capture has no such costs, and need not import what counts them
    from tfprof.analyses.static_costs import OpCost

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
    # what a run took for the same ops, where there was one
    measured: float | None = None

    @property
    def efficiency(self) -> float | None:
        """How near the run came to the best."""
        return self.lower / self.measured if self.measured else None

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


def with_measured(
    found: list[Estimate],
    ops: Iterable[OpCost],
    trace: Trace,
    name_of: Callable[[OpCost], str],
) -> list[Estimate]:
    """With what a step of the run took for the same ops; they are found by name.

    Where steps are not known, as many are taken as most of the ops ran.
    """
    runs = op_runs(trace)
    own = np.zeros(len(runs.node.table), np.int64)
    np.add.at(own, runs.node.codes, runs.self_ps)
    spent = own / PS_A_MICROSECOND
    count = np.bincount(runs.node.codes, minlength=len(own))
    took: dict[str, tuple[float, int]] = {}
    for name, micros, times in zip(runs.node.table, spent.tolist(), count.tolist(), strict=True):
        before, ran = took.get(without_calls(name), (0.0, 0))
        took[without_calls(name)] = before + micros, ran + times
    sums: dict[str, float] = {}
    rounds: Counter[int] = Counter()
    for op in ops:
        micros, times = took.get(without_calls(op.site.name), (0.0, 0))
        if times:
            name = name_of(op)
            rounds[times] += 1
            sums[name] = sums.get(name, 0.0) + micros
    steps = len(set(trace.steps)) or max(rounds, key=rounds.__getitem__, default=1)
    for one in found:
        one.measured = sums[one.name] / steps if one.name in sums else None
    return found
