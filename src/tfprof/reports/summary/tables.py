"""The lower half of the summary: where the cost sits."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

from tfprof.model import units
from tfprof.model.graph import elements
from tfprof.results.checkpoint import MeasuredRow, ValueStatistics
from tfprof.results.summary import LayerParams, NodeTime, SummaryResult, VariableParams
from tfprof.views.shapes import Column, Fold, Table, Unit, Value

_TIME = Column("time_us", "time", Unit.MICROS)
_SHARE = Column("share", "share", Unit.SHARE)
_REQUESTED = Column("requested_bytes", "requested", Unit.BYTES)
_PARAMS = Column("params", "params", Unit.COUNT)


def tables(found: SummaryResult) -> list[Table]:
    """Values if they were asked for, else time, layers or variables."""
    stored = found.checkpoint.tensors if found.checkpoint is not None else ()
    measured = [one for one in stored if isinstance(one, MeasuredRow)]
    if measured:
        return [_values(measured)]
    nodes = [row for row in found.costliest if isinstance(row, NodeTime)]
    layers = [row for row in found.costliest if isinstance(row, LayerParams)]
    variables = [row for row in found.costliest if isinstance(row, VariableParams)]
    if nodes:
        return [_types(nodes), _nodes(nodes)]
    return [_layers(layers) if layers else _variables(variables)]


def _types(nodes: Sequence[NodeTime]) -> Table:
    """Time by op type."""
    kinds: dict[str, list[float]] = {}
    for node in nodes:
        sums = kinds.setdefault(node.op or "(not in the graph)", [0, 0, 0, 0])
        told = (node.runs, node.time_us, node.requested_bytes, node.copy_us)
        for place, value in enumerate(told):
            sums[place] += value or 0
    whole = fsum(time - copies for _, time, _, copies in kinds.values())
    columns = [
        Column("op", "op type"), Column("runs", "runs", Unit.COUNT), _TIME, _SHARE, _REQUESTED,
    ]  # fmt: skip
    rows: list[list[Value]] = [
        [kind, runs, time, _share(time, copies, whole), requested]
        for kind, (runs, time, requested, copies) in sorted(
            kinds.items(), key=lambda item: (-item[1][1], item[0])
        )
    ]
    return _of_time(columns, rows, nodes, "Costliest op types")


def _share(time: float, copies: float, whole: float) -> Value:
    """Copies of a device go on beside its kernels, and are no part of their time."""
    own = time - copies
    if copies and not own:
        return ""
    return own / whole if whole else 0


def _nodes(nodes: Sequence[NodeTime]) -> Table:
    # Python 3.12 rounds sums of floats otherwise than 3.11; this one has no error to round
    whole = fsum(node.time_us - node.copy_us for node in nodes)
    rows: list[list[Value]] = [
        [one.name, one.time_us, _share(one.time_us, one.copy_us, whole), one.requested_bytes]
        for one in nodes
    ]
    columns = [Column("name", "node"), _TIME, _SHARE, _REQUESTED]
    return _of_time(columns, rows, nodes, "Costliest nodes")


def _of_time(
    columns: list[Column],
    rows: list[list[Value]],
    nodes: Sequence[NodeTime],
    title: str,
) -> Table:
    """A capture of TensorFlow 2 does not tell what ops asked their allocators for."""
    if all(node.requested_bytes is None for node in nodes):
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    return Table(columns, rows, title, fold=Fold(0, _SHARE.key, 1.0))


def _layers(layers: Sequence[LayerParams]) -> Table:
    whole = sum(one.params.number or 0 for one in layers)
    columns = [
        Column("name", "layer"),
        Column("class", "class"),
        Column("shapes", "weights", Unit.PROSE),
        Column("trainable", "trained"),
        _PARAMS,
        _SHARE,
    ]
    rows = [_layer(one, whole) for one in layers]
    return Table(columns, rows, "Largest layers", fold=Fold(0, _PARAMS.key, whole))


def _layer(one: LayerParams, whole: float) -> list[Value]:
    count = one.params.number
    share = one.params if count is None else count / whole if whole else 0
    shapes = " ".join(units.shape(shape) for shape in one.shapes)
    return [one.name, one.op, shapes, "yes" if one.trainable else "no", one.params, share]


def _variables(variables: Sequence[VariableParams]) -> Table:
    whole = sum(one.params for one in variables)
    columns = [
        Column("name", "variable"), Column("shape", "shape"), Column("role", "role"), _PARAMS,
        _SHARE,
    ]  # fmt: skip
    rows: list[list[Value]] = [
        [one.name, units.shape(one.shape), one.role, one.params, one.params / whole]
        for one in variables
    ]
    return Table(columns, rows, "Largest variables", fold=Fold(0, _PARAMS.key, whole))


def _values(tensors: Sequence[MeasuredRow]) -> Table:
    """Tensors with NaN or infinity first, then the largest."""
    columns = [
        Column("name", "tensor"),
        Column("min", "min", Unit.NUMBER),
        Column("max", "max", Unit.NUMBER),
        Column("mean", "mean", Unit.NUMBER),
        Column("std", "std", Unit.NUMBER),
        Column("nan", "NaN", Unit.COUNT),
        Column("inf", "Inf", Unit.COUNT),
        Column("zeros", "zeros", Unit.SHARE),
    ]
    found = [(one, one.statistics) for one in tensors if one.statistics is not None]
    found.sort(key=lambda pair: (-pair[1].bad, -(elements(pair[0].shape) or 0), pair[0].name))
    return Table(columns, [_value(*pair) for pair in found], "Values", fold=Fold(0))


def _value(tensor: MeasuredRow, values: ValueStatistics) -> list[Value]:
    zeros = values.zeros / values.count if values.count else None
    moments = (values.min, values.max, values.mean, values.std)
    return [tensor.name, *moments, values.nan, values.inf, zeros]
