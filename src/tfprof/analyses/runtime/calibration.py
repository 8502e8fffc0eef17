"""From a run with its graph: how long ops of each type and family take for their work.

Ops that ran side by side divide the time by the clock: their shares add up to the time in which
anything ran, so what is fitted to them adds up to the time of a step, however many threads there
are. What the step takes beside that is put down to the ops one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tfprof.analyses.cost.op_costs import CALLS, OpCost, OpCosts
from tfprof.analyses.graph.layer_names import without_calls
from tfprof.analyses.graph.node_types import executed_types
from tfprof.analyses.runtime.op_events import OpEvents, op_events
from tfprof.analyses.runtime.op_work import FUSED, ran_as_written, work_of
from tfprof.analyses.runtime.rate_fit import Point, fitted
from tfprof.analyses.steps.step_clock import TraceSteps, step_clock
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.device import is_stream
from tfprof.model.dims import at
from tfprof.model.graph import Graph
from tfprof.model.hosts import Host
from tfprof.model.medians import median_of
from tfprof.model.profile import ProfileData
from tfprof.model.units import as_micros
from tfprof.ops.rule import Rule, Tensor, rules
from tfprof.results.calibration import Calibration, FamilyRate, OpRate
from tfprof.wire.distinct import distinct

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

# an execution that took longer than so many times its node's median was disturbed
_DISTURBED = 3.0
# sizes that an op type needs to be seen at to have rates of its own
_LEAST_SIZES = 5
_HOLDERS, _CONVOLUTIONS = "holders", "convolutions"
# each channel by itself: nothing is packed
_DEPTHWISE = "Depthwise"
_FLOAT_BYTES = 4
# what oneDNN calls its own kernels
_NATIVE = "_MklNative"
_BATCH_NORM = "FusedBatchNormV3"


@frozen_dataclass
class Observed:
    """What one capture tells: points to fit, and what its steps took by the clock."""

    source: str
    points: list[Point]
    costs: OpCosts
    names: set[str]
    steps_us: list[float]
    busy_us: list[float]
    op_us: float

    @property
    def rest_us(self) -> float:
        """What a step takes beside the ops that were recorded."""
        rest = np.array(self.steps_us) - np.array(self.busy_us)
        return median_of(np.maximum(rest, 0))


def calibration(captures: Sequence[Observed]) -> Calibration:
    """Of one capture or several of a machine."""
    points = [point for one in captures for point in one.points]
    by_family = {name: fitted(some) for name, some in _grouped(points, "family").items()}
    return Calibration(
        tuple(one.source for one in captures),
        sum(len(one.steps_us) for one in captures),
        sum(one.op_us for one in captures) / max(sum(sum(one.busy_us) for one in captures), 1e-9),
        sum(one.rest_us for one in captures)
        / max(sum(_executed(one.costs) for one in captures), 1),
        tuple(_families(points, by_family)),
        dict(_by_op(points, by_family)),
        by_family,
        _seen(captures),
    )


def observed(data: ProfileData, graph: Graph, costs: OpCosts) -> Observed | None:
    """None if no op that ran can be tied to its work."""
    types = executed_types(data)
    parts = [_of_host(host, types, graph, costs, data.title) for host in data.hosts]
    found = [part for part in parts if part is not None and part.points]
    return max(found, key=lambda one: one.op_us, default=None)


def _executed(costs: OpCosts) -> int:
    """Ops of a step, with the rounds of loops."""
    times = (op.site.times for op in costs.ops if not only_holds(op.site.rule))
    return sum(one for one in times if isinstance(one, int))


def only_holds(rule: Rule | None) -> bool:
    """Constants and what is fed: they take no time."""
    return rule is not None and rule.family == _HOLDERS


def _of_host(
    host: Host, types: Mapping[str, str], graph: Graph, costs: OpCosts, source: str
) -> Observed | None:
    trace = host.trace
    runs = op_events(trace, types).timed()
    runs = runs.where(_computing(runs))
    if not len(runs):
        return None
    marked = TraceSteps(trace, step_clock([trace]))
    windows = [(one.begin, one.begin + one.period) for one in marked.windows]
    windows = windows or list(_spans(runs))
    runs = runs.where(_inside(runs, windows))
    if not len(runs):
        return None
    clock = WallClock(runs.start_ps, runs.start_ps + runs.total_ps)
    shares = clock.shared(runs.start_ps, runs.start_ps + runs.total_ps)
    return Observed(
        source,
        list(_points(runs, shares, graph, costs)),
        costs,
        set(ran_as_written(runs, graph).values()),
        [as_micros(end - begin) for begin, end in windows],
        [as_micros(clock.busy(begin, end)) for begin, end in windows],
        as_micros(float(runs.total_ps.sum())),
    )


def _inside(runs: OpEvents, windows: Sequence[tuple[int, int]]) -> npt.NDArray[np.bool_]:
    found = np.zeros(len(runs), bool)
    for begin, end in windows:
        found |= (runs.start_ps >= begin) & (runs.start_ps < end)
    return found


def _computing(runs: OpEvents) -> npt.NDArray[np.bool_]:
    """What works itself: no calls, which wait for others, and no pipeline.

    Where devices have streams, what ran there is what took the time.
    """
    waits = runs.op.map(CALLS.__contains__)
    on_device = runs.device.map(is_stream)
    return ~waits & ~runs.pipeline & (on_device if on_device.any() else True)


def _spans(runs: OpEvents) -> Iterator[tuple[int, int]]:
    """Of runs whose records name their step: from the first op of each to the last."""
    for step in distinct(runs.step).tolist():
        mine = runs.step == step
        start, end = runs.start_ps[mine], (runs.start_ps + runs.total_ps)[mine]
        yield int(start.min()), int(end.max())


class WallClock:
    """How many ops ran at each time."""

    def __init__(self, start: Ints, end: Ints) -> None:
        self._times, place = np.unique(np.concatenate([start, end]), return_inverse=True)
        change = np.zeros(len(self._times), np.int64)
        np.add.at(change, place[: len(start)], 1)
        np.add.at(change, place[len(start) :], -1)
        running = np.cumsum(change)[:-1]
        lengths = np.diff(self._times).astype(np.float64)
        self._shared = np.append(0.0, np.cumsum(lengths / np.maximum(running, 1) * (running > 0)))
        self._busy = np.append(0.0, np.cumsum(lengths * (running > 0)))

    def shared(self, start: Ints, end: Ints) -> Floats:
        """Of each op the time it had, where others that ran beside it had as much."""
        first, last = (np.searchsorted(self._times, times) for times in (start, end))
        found: Floats = self._shared[last] - self._shared[first]
        return found

    def busy(self, begin: int, end: int) -> float:
        first, last = np.interp([begin, end], self._times, self._busy)
        return float(last - first)


def _points(runs: OpEvents, shares: Floats, graph: Graph, costs: OpCosts) -> Iterator[Point]:
    """One a node, of its executions."""
    work = work_of(runs, costs, graph)
    written = {without_calls(op.site.name): op.site.op for op in costs.ops}
    packed = {without_calls(op.site.name): packed_bytes(op, {}) for op in costs.ops}
    ran = ran_as_written(runs, graph)
    known = rules()
    order = np.argsort(runs.node.codes, kind="stable")
    codes = runs.node.codes[order]
    for rows in np.split(order, np.flatnonzero(np.diff(codes)) + 1):
        row = int(rows[0])
        flops, moved = float(work.flops[row]), float(work.bytes[row])
        name = without_calls(runs.node.table[int(runs.node.codes[row])])
        op = _written_type(runs.op.table[int(runs.op.codes[row])], written.get(name, ""))
        if np.isnan(flops) or np.isnan(moved) or op not in known:
            continue
        moved += packed.get(ran[int(runs.node.codes[row])]) or 0.0
        took = shares[rows]
        took = np.minimum(took, median_of(took) * _DISTURBED)
        yield Point(op, known[op].family, flops, moved, as_micros(float(took.mean())), len(rows))


def _written_type(ran: str, written: str) -> str:
    """The op type that does the work of an op as it ran; `written` is that of the node's name."""
    fused = FUSED.fullmatch(ran)
    if fused is not None:
        # a batch normalisation that took its activation in has the name of the activation
        return fused[1] if fused[1] in rules() else _BATCH_NORM
    return ran.removeprefix(_NATIVE) if written == "" else written


def _grouped(points: Iterable[Point], by: str) -> dict[str, list[Point]]:
    found: dict[str, list[Point]] = {}
    for point in points:
        found.setdefault(getattr(point, by), []).append(point)
    return found


def _by_op(points: Sequence[Point], families: Mapping[str, OpRate]) -> Iterator[tuple[str, OpRate]]:
    """By its own sizes where it was seen at enough, else in the proportions of its family."""
    for op, some in _grouped(points, "op").items():
        sizes = {(point.flops, point.moved) for point in some}
        family = families[some[0].family]
        yield op, fitted(some, None if len(sizes) >= _LEAST_SIZES else family)


def _families(points: Sequence[Point], rates: Mapping[str, OpRate]) -> Iterator[FamilyRate]:
    groups = _grouped(points, "family")
    whole = {name: sum(one.micros * one.count for one in some) for name, some in groups.items()}
    for name in sorted(groups, key=lambda name: (-whole[name], name)):
        some, seconds = groups[name], whole[name] / 1e6
        flops = sum(one.flops * one.count for one in some)
        moved = sum(one.moved * one.count for one in some)
        yield FamilyRate(
            name,
            sum(one.count for one in some),
            whole[name],
            flops / seconds if flops and seconds else None,
            moved / seconds if moved and seconds else None,
            rates[name].fixed_us,
            rates[name].spread,
        )


def _seen(captures: Sequence[Observed]) -> dict[tuple[str, str], float]:
    counts: dict[tuple[str, str], list[int]] = {}
    for one in captures:
        for op, before in with_makers(one.costs.ops):
            for key in {(op.site.op, before), (op.site.op, "")}:
                count = counts.setdefault(key, [0, 0])
                count[0] += 1
                count[1] += without_calls(op.site.name) in one.names
    return {key: hits / of for key, (of, hits) in counts.items()}


def packed_bytes(op: OpCost, sizes: Mapping[str, int]) -> float:
    """What a convolution moves beside its tensors, each time: the patches that it multiplies.

    They are packed once for all channels of the output, so few channels make them dear.
    """
    rule, outputs = op.site.rule, op.site.call.outputs
    if rule is None or rule.family != _CONVOLUTIONS or op.site.op.startswith(_DEPTHWISE):
        return 0.0
    shape = outputs[0].shape if outputs else None
    if op.cost is None or not shape or shape[-1] is None:
        return 0.0
    macs, channels, times = (at(one, sizes) for one in (op.cost.macs, shape[-1], op.site.times))
    if not (isinstance(macs, int) and isinstance(channels, int) and isinstance(times, int)):
        return 0.0
    return _FLOAT_BYTES * macs / max(channels * times, 1)


def with_makers(ops: Sequence[OpCost]) -> Iterator[tuple[OpCost, str]]:
    """Each op with the type of the one that made its first input; empty for what nothing made."""
    makers = {id(tensor): op.site.op for op in ops for tensor in op.site.call.outputs}
    for op in ops:
        first: Sequence[Tensor] = op.site.call.inputs[:1]
        yield op, makers.get(id(first[0]), "") if first else ""
