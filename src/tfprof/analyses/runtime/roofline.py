"""How long ops would take at best: arithmetic by the device's peak, bytes by its bandwidth.

Whichever takes longer is the floor; both after each other, which is what Grappler's model adds up,
the ceiling. Neither knows caches, launches or libraries: estimated, never measured.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tfprof.analyses.graph.layer_names import without_calls
from tfprof.analyses.runtime.op_events import op_events
from tfprof.model.device import DevicePeak
from tfprof.model.dims import at
from tfprof.model.hosts import Host
from tfprof.model.quantity import Quantity
from tfprof.model.units import MICROS_A_SECOND, as_micros
from tfprof.results.layers import Estimate, EstimatedTime
from tfprof.results.partial import summed

if TYPE_CHECKING:  # a capture has no such costs, and need not import what counts them
    from tfprof.analyses.cost.op_costs import OpCost

COMPUTE, MEMORY = "compute", "memory"


@dataclass(slots=True)
class _Sum:
    """Microseconds of some ops, run one after the other."""

    count: int = 0
    compute: float = 0.0
    memory: float = 0.0
    lower: float = 0.0


def estimates(
    ops: Sequence[OpCost],
    device: DevicePeak,
    name_of: Callable[[OpCost], str],
    sizes: Mapping[str, int],
    hosts: Sequence[Host] = (),
) -> EstimatedTime:
    """By name, the longest first; `sizes` are those of symbols. What stays open is left out.

    Of a run, with what a step of it took for the same ops.
    """
    found: dict[str, _Sum] = {}
    for op in ops:
        if op.cost is None:
            continue
        work, moved = at(op.cost.flops_all, sizes), at(op.cost.bytes, sizes)
        if not isinstance(work, int) or not isinstance(moved, int) or not work + moved:
            continue
        one = found.setdefault(name_of(op), _Sum())
        compute = work / device.flops * MICROS_A_SECOND
        memory = moved / device.bytes * MICROS_A_SECOND
        one.count += 1
        one.compute += compute
        one.memory += memory
        one.lower += max(compute, memory)
    took = _took(ops, hosts, name_of) if hosts else {}
    longest = sorted(found.items(), key=lambda item: (-item[1].lower, item[0]))
    rows = tuple(_estimate(name, one, took.get(name)) for name, one in longest)
    return EstimatedTime(device, "estimated", rows)


def _estimate(name: str, found: _Sum, measured: float | None) -> Estimate:
    return Estimate(
        name,
        found.count,
        Quantity.estimated(found.lower),
        Quantity.estimated(found.compute + found.memory),
        Quantity.estimated(found.compute),
        Quantity.estimated(found.memory),
        COMPUTE if found.compute >= found.memory else MEMORY,
        measured,
        Quantity.estimated(found.lower / measured) if measured else None,
    )


def _took(
    ops: Iterable[OpCost], hosts: Sequence[Host], name_of: Callable[[OpCost], str]
) -> dict[str, float]:
    """What a step of a run took, by name.

    Where steps are not known, as many are taken as most of the ops ran.
    """
    spent = summed((one for host in hosts for one in _spent(host)), _plus)
    took: dict[str, tuple[float, int]] = {}
    for name, (own, times) in spent.items():
        before, ran = took.get(without_calls(name), (0.0, 0))
        took[without_calls(name)] = before + as_micros(own), ran + times
    sums: dict[str, float] = {}
    rounds: Counter[int] = Counter()
    for op in ops:
        micros, times = took.get(without_calls(op.site.name), (0.0, 0))
        if times:
            name = name_of(op)
            rounds[times] += 1
            sums[name] = sums.get(name, 0.0) + micros
    known = {step for host in hosts for step in host.steps}
    steps = len(known) or max(rounds, key=rounds.__getitem__, default=1)
    return {name: micros / steps for name, micros in sums.items()}


def _spent(host: Host) -> Iterator[tuple[str, tuple[int, int]]]:
    """The own picoseconds of each node, and how often it ran."""
    runs = op_events(host.trace)
    own = np.zeros(len(runs.node.table), np.int64)
    np.add.at(own, runs.node.codes, runs.self_ps)
    count = np.bincount(runs.node.codes, minlength=len(own))
    yield from zip(runs.node.table, zip(own.tolist(), count.tolist(), strict=True), strict=True)


def _plus(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return one[0] + other[0], one[1] + other[1]
