"""What has no noise: parameters, FLOPs, shapes, ops, memory that is predicted, values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace

from tfprof.analyses.comparison.matching import Matched, matched, unnumbered
from tfprof.analyses.graph.layer_names import NO_LAYER
from tfprof.model.quantity import Kind, Quantity
from tfprof.reports.diff.layers_of import Layers
from tfprof.reports.diff.sides import Side, told
from tfprof.results.diff import DiffRow, RowKind, Told
from tfprof.results.layers import RowCost

_ONCE = "measured once a side: how far another run would be off is not known"


def exact_rows(before: Side, after: Side) -> Iterator[DiffRow]:
    """Totals always, of all else what changed."""
    yield from _totals(before, after)
    yield from _counts(RowKind.OP, before.summary.ops, after.summary.ops)
    yield from _layers(before.layers, after.layers)
    yield from _classes(before.layers, after.layers)


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
    return replace(row, significant=None, why=_ONCE)


def _counts(
    kind: RowKind, before: Mapping[str, int], after: Mapping[str, int]
) -> Iterator[DiffRow]:
    for name in sorted({*before, *after}):
        was, is_now = before.get(name, 0), after.get(name, 0)
        if was != is_now and before and after:
            yield DiffRow(kind, name, "count", was, is_now, is_now - was)


def _layers(before: Layers, after: Layers) -> Iterator[DiffRow]:
    was, is_now = before.costs, after.costs
    if not was or not is_now:
        return
    found = layer_names(before, after)
    for name, new_name in found.renamed:
        yield DiffRow(RowKind.LAYER, name, "name", name, new_name, None)
    alike = before.are_classes == after.are_classes
    for name, new_name in found.both:
        yield from _changed(name, was[name], is_now[new_name], of_one_kind=alike)
    for name, one, other in rewired(before, after, found):
        yield DiffRow(RowKind.LAYER, name, "reads", one, other, None)
    for name in found.gone:
        yield from _one_sided(name, was[name], is_gone=True)
    for name in found.new:
        yield from _one_sided(name, is_now[name], is_gone=False)


def layer_names(before: Layers, after: Layers) -> Matched:
    """A graph numbers the layers of a Keras file: there the number is no other name."""
    costs = before.costs, after.costs
    if before.are_classes != after.are_classes:
        return matched(*({name: unnumbered(name) for name in one} for one in costs), renames=False)
    return matched(*({name: _kind(cost) for name, cost in one.items()} for one in costs))


def rewired(before: Layers, after: Layers, found: Matched) -> Iterator[tuple[str, str, str]]:
    """Layers that read others than they did, and which; another name is no other layer."""
    if not before.reads or not after.reads or before.are_classes != after.are_classes:
        return
    now = dict(found.both)
    for name, new_name in found.both:
        one, other = before.reads.get(name), after.reads.get(new_name)
        if one is not None and other is not None:
            expected = sorted(now.get(read, read) for read in one)
            if expected != [*other]:
                yield name, ", ".join(one), ", ".join(other)


def _classes(before: Layers, after: Layers) -> Iterator[DiffRow]:
    """How many layers there are of each class of Keras."""
    if before.are_classes and after.are_classes:
        counts = (Counter(str(c.kind) for c in one.costs.values()) for one in (before, after))
        yield from _counts(RowKind.CLASS, *counts)


def _kind(cost: RowCost) -> Hashable:
    """What a layer is, if that is enough to know it again: one that computes something."""
    if not cost.params.value and not cost.macs.value:
        return None
    return cost.kind, _shape(cost), str(cost.params.value), str(cost.flops.value)


def _shape(cost: RowCost) -> str | None:
    shape = cost.output_shape
    return None if shape is None else "x".join("?" if size is None else str(size) for size in shape)


def _changed(name: str, was: RowCost, is_now: RowCost, *, of_one_kind: bool) -> Iterator[DiffRow]:
    around = name == NO_LAYER  # what is around the layers is no shape and no class
    if _shape(was) != _shape(is_now) and not around:
        shapes = _shape(was), _shape(is_now)
        yield DiffRow(RowKind.LAYER, name, "output_shape", *shapes, None)
    if of_one_kind and was.kind != is_now.kind and not around:
        yield DiffRow(RowKind.LAYER, name, "class", was.kind, is_now.kind, None)
    for metric in ("params", "flops"):
        one, other = getattr(was, metric), getattr(is_now, metric)
        if told(one) != told(other):
            yield exact(RowKind.LAYER, name, metric, one, other)


def _one_sided(name: str, cost: RowCost, *, is_gone: bool) -> Iterator[DiffRow]:
    """What is only on one side: with what it is, and what it costs."""
    if name == NO_LAYER and not cost.params.value and not cost.flops.value:
        return  # what is around the layers is none
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
    moved = is_now + _negative(was)
    change = told(moved) if was.known and is_now.known else None
    all_ = was, is_now, moved
    unsure = [one for one in (was, is_now) if one.kind in (Kind.AT_LEAST, Kind.UNKNOWN)]
    if unsure:
        return DiffRow(
            kind, name, metric, before, after, change, None, None, unsure[0].reason, all_
        )
    return DiffRow(
        kind, name, metric, before, after, change, None, before != after, quantities=all_
    )
