"""Op time in tables: how long each op type, node, scope, layer, device or thread took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import repeat

import numpy as np
import numpy.typing as npt

from tfprof.analyses.graph.layer_names import (
    is_gradient,
    layer_of,
    path_of,
    trunk_of,
    without_calls,
)
from tfprof.analyses.runtime.op_events import OpEvents
from tfprof.analyses.runtime.op_work import EventWork
from tfprof.model.device import ALL_STREAMS, short_names
from tfprof.model.interned import Interned
from tfprof.results.op_times import OpTimesPartial, OpTimeSums, OpWork, in_order
from tfprof.results.sketch import sketches

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

PIPELINE = "(input pipeline)"
NO_TYPE = "(not in the graph)"
_ALL = slice(None)
_SEP = "\0"


def op_times(
    runs: OpEvents,
    group: Interned,
    work: EventWork | None = None,
    in_steps: Mask | None = None,
    *,
    sketched: bool = False,
) -> tuple[OpTimeSums, ...]:
    """A row for each group; `in_steps` marks what began in a step, without it everything did.

    Rows that will be added to those of other hosts have to be `sketched`.
    """
    if not len(runs):
        return ()
    count = np.bincount(group.codes, minlength=len(group.table))
    some = np.flatnonzero(count)
    own = _sorted_in_groups(runs.self_ps, group.codes, count)
    count = count[some]
    first = np.cumsum(count) - count
    sums = np.add.reduceat(own, first)
    ops = _one_op(runs, group)
    columns = (
        count,
        sums,
        _summed(group, runs.total_ps)[some],
        own[first],
        own[first + count - 1],
        sums if in_steps is None else _summed(group, runs.self_ps, in_steps)[some],
        _works(runs, group, work, some),
        (own[first + (count - 1) // 2] + own[first + count // 2]) / 2,
        sketches(own, count) if sketched else repeat(None, len(some)),
    )
    listed = [one.tolist() if isinstance(one, np.ndarray) else one for one in columns]
    codes = some.tolist()
    return in_order(
        OpTimeSums(group.table[code], ops[code], *row)
        for code, row in zip(codes, zip(*listed, strict=True), strict=True)
    )


def _sorted_in_groups(values: Ints, codes: npt.NDArray[np.int32], count: Ints) -> Ints:
    """The values group by group, the least first."""
    room = int(values.max()) + 1
    if room * len(count) >= 1 << 63:  # too long for one number
        return values[np.lexsort((values, codes))]
    # sorting numbers is several times as fast as finding the order of two columns
    both = np.sort(codes.astype(np.int64) * room + values)
    both -= np.repeat(np.arange(len(count)) * room, count)
    return both


def _summed(group: Interned, values: Ints, rows: Mask | slice = _ALL) -> Ints:
    """By group, exactly: floats would lose picoseconds."""
    totals = np.zeros(len(group.table), np.int64)
    np.add.at(totals, group.codes[rows], values[rows])
    return totals


def _works(runs: OpEvents, group: Interned, work: EventWork | None, some: Ints) -> list[OpWork]:
    """Of each group, from the executions whose work is known."""
    if work is None:
        return [OpWork()] * len(some)
    size = len(group.table)
    known = ~np.isnan(work.flops)
    codes = group.codes[known]
    columns = (
        np.bincount(codes, minlength=size),
        _summed(group, runs.self_ps, known),
        np.bincount(codes, work.flops[known], size),
        np.bincount(codes, work.bytes[known], size),
        np.bincount(group.codes[work.unknown], minlength=size),
    )
    return [
        OpWork(counted, own, Fraction(flops), Fraction(moved), unknown)
        for counted, own, flops, moved, unknown in np.stack(columns, 1, dtype=object)[some].tolist()
    ]


def _one_op(runs: OpEvents, group: Interned) -> list[str | None]:
    """The op type of each group, "" where nothing tells it, None where it has several."""
    one = np.zeros(len(group.table), np.int32)
    one[group.codes] = runs.op.codes
    several = np.zeros(len(group.table), bool)
    several[group.codes[one[group.codes] != runs.op.codes]] = True
    return [
        None if mixed else runs.op.table[code]
        for code, mixed in zip(one.tolist(), several.tolist(), strict=True)
    ]


def open_groups(runs: OpEvents, by: str, rank: int) -> Interned:
    """The same of one host among others: names that only all hosts together tell are left open."""
    if by == "layer":
        return _renamed(runs, str)
    if by == "device":
        return runs.device
    if by == "thread":
        numbers, codes = np.unique(runs.thread, return_inverse=True)
        keys = [f"{rank}{_SEP}{it}{_SEP}{runs.threads.get(it, '')}" for it in numbers.tolist()]
        return Interned(codes.astype(np.int32), keys)
    return groups(runs, by)


def closed(found: OpTimesPartial, layer_names: Mapping[str, str]) -> OpTimesPartial:
    """All hosts together, with the names that were left open."""
    if found.by == "layer":
        took = {row.name: row.self_ps for row in found.rows if row.name != PIPELINE}
        layer = _layers(took, layer_names)
        return found.renamed({**{name: layer(name) for name in took}, PIPELINE: PIPELINE})
    if found.by == "device":
        return found.renamed(_devices(found.devices))
    return found.renamed(_all_threads(found)) if found.by == "thread" else found


def _all_threads(found: OpTimesPartial) -> dict[str, str]:
    """Those of a host are numbered behind those of the hosts before it."""
    first = {
        rank: sum(count for other, count in found.threads.items() if other < rank)
        for rank in found.threads
    }
    keys = [row.name for row in found.rows]
    said = [key.split(_SEP, 2) for key in keys]
    told = [(first[int(rank)] + int(number), name) for rank, number, name in said]
    return dict(zip(keys, _told_apart(told), strict=True))


def groups(runs: OpEvents, by: str, layer_names: Mapping[str, str] | None = None) -> Interned:
    """What the rows of a table are; `layer_names` are the layers of nodes that a graph knows."""
    if by == "op":
        return Interned(runs.op.codes, [name or NO_TYPE for name in runs.op.table])
    if by == "node":
        return _nodes(runs)
    if by == "scope":
        return _renamed(runs, lambda name: without_calls(name).rpartition("/")[0] or name)
    if by == "layer":
        return _renamed(runs, _layers(_spent(runs), layer_names or {}))
    if by == "device":
        short = _devices(runs.device.table)
        return _merged(runs.device.codes, [short[name] for name in runs.device.table])
    return _threads(runs)


def _devices(names: Iterable[str]) -> dict[str, str]:
    return {name: short.removesuffix(ALL_STREAMS) for name, short in short_names(names).items()}


def _merged(codes: npt.NDArray[np.int32], names: Sequence[str]) -> Interned:
    """A column over names some of which are alike."""
    found = Interned.of(list(names))
    return Interned(found.codes[codes], found.table)


def _nodes(runs: OpEvents) -> Interned:
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


def _renamed(runs: OpEvents, name_of: Callable[[str], str]) -> Interned:
    """By what each node is part of; what the pipeline did is a group of its own."""
    found = Interned.of([PIPELINE, *map(name_of, runs.node.table)])
    codes = found.codes[1:][runs.node.codes]
    return Interned(np.where(runs.pipeline, 0, codes).astype(np.int32), found.table)


def _layers(took: Mapping[str, int], known: Mapping[str, str]) -> Callable[[str], str]:
    """By the graph where it knows the node, else by name; `took` is the time of each."""
    trunk = _trunk(took)

    def name_of(name: str) -> str:
        return known.get(without_calls(name)) or layer_of(name, trunk)

    return name_of


def _spent(runs: OpEvents) -> dict[str, int]:
    """By node, without what the pipeline took."""
    spent = _summed(runs.node, np.where(runs.pipeline, 0, runs.self_ps))
    return dict(zip(runs.node.table, spent.tolist(), strict=True))


def _trunk(took: Mapping[str, int]) -> tuple[str, ...]:
    """The model's own scope, by the time spent in it. What has gradients is of the model."""
    paths = [(path_of(name), work) for name, work in took.items() if work]
    trained = {path_of(name)[:1] for name, work in took.items() if work and is_gradient(name)}
    return trunk_of([(path, work) for path, work in paths if not trained or path[:1] in trained])


def _threads(runs: OpEvents) -> Interned:
    numbers, codes = np.unique(runs.thread, return_inverse=True)
    names = _told_apart([(it, runs.threads.get(it, "")) for it in numbers.tolist()])
    return Interned(codes.astype(np.int32), names)


def _told_apart(threads: Sequence[tuple[int, str]]) -> list[str]:
    """Threads of several hosts may have one name: then their numbers tell them apart."""
    names = [name or f"thread {number}" for number, name in threads]
    often = Counter(names)
    return [
        f"{name} #{number}" if often[name] > 1 else name
        for name, (number, _) in zip(names, threads, strict=True)
    ]
