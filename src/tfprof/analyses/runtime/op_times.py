"""Op time in tables: how long each op type, node, scope, layer, device or thread took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import repeat

import numpy as np
import numpy.typing as npt

from tfprof.analyses.graph.layer_names import (
    folded,
    is_gradient,
    layer_of,
    path_of,
    trunk_of,
    without_calls,
)
from tfprof.analyses.runtime.cuts import PIPELINE
from tfprof.analyses.runtime.op_events import OpEvents
from tfprof.analyses.runtime.op_work import EventWork
from tfprof.model.device import DeviceNames, without_part
from tfprof.model.device_labels import LABELS
from tfprof.model.interned import Interned, looked_up
from tfprof.results.op_times import (
    OpTimesPartial,
    OpTimeSums,
    OpWork,
    OverDevices,
    TimeSums,
    in_order,
)
from tfprof.results.sketch import sketches

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

# tables whose rows the kernels of one execution may be different ones of
OF_EVENTS = ("category", "source", "kernel")
NO_TYPE = "(not in the graph)"
_ALL = slice(None)
# how many executions are added up together: numpy makes wider indices of their codes
_TOGETHER = 1 << 18
_LEAST_TRAINED = 0.1
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
    on_device = runs.on_device
    if not on_device.any():
        host = _sums(runs, group, work, in_steps, sketched=sketched)
        device: dict[int, TimeSums] = {}
    else:
        host, device = (
            _sums(
                runs.where(side),
                Interned(group.codes[side], group.table),
                None if work is None else work.where(side),
                None if in_steps is None else in_steps[side],
                sketched=sketched,
            )
            for side in (~on_device, on_device)
        )
        marked = on_device if in_steps is None else on_device & in_steps
        device = _over_devices(device, runs.where(marked), group.codes[marked])
    ops = _one_op(runs, group)
    return in_order(
        OpTimeSums(group.table[code], ops[code], host.get(code), device.get(code))
        for code in sorted({*host, *device})
    )


def _sums(
    runs: OpEvents,
    group: Interned,
    work: EventWork | None,
    in_steps: Mask | None,
    *,
    sketched: bool,
) -> dict[int, TimeSums]:
    """By code, of events that are all on one side."""
    if not len(runs):
        return {}
    begins = _begins(runs, group)
    count = np.bincount(group.codes[begins], minlength=len(group.table))
    some = np.flatnonzero(count)
    own = _sorted_in_groups(runs.self_ps[begins], group.codes[begins], count)
    count = count[some]
    first = np.cumsum(count) - count
    sums = _summed(group, runs.self_ps)[some]
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
        copies := _summed(group, runs.self_ps, runs.copy)[some],
        copies if in_steps is None else _summed(group, runs.self_ps, runs.copy & in_steps)[some],
    )
    listed = [one.tolist() if isinstance(one, np.ndarray) else one for one in columns]
    return {
        code: TimeSums(*row)
        for code, row in zip(some.tolist(), zip(*listed, strict=True), strict=True)
    }


def _begins(runs: OpEvents, group: Interned) -> Mask | slice:
    """Where executions begin; of a group that has only parts of some, each part is one."""
    if runs.begins.all():
        return _ALL
    known = np.zeros(len(group.table), bool)
    known[group.codes[runs.begins]] = True
    found: Mask = runs.begins | ~known[group.codes]
    return found


def _over_devices(
    sums: Mapping[int, TimeSums], runs: OpEvents, codes: npt.NDArray[np.int32]
) -> dict[int, TimeSums]:
    """With what each took on the device with the least of it and on the one with the most."""
    whole = Interned.of([without_part(name) for name in runs.device.table])
    count = len(whole.table)
    pairs = codes.astype(np.int64)
    pairs *= count
    pairs += looked_up(whole.codes, runs.device.codes)
    distinct, codes = _distinct(pairs)
    took = _summed(Interned(codes, [""] * len(distinct)), runs.self_ps)
    spread: dict[int, OverDevices] = {}
    for pair, own in zip(distinct.tolist(), took.tolist(), strict=True):
        one = OverDevices(own, own)
        spread[pair // count] = spread[pair // count].merge(one) if pair // count in spread else one
    return {code: replace(one, devices=spread.get(code)) for code, one in sums.items()}


def _sorted_in_groups(values: Ints, codes: npt.NDArray[np.int32], count: Ints) -> Ints:
    """The values group by group, the least first."""
    room = int(values.max()) + 1
    if room * len(count) >= 1 << 63:  # too long for one number
        return values[np.lexsort((values, codes))]
    # sorting numbers is several times as fast as finding the order of two columns
    both = codes.astype(np.int64)
    both *= room
    both += values
    both.sort()
    last = np.cumsum(count)
    for code in np.flatnonzero(count[1:]) + 1:
        both[last[code - 1] : last[code]] -= code * room
    return both


def _summed(group: Interned, values: Ints, rows: Mask | slice = _ALL) -> Ints:
    """By group, exactly: floats would lose picoseconds."""
    totals = np.zeros(len(group.table), np.int64)
    codes, values = group.codes[rows], values[rows]
    for first in range(0, len(codes), _TOGETHER):
        block = slice(first, first + _TOGETHER)
        np.add.at(totals, codes[block], values[block])
    return totals


def _works(runs: OpEvents, group: Interned, work: EventWork | None, some: Ints) -> list[OpWork]:
    """Of each group, from the executions whose work is known."""
    if work is None:
        return [OpWork()] * len(some)
    size = len(group.table)
    # a capture may say that an op has no end of work
    known = np.isfinite(work.flops) & np.isfinite(work.bytes)
    codes = group.codes[known]
    columns = (
        np.bincount(codes, minlength=size),
        _summed(group, runs.self_ps, known),
        np.bincount(codes, work.flops[known], size),
        np.bincount(codes, work.bytes[known], size),
        np.bincount(group.codes[work.unknown], minlength=size),
        _summed(group, runs.self_ps, work.unknown),
    )
    return [
        OpWork(counted, own, Fraction(flops), Fraction(moved), unknown, lost)
        for counted, own, flops, moved, unknown, lost in np.stack(columns, 1, dtype=object)[
            some
        ].tolist()
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
        on_device = found.has_device
        took = {
            row.name: row.side(on_device=on_device).self_ps
            for row in found.rows
            if row.name != PIPELINE
        }
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
        return _renamed(runs, _scope)
    if by == "layer":
        return _renamed(runs, _layers(_spent(runs), layer_names or {}))
    if by == "device":
        short = _devices(runs.device.table)
        return _merged(runs.device.codes, [short[name] for name in runs.device.table])
    return _threads(runs)


def _scope(name: str) -> str:
    written = without_calls(folded(name))
    return written.rpartition("/")[0] or written


def _devices(names: Iterable[str]) -> dict[str, str]:
    """What launches kernels, the kernels and the copies of a GPU are of one device."""
    listed = list(names)
    found = DeviceNames(listed)
    return {name: found(name) for name in listed}


def _merged(codes: npt.NDArray[np.int32], names: Sequence[str]) -> Interned:
    """A column over names some of which are alike."""
    found = Interned.of(list(names))
    return Interned(found.codes[codes], found.table)


def _nodes(runs: OpEvents) -> Interned:
    """By name and op: nodes of one name may be of different functions."""
    kinds = max(1, len(runs.op.table))
    distinct, codes = _distinct(runs.node.codes.astype(np.int64) * kinds + runs.op.codes)
    return Interned(codes, [runs.node.table[pair // kinds] for pair in distinct.tolist()])


def _distinct(pairs: Ints) -> tuple[Ints, npt.NDArray[np.int32]]:
    """The different numbers, none below 0, and which of them each is."""
    largest = int(pairs.max(initial=0))
    if largest > len(pairs):
        distinct, codes = np.unique(pairs, return_inverse=True)
        return distinct, codes.astype(np.int32)
    # few of them, each often: no need to sort
    distinct = np.flatnonzero(np.bincount(pairs))
    place = np.zeros(largest + 1, np.int32)
    place[distinct] = np.arange(len(distinct))
    return distinct, looked_up(place, pairs)


def _renamed(runs: OpEvents, name_of: Callable[[str], str]) -> Interned:
    """By what each node is part of; what the pipeline did is a group of its own."""
    found = Interned.of([PIPELINE, *map(name_of, runs.node.table)])
    codes = found.codes[1:][runs.node.codes]
    return Interned(np.where(runs.pipeline, 0, codes).astype(np.int32), found.table)


def _layers(took: Mapping[str, int], known: Mapping[str, str]) -> Callable[[str], str]:
    """By the graph where it knows the node, else by name; `took` is the time of each."""
    trunk = _trunk(took)

    def name_of(name: str) -> str:
        if name in LABELS:
            return name
        written = folded(name)
        return known.get(without_calls(written)) or layer_of(written, trunk)

    return name_of


def _spent(runs: OpEvents) -> dict[str, int]:
    """By node, without what the pipeline took, and what threads did for a device."""
    other = runs.pipeline if runs.device_side is None else ~runs.device_side
    spent = _summed(runs.node, np.where(other, 0, runs.self_ps))
    return dict(zip(runs.node.table, spent.tolist(), strict=True))


def _trunk(took: Mapping[str, int]) -> tuple[str, ...]:
    """The model's own scope, by the time spent in it. What has gradients is of the model."""
    spent = [(folded(name), work) for name, work in took.items() if work and name not in LABELS]
    paths = [(path_of(name), work) for name, work in spent]
    trained = {path_of(name)[:1] for name, _ in spent if is_gradient(name)}
    model = [(path, work) for path, work in paths if path[:1] in trained]
    # a capture may be a fragment, with gradients of little but the loss
    is_whole = sum(work for _, work in model) >= _LEAST_TRAINED * sum(work for _, work in paths)
    return trunk_of(model if model and is_whole else paths)


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
