"""The weights that a model's configuration asks for, where its file tells nothing of them.

The file may hold none, or holds them in HDF5 and nothing here reads that.
"""

from __future__ import annotations

from dataclasses import replace

from tfprof.keras_layers.model import INPUT, WrittenCall, write
from tfprof.model.keras_model import KerasLayer, KerasModel, Weight

_NOT_CALLED = "nothing calls it, so what it was built for is not known"


def with_weights(model: KerasModel) -> KerasModel:
    """As stored, else as configured; a layer whose class is not known says so."""
    if not model.weights_missing or any(one.weights or one.unknown for one in model.layers):
        return model
    written = write(() if model.flow.missing else model.flow.calls).calls
    found: dict[str, WrittenCall] = {}
    for call, one in zip(model.flow.calls, written, strict=False):
        found.setdefault(call.layer, one)
    reason = model.flow.missing or _NOT_CALLED
    layers = (_configured(one, found.get(one.path), reason) for one in model.layers)
    return replace(model, layers=tuple(layers))


def _configured(layer: KerasLayer, call: WrittenCall | None, reason: str) -> KerasLayer:
    if layer.class_name == INPUT:  # that of a model inside a model is never called
        return layer
    if call is None or call.variables is None:
        return replace(layer, unknown=reason if call is None else call.reason)
    weights = (
        Weight(f"{layer.path}/{one.name}", one.shape, one.dtype, one.trained)
        for one in call.variables
    )
    return replace(layer, weights=tuple(weights))
