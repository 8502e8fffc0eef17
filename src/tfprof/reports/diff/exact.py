"""What has no noise: parameters, FLOPs, shapes, ops, memory that is predicted, values."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping

from tfprof.analyses.comparison.matching import Matched, matched
from tfprof.model.quantity import Kind, Quantity
from tfprof.reports.diff.sides import Side, told
from tfprof.results.diff import DiffRow, RowKind, Told
from tfprof.results.layers import LayersRow, RowCost

_ONCE = "measured once a side: how far another run would be off is not known"


def exact_rows(before: Side, after: Side) -> Iterator[DiffRow]:
    """Totals always, of all else what changed."""
    yield from _totals(before, after)
    yield from _ops(before.summary.ops, after.summary.ops)
    yield from _layers(before, after)


def _totals(before: Side, after: Side) -> Iterator[DiffRow]:
    one, other = before.summary, after.summary
    pairs = {
        "params": (one.params.total, other.params.total),
        "trainable_params": (one.params.trainable, other.params.trainable),
        "macs": (one.costs.macs, other.costs.macs),
        "flops": (one.costs.flops, other.costs.flops),
        "flops_all": (one.costs.flops_all, other.costs.flops_all),
        "nodes": (one.nodes, other.nodes),
    }
    for metric, (was, is_now) in pairs.items():
        if was.known or is_now.known:
            yield exact(RowKind.TOTAL, "model", metric, was, is_now)
    yield from _peaks(before, after)


def _peaks(before: Side, after: Side) -> Iterator[DiffRow]:
    """By device: what was measured is of one run, what is estimated is exact."""
    one, other = before.summary, after.summary
    was, is_now = one.peak_memory or {}, other.peak_memory or {}
    for device in dict.fromkeys((*was, *is_now)):
        pair = was.get(device, _NOWHERE), is_now.get(device, _NOWHERE)
        made = exact(RowKind.TOTAL, device, "peak_bytes", *pair)
        measured = "measured" in (one.memory_kind, other.memory_kind)
        yield _with_doubt(made) if measured and made.change else made


_NOWHERE = Quantity.unknown("not on this side")


def _with_doubt(row: DiffRow) -> DiffRow:
    return DiffRow(
        row.kind, row.name, row.metric, row.before, row.after, row.change, None, None, _ONCE
    )


def _ops(before: Mapping[str, int], after: Mapping[str, int]) -> Iterator[DiffRow]:
    for op in sorted({*before, *after}):
        was, is_now = before.get(op, 0), after.get(op, 0)
        if was != is_now and before and after:
            yield DiffRow(RowKind.OP, op, "count", was, is_now, is_now - was)


def _layers(before: Side, after: Side) -> Iterator[DiffRow]:
    was, is_now = (_by_name(side.layers) for side in (before, after))
    if not was or not is_now:
        return
    found = layer_names(was, is_now)
    for name, new_name in found.renamed:
        yield DiffRow(RowKind.LAYER, name, "name", name, new_name, None)
    for name, new_name in found.both:
        yield from _changed(name, was[name], is_now[new_name])
    for name in found.gone:
        yield from _one_sided(name, was[name], is_gone=True)
    for name in found.new:
        yield from _one_sided(name, is_now[name], is_gone=False)


def layer_names(was: Mapping[str, RowCost], is_now: Mapping[str, RowCost]) -> Matched:
    return matched(
        {name: _kind(cost) for name, cost in was.items()},
        {name: _kind(cost) for name, cost in is_now.items()},
    )


def _by_name(rows: tuple[LayersRow, ...]) -> dict[str, RowCost]:
    found: dict[str, RowCost] = {}
    for row in rows:
        found.setdefault(row.name, row.cost)
    return found


def _kind(cost: RowCost) -> Hashable:
    """What a layer is, if that is enough to know it again: one that computes something."""
    if not cost.params.value and not cost.macs.value:
        return None
    return cost.kind, _shape(cost), str(cost.params.value), str(cost.flops.value)


def _shape(cost: RowCost) -> str | None:
    shape = cost.output_shape
    return None if shape is None else "x".join("?" if size is None else str(size) for size in shape)


def _changed(name: str, was: RowCost, is_now: RowCost) -> Iterator[DiffRow]:
    if _shape(was) != _shape(is_now):
        shapes = _shape(was), _shape(is_now)
        yield DiffRow(RowKind.LAYER, name, "output_shape", *shapes, None)
    if was.kind != is_now.kind:
        yield DiffRow(RowKind.LAYER, name, "class", was.kind, is_now.kind, None)
    for metric in ("params", "flops"):
        one, other = getattr(was, metric), getattr(is_now, metric)
        if told(one) != told(other):
            yield exact(RowKind.LAYER, name, metric, one, other)


def _one_sided(name: str, cost: RowCost, *, is_gone: bool) -> Iterator[DiffRow]:
    """What is only on one side: with what it is, and what it costs."""
    what = " ".join(filter(None, (cost.kind, _shape(cost)))) or "layer"
    pair: tuple[Told, Told] = (what, None) if is_gone else (None, what)
    yield DiffRow(RowKind.LAYER, name, "layer", *pair, None)
    nothing = Quantity.derived(0)
    for metric in ("params", "flops"):
        value: Quantity = getattr(cost, metric)
        if value.known and value.value:
            sides = (value, nothing) if is_gone else (nothing, value)
            yield exact(RowKind.LAYER, name, metric, *sides)


def _negative(quantity: Quantity) -> Quantity:
    value = quantity.value
    return quantity if value is None else Quantity(-1 * value, quantity.kind, quantity.reason)


def exact(kind: RowKind, name: str, metric: str, was: Quantity, is_now: Quantity) -> DiffRow:
    """Of sums that are only at least so much, no difference is certain."""
    before, after = told(was), told(is_now)
    change = told(is_now + _negative(was)) if was.known and is_now.known else None
    unsure = [one for one in (was, is_now) if one.kind in (Kind.AT_LEAST, Kind.UNKNOWN)]
    if unsure:
        return DiffRow(kind, name, metric, before, after, change, None, None, unsure[0].reason)
    return DiffRow(kind, name, metric, before, after, change, None, before != after)
