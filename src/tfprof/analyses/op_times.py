"""Op time in tables: how long each op type, node, scope, layer, device or thread took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tfprof.analyses.layer_names import is_gradient, layer_of, path_of, trunk_of, without_calls
from tfprof.analyses.op_runs import PS_A_MICROSECOND, OpRuns
from tfprof.analyses.op_work import Work
from tfprof.model.devices import short_names
from tfprof.model.interned import Interned

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

PIPELINE = "(input pipeline)"
NO_TYPE = "(not in the graph)"
_ALL_STREAMS = "/stream:all"


@dataclass(frozen=True, slots=True)
class OpTime:
    """Microseconds of some executions; the least, middle and most are of one execution's own time.

    `op` is the one op type of all of them, None where they have several. `flops` and `bytes` are
    those of the executions whose work is known, which took `counted_us`; None if of none it is.
    """

    name: str
    op: str | None
    runs: int
    self_us: float
    total_us: float
    least_us: float
    median_us: float
    most_us: float
    flops: float | None = None
    bytes: float | None = None
    counted_us: float = 0.0

    @property
    def flops_a_second(self) -> float | None:
        return self._rate(self.flops)

    @property
    def bytes_a_second(self) -> float | None:
        return self._rate(self.bytes)

    @property
    def intensity(self) -> float | None:
        """FLOPs by byte moved: low is bound by memory, high by arithmetic."""
        return self.flops / self.bytes if self.flops is not None and self.bytes else None

    def _rate(self, amount: float | None) -> float | None:
        if amount is None or not self.counted_us:
            return None
        return amount / self.counted_us * 1e6


def op_times(runs: OpRuns, group: Interned, work: Work | None = None) -> list[OpTime]:
    """A row for each group, the one with the most time of its own first."""
    if not len(runs):
        return []
    count = np.bincount(group.codes, minlength=len(group.table))
    some = np.flatnonzero(count)
    own = _sorted_in_groups(runs.self_ps, group.codes, count)
    count = count[some]
    first = np.cumsum(count) - count
    middle = (own[first + (count - 1) // 2] + own[first + count // 2]) / 2
    columns = {
        "runs": count,
        "self_us": _micros(np.add.reduceat(own, first)),
        "total_us": _micros(_summed(group, runs.total_ps)[some]),
        "least_us": _micros(own[first]),
        "median_us": _micros(middle),
        "most_us": _micros(own[first + count - 1]),
        **(_work_columns(runs, group, work, some) if work is not None else {}),
    }
    ops = _one_op(runs, group)
    listed = {key: column.tolist() for key, column in columns.items()}
    rows = [
        OpTime(group.table[code], ops[code], **{key: listed[key][at] for key in listed})
        for at, code in enumerate(some.tolist())
    ]
    return sorted(rows, key=lambda row: (-row.self_us, row.name))


def _sorted_in_groups(values: Ints, codes: npt.NDArray[np.int32], count: Ints) -> Ints:
    """The values group by group, the least first."""
    room = int(values.max()) + 1
    if room * len(count) >= 1 << 63:  # too long for one number
        return values[np.lexsort((values, codes))]
    # sorting numbers is several times as fast as finding the order of two columns
    both = np.sort(codes.astype(np.int64) * room + values)
    both -= np.repeat(np.arange(len(count)) * room, count)
    return both


def _summed(group: Interned, values: Ints) -> Ints:
    """By group, exactly: floats would lose picoseconds."""
    totals = np.zeros(len(group.table), np.int64)
    np.add.at(totals, group.codes, values)
    return totals


def _micros(picoseconds: Ints | Floats) -> Floats:
    return picoseconds / PS_A_MICROSECOND


def _work_columns(
    runs: OpRuns, group: Interned, work: Work, some: Ints
) -> dict[str, npt.NDArray[np.object_]]:
    known = np.flatnonzero(~np.isnan(work.flops))
    codes, size = group.codes[known], len(group.table)
    unknown = np.bincount(codes, minlength=size)[some] == 0

    def summed(values: Floats) -> npt.NDArray[np.object_]:
        sums = np.bincount(codes, values[known], size)[some].astype(object)
        sums[unknown] = None
        return sums

    counted = np.bincount(codes, runs.self_ps[known], size)[some]
    return {
        "flops": summed(work.flops),
        "bytes": summed(work.bytes),
        "counted_us": _micros(counted).astype(object),
    }


def _one_op(runs: OpRuns, group: Interned) -> list[str | None]:
    """The op type of each group, None where it has several."""
    one = np.zeros(len(group.table), np.int32)
    one[group.codes] = runs.op.codes
    several = np.zeros(len(group.table), bool)
    several[group.codes[one[group.codes] != runs.op.codes]] = True
    return [
        None if mixed else runs.op.table[code] or None
        for code, mixed in zip(one.tolist(), several.tolist(), strict=True)
    ]


def groups(runs: OpRuns, by: str, layer_names: Mapping[str, str] | None = None) -> Interned:
    """What the rows of a table are; `layer_names` are the layers of nodes that a graph knows."""
    if by == "op":
        return Interned(runs.op.codes, [name or NO_TYPE for name in runs.op.table])
    if by == "node":
        return _nodes(runs)
    if by == "scope":
        return _renamed(runs, lambda name: without_calls(name).rpartition("/")[0] or name)
    if by == "layer":
        return _renamed(runs, _layers(runs, layer_names or {}))
    if by == "device":
        short = short_names(runs.device.table)
        names = [short[name].removesuffix(_ALL_STREAMS) for name in runs.device.table]
        return _merged(runs.device.codes, names)
    return _threads(runs)


def _merged(codes: npt.NDArray[np.int32], names: Sequence[str]) -> Interned:
    """A column over names some of which are alike."""
    found = Interned.of(list(names))
    return Interned(found.codes[codes], found.table)


def _nodes(runs: OpRuns) -> Interned:
    """By name and op: nodes of one name may be of different functions."""
    kinds = max(1, len(runs.op.table))
    pairs = runs.node.codes.astype(np.int64) * kinds + runs.op.codes
    if len(runs.node.table) * kinds > len(pairs):
        distinct, codes = np.unique(pairs, return_inverse=True)
    else:  # few names ran often: no need to sort
        distinct = np.flatnonzero(np.bincount(pairs))
        place = np.zeros(len(runs.node.table) * kinds, np.int32)
        place[distinct] = np.arange(len(distinct))
        codes = place[pairs]
    names = [runs.node.table[pair // kinds] for pair in distinct.tolist()]
    return Interned(codes.astype(np.int32), names)


def _renamed(runs: OpRuns, name_of: Callable[[str], str]) -> Interned:
    """By what each node is part of; what the pipeline did is a group of its own."""
    found = Interned.of([PIPELINE, *map(name_of, runs.node.table)])
    codes = found.codes[1:][runs.node.codes]
    return Interned(np.where(runs.pipeline, 0, codes).astype(np.int32), found.table)


def _layers(runs: OpRuns, known: Mapping[str, str]) -> Callable[[str], str]:
    """By the graph where it knows the node, else by name."""
    trunk = _trunk(runs)

    def name_of(name: str) -> str:
        return known.get(without_calls(name)) or layer_of(name, trunk)

    return name_of


def _trunk(runs: OpRuns) -> tuple[str, ...]:
    """The model's own scope, by the time spent in it. What has gradients is of the model."""
    own = np.where(runs.pipeline, 0, runs.self_ps)
    spent = np.zeros(len(runs.node.table), np.int64)
    np.add.at(spent, runs.node.codes, own)
    took = {name: work for name, work in zip(runs.node.table, spent.tolist(), strict=True) if work}
    trained = {path_of(name)[:1] for name in took if is_gradient(name)}
    paths = [(path_of(name), work) for name, work in took.items()]
    return trunk_of([(path, work) for path, work in paths if not trained or path[:1] in trained])


def _threads(runs: OpRuns) -> Interned:
    """Threads of several hosts may have one name: then their numbers tell them apart."""
    numbers, codes = np.unique(runs.thread, return_inverse=True)
    names = [runs.threads.get(number) or f"thread {number}" for number in numbers.tolist()]
    often = Counter(names)
    shown = [
        f"{name} #{number}" if often[name] > 1 else name
        for name, number in zip(names, numbers.tolist(), strict=True)
    ]
    return Interned(codes.astype(np.int32), shown)
