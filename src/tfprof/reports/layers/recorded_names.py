"""Layers by the names that the program gave them.

A scope in a traced graph is unique, not faithful: the ops of the Keras layer `dense` stand in
`sequential_1/dense_1`, those of `dense_1` in `sequential_1/dense_1_2`. The record of a run has the
names, and the scopes as far as they were seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from tfprof.analyses.graph.layer_names import path_of
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.late_pattern import late_pattern
from tfprof.model.profile import ProfileData
from tfprof.model.run_record import RecordedLayer
from tfprof.results.answered import Answered
from tfprof.results.layers import LayersResult, LayersRow
from tfprof.results.op_times import OpTime

_LAYER = "layer"
_NUMBERED = late_pattern(r"(.+)_\d{1,9}")


def named_as_recorded(
    data: ProfileData, answered: Answered[LayersResult]
) -> Answered[LayersResult]:
    """As it is where nothing was recorded, or where names would no longer tell rows apart."""
    found = answered.data
    if found.by != _LAYER:
        return answered
    rows = found.time.rows if found.time is not None else ()
    names = dict.fromkeys([*(row.name for row in found.rows), *(row.name for row in rows)])
    layers = _layer_of_row(data, names)
    called = {name: layers[name].label if name in layers else name for name in names}
    if not layers or len(set(called.values())) < len(called):
        return answered
    time = found.time
    if time is not None:
        time = replace(time, rows=tuple(_timed(row, called[row.name]) for row in time.rows))
    estimated = found.estimated_time
    if estimated is not None:
        each = (replace(row, name=called.get(row.name, row.name)) for row in estimated.rows)
        estimated = replace(estimated, rows=tuple(each))
    told = tuple(_layer(row, layers.get(row.name)) for row in found.rows)
    result = replace(found, rows=told, time=time, estimated_time=estimated)
    return replace(answered, data=result)


def recorded_layers(data: ProfileData) -> tuple[RecordedLayer, ...]:
    """Those of the Keras model that was trained; none where none was."""
    first = data.record.first if data.record is not None else None
    return first.model.layers if first is not None and first.model is not None else ()


def known_layers(data: ProfileData) -> dict[tuple[str, ...], str] | None:
    """What layers are called, by their scopes; None where nothing was recorded of them.

    A layer inside another one has both names: `base/conv2d`.
    """
    layers = _labelled(recorded_layers(data))
    if not layers:
        return None
    return {one.path: one.label for one in layers} if _told_apart(layers) else {}


@frozen_dataclass
class _Labelled:
    """A layer, where its ops stand, and what a row about it is called."""

    layer: RecordedLayer
    path: tuple[str, ...]
    label: str


def _labelled(layers: Iterable[RecordedLayer]) -> list[_Labelled]:
    """Of those that stand in a scope; what is around others comes first."""
    placed = [(path_of(one.scope), one) for one in layers if one.scope]
    labels: dict[tuple[str, ...], str] = {}
    found = []
    for path, one in sorted(placed, key=lambda pair: len(pair[0])):
        outer = (labels.get(path[:depth]) for depth in range(len(path) - 1, 0, -1))
        above = next((label for label in outer if label is not None), None)
        label = one.name if above is None else f"{above}/{one.name}"
        labels[path] = label
        found.append(_Labelled(one, path, label))
    return found


def _told_apart(layers: Sequence[_Labelled]) -> bool:
    return len({one.label for one in layers}) == len(layers)


def _layer_of_row(data: ProfileData, names: Collection[str]) -> dict[str, _Labelled]:
    """By its label, by the innermost scope where that names it, or by the only name that fits."""
    layers = _labelled(recorded_layers(data))
    found = {one.label: one for one in layers if one.label in names and _told_apart(layers)}
    placed = [(one.path[-1], one) for one in layers if one.path and one.label not in found]
    shared = Counter(scope for scope, _ in placed)
    found |= {scope: one for scope, one in placed if scope in names and shared[scope] == 1}
    known = {one.layer.name for one in found.values()}
    fitting: dict[str, list[str]] = {}
    for row in (name for name in names if name not in found):
        for base in _without_numbers(row):
            fitting.setdefault(base, []).append(row)
    for one in layers:
        rows = fitting.get(one.layer.name, [])
        if one.layer.name not in known and len(rows) == 1:
            found.setdefault(rows[0], one)
    return found


def _without_numbers(name: str) -> Iterator[str]:
    """dense_1_2, dense_1, dense: what it may have been before it was made unique."""
    yield name
    while match := _NUMBERED.fullmatch(name):
        name = match[1]
        yield name


def _layer(row: LayersRow, known: _Labelled | None) -> LayersRow:
    if known is None:
        return row
    cost = replace(row.cost, kind=known.layer.class_name or row.cost.kind)
    return replace(row, named={_LAYER: known.label}, name=known.label, cost=cost)


def _timed(row: OpTime, name: str) -> OpTime:
    return replace(row, row=dict.fromkeys(row.row, name), name=name)
