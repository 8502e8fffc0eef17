"""What a Keras model costs, from its config alone: shapes, parameters, MACs, activation bytes.

Sizes are formulas in B, the batch, and in other open dimensions. A layer class that is not known is
named, and everything after it is unknown for that cause; parameters are known there all the same
where the file states the shapes that a layer was built for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

from tfprof.analyses.keras_layers.engine import Found, evaluated
from tfprof.analyses.keras_layers.rule import Sizes, bytes_of
from tfprof.model.dims import Size
from tfprof.model.keras_model import KerasCall, KerasLayer, KerasModel

# the state of random numbers is stored, but Keras does not count it
_SEEDS = ("seed_generator_state",)
# the wrapper and the layer inside both store the kernel
_STORED_TWICE = ("SpectralNormalization",)


@dataclass(frozen=True, slots=True)
class CallCost:
    """One call of a layer. None is unknown, for the `reason`.

    The parameters are those of the layer, whichever call this is; a total counts call 0 only.
    """

    layer: str
    class_name: str
    call: int = 0
    inputs: tuple[Sizes, ...] = ()
    outputs: tuple[Sizes, ...] | None = None
    dtype: str = ""
    trainable: int | None = None
    non_trainable: int | None = None
    macs: Size | None = None
    work: Size | None = None
    activation_bytes: Size | None = None
    reason: str = ""

    @property
    def params(self) -> int | None:
        if self.trainable is None or self.non_trainable is None:
            return None
        return self.trainable + self.non_trainable


@dataclass(frozen=True, slots=True)
class Total:
    """The sum of what is known, and the first reason for what is missing from it."""

    known: Size
    missing: int = 0
    reason: str = ""

    @property
    def value(self) -> Size | None:
        return None if self.missing else self.known


@dataclass(frozen=True, slots=True)
class KerasCosts:
    """`differs` tells of layers whose stored weights are not those that the config asks for."""

    calls: tuple[CallCost, ...] = ()
    missing: str = ""
    differs: tuple[str, ...] = ()

    def total(self, quantity: str) -> Total:
        """Of `trainable`, `non_trainable`, `params`, `macs`, `work` or `activation_bytes`.

        Activations are what layers make: inputs are not among them.
        """
        known: Size = 0
        missing, reason = int(bool(self.missing)), self.missing
        for call in self.calls:
            if quantity in _OF_LAYERS and call.call:
                continue
            if quantity == "activation_bytes" and call.class_name == "InputLayer":
                continue
            value = getattr(call, quantity)
            if value is None:
                missing, reason = missing + 1, reason or call.reason
            else:
                known = known + value
        return Total(known, missing, reason)

    @property
    def input_bytes(self) -> Total:
        inputs = [call for call in self.calls if call.class_name == "InputLayer"]
        lost = [call.reason for call in inputs if call.activation_bytes is None]
        known: Size = 0
        for call in inputs:
            known = known + (call.activation_bytes or 0)
        return Total(known, len(lost), lost[0] if lost else "")

    @property
    def unknown_classes(self) -> tuple[str, ...]:
        """Layer classes without a rule, in order of the model."""
        start = "Unknown layer class "
        found = [c.reason.removeprefix(start) for c in self.calls if c.reason.startswith(start)]
        return tuple(dict.fromkeys(found))


_OF_LAYERS = ("trainable", "non_trainable", "params")


def keras_costs(model: KerasModel) -> KerasCosts:
    """Every call of the model with what it costs."""
    flow = model.flow
    if flow.missing:
        return KerasCosts(missing=flow.missing)
    stored = {} if model.weights_missing else {one.path: one for one in model.layers}
    rows = []
    differs: dict[str, None] = {}
    for call, found in zip(flow.calls, evaluated(flow.calls), strict=True):
        row, fault = _with_stored(_row(call, found), stored.get(call.layer))
        rows.append(row)
        if fault:
            differs[fault] = None
    return KerasCosts(tuple(rows), differs=tuple(differs))


def _row(call: KerasCall, found: Found) -> CallCost:
    row = CallCost(call.layer, call.class_name, call.number, reason=found.reason)
    if found.variables is not None:
        trained = sum(one.elements for one in found.variables if one.trained and call.trainable)
        every = sum(one.elements for one in found.variables)
        row = replace(row, trainable=trained, non_trainable=every - trained)
    cost = found.cost
    if cost is None:
        return row
    held: Size | None = 0
    for tensor in cost.outputs:
        more = bytes_of(tensor)
        held = None if held is None or more is None else held + more
    return replace(
        row,
        inputs=tuple(one.shape for one in found.inputs),
        outputs=tuple(one.shape for one in cost.outputs),
        dtype=cost.outputs[0].dtype if cost.outputs else "",
        macs=cost.macs,
        work=cost.work,
        activation_bytes=held,
        reason=found.reason or ("" if held is not None else "strings have no fixed size"),
    )


def _with_stored(row: CallCost, layer: KerasLayer | None) -> tuple[CallCost, str]:
    """The parameters beside the stored weights: they agree, or stand in for what is unknown."""
    if layer is None:
        return row, ""
    kept = [one for one in layer.weights if not one.name.endswith(_SEEDS)]
    trained = sum(prod(one.shape) for one in kept if one.trainable)
    every = sum(prod(one.shape) for one in kept)
    if row.params is None:
        # nothing stored is no proof that there is nothing
        known = replace(row, trainable=trained, non_trainable=every - trained)
        return (known if kept else row), ""
    if row.params == every or row.class_name in _STORED_TWICE:
        return row, ""
    return row, f"{row.layer}: {every:,} weights are stored, its config asks for {row.params:,}"
