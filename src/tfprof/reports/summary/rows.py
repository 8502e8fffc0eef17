"""Where the cost sits, and the layers of a Keras file."""

from __future__ import annotations

from tfprof.analyses.graph.node_types import executed_types
from tfprof.model.graph import elements
from tfprof.model.keras_model import KerasLayer, KerasModel, Weight
from tfprof.model.quantity import Quantity
from tfprof.reports.shared.digest import Digest
from tfprof.results.keras_model import KerasResult, LayerRow, TensorRow, WeightRow
from tfprof.results.summary import LayerParams, NodeTime, TopRows, VariableParams
from tfprof.wire import dtypes


def top_rows(known: Digest) -> tuple[TopRows, str | None]:
    """The costliest first, by time if there was a run, else by parameters."""
    if known.run is not None:
        return _nodes(known), "time"
    if known.data.keras is not None:
        return _layers(known.data.keras), "params"
    held = _variables(known)
    return held, "params" if held else None


def _nodes(known: Digest) -> tuple[NodeTime, ...]:
    types = executed_types(known.data)
    return tuple(
        NodeTime(
            one.name,
            one.op or types.get(one.name),
            one.micros,
            one.requested,
            one.runs,
            one.copies,
        )
        for one in (known.run.nodes if known.run is not None else ())
    )


def _layers(model: KerasModel) -> tuple[LayerParams, ...]:
    """In order of the model where no parameters are known."""
    rows = [
        LayerParams(
            one.path,
            one.class_name,
            _params(one),
            tuple(weight.shape for weight in one.weights),
            one.trainable,
        )
        for one in model.layers
    ]
    return tuple(sorted(rows, key=lambda row: -(row.params.number or 0)))


def _params(layer: KerasLayer) -> Quantity:
    if layer.unknown:
        return Quantity.unknown(layer.unknown)
    return Quantity.derived(sum(elements(weight.shape) or 0 for weight in layer.weights))


def _variables(known: Digest) -> tuple[VariableParams, ...]:
    rows = [
        VariableParams(
            one.name,
            one.op,
            one.shape or (),
            one.elements,
            one.role.value if one.role else None,
        )
        for one in known.parameters.variables
        if one.elements
    ]
    return tuple(sorted(rows, key=lambda row: (-row.params, row.name)))


def keras_result(model: KerasModel) -> KerasResult:
    layers = tuple(
        LayerRow(
            one.path,
            one.class_name,
            one.trainable,
            _params(one),
            tuple(_weight(weight) for weight in one.weights),
        )
        for one in model.layers
    )
    inputs = tuple(TensorRow(one.name, one.dtype, one.shape) for one in model.inputs)
    return KerasResult(model.name, model.class_name, model.keras_version or None, layers, inputs)


def _weight(weight: Weight) -> WeightRow:
    return WeightRow(weight.name, weight.shape, dtypes.name(weight.dtype), weight.trainable)
