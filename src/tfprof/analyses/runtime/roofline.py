"""How long ops take: at a device's best, or as fast as a capture of the machine says.

At best, arithmetic goes by the device's peak and bytes by its bandwidth; whichever takes longer is
the floor. That knows neither caches nor launches nor libraries; a calibration does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tfprof.analyses.graph.layer_names import without_calls
from tfprof.analyses.runtime.op_clock import OpClock, Sums
from tfprof.analyses.runtime.op_events import op_events
from tfprof.model.hosts import Host
from tfprof.model.quantity import Quantity
from tfprof.model.units import as_micros
from tfprof.results.layers import Estimate, EstimatedTime
from tfprof.results.partial import summed

if TYPE_CHECKING:  # a capture has no such costs, and need not import what counts them
    from tfprof.analyses.cost.op_costs import OpCost

COMPUTE, MEMORY, OVERHEAD = "compute", "memory", "overhead"


def estimates(
    ops: Sequence[OpCost],
    clock: OpClock,
    name_of: Callable[[OpCost], str],
    sizes: Mapping[str, int],
    hosts: Sequence[Host] = (),
) -> EstimatedTime:
    """By name, the longest first; `sizes` are those of symbols.

    Of a run, with what a step of it took for the same ops.
    """
    found: dict[str, Sums] = {}
    whole = Sums()
    for op, time in clock.times(ops, sizes):
        if time is not None and not time.micros:
            continue
        found.setdefault(name_of(op), Sums()).add(op.site.op, time)
        whole.add(op.site.op, time)
    took = _took(ops, hosts, name_of) if hosts else {}
    longest = sorted(found.items(), key=lambda item: (-item[1].micros, item[0]))
    rows = tuple(_estimate(name, one, took.get(name)) for name, one in longest)
    return EstimatedTime(
        clock.device,
        "estimated",
        whole.quantity,
        whole.interval,
        rows,
        clock.calibration,
        dict(clock.borrowed),
    )


def _estimate(name: str, found: Sums, measured: float | None) -> Estimate:
    return Estimate(
        name,
        found.count,
        found.quantity,
        found.interval,
        Quantity.estimated(max(found.micros, found.compute + found.memory)),
        Quantity.estimated(found.compute),
        Quantity.estimated(found.memory),
        _bound(found),
        measured,
        Quantity.estimated(found.micros / measured) if measured else None,
    )


def _bound(found: Sums) -> str:
    """What most of the time goes with; neither where ops take it whatever their size."""
    if found.micros > 2 * (found.compute + found.memory):
        return OVERHEAD
    return COMPUTE if found.compute >= found.memory else MEMORY


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
