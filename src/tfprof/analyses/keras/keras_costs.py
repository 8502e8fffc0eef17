"""What a Keras model costs, from its config alone: shapes, parameters, MACs, activation bytes.

Sizes are formulas in B, the batch, and in other open dimensions. A layer class that is not known is
named, and everything after it is unknown for that cause; parameters are known there all the same
where the file states the shapes that a layer was built for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import prod

from tfprof.analyses.cost.op_costs import Cost, OpCost, summed
from tfprof.analyses.graph.subgraph import BACKWARD, PHASES
from tfprof.analyses.keras.keras_step import keras_step
from tfprof.analyses.training.optimizers import ADAM
from tfprof.analyses.training.written_ops import is_counted
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.keras_layers.layer import Sizes, shape_of
from tfprof.keras_layers.model import WrittenCall
from tfprof.model.dims import Size, elements, packed
from tfprof.model.keras_model import KerasCall, KerasLayer, KerasModel
from tfprof.wire import dtypes

_STRINGS = "strings have no fixed size"
# the wrapper and the layer inside both store the kernel
_STORED_TWICE = ("SpectralNormalization",)


@frozen_dataclass
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


@frozen_dataclass
class Total:
    """The sum of what is known, and the first reason for what is missing from it."""

    known: Size
    missing: int = 0
    reason: str = ""

    @property
    def value(self) -> Size | None:
        return None if self.missing else self.known


@frozen_dataclass
class KerasCosts:
    """`what` is computed; of a training step also by phase.

    `differs` tells of layers whose stored weights are not those that the config asks for.
    """

    calls: tuple[CallCost, ...] = ()
    missing: str = ""
    differs: tuple[str, ...] = ()
    what: str = ""
    phases: Mapping[str, Cost] | None = None

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


def keras_costs(model: KerasModel, *, train: bool = False, optimizer: str = ADAM) -> KerasCosts:
    """Every call of the model with what it costs, in a prediction or in a training step."""
    flow = model.flow
    step = keras_step(model, {}, train=train, optimizer=optimizer)
    costs = step.training.costs
    if flow.missing:
        return KerasCosts(missing=flow.missing, what=costs.part.what)
    ops: list[list[OpCost]] = [[] for _ in flow.calls]
    for op in costs.ops:
        ops[op.site.row].append(op)
    stored = {} if model.weights_missing else {one.path: one for one in model.layers}
    rows = []
    differs: dict[str, None] = {}
    for call, written, run in zip(flow.calls, step.written.calls, ops, strict=True):
        row, fault = _with_stored(_row(call, written, run), stored.get(call.layer))
        rows.append(row)
        if fault:
            differs[fault] = None
    phases = {phase: costs.of_phase(phase) for phase in PHASES} if train else None
    return KerasCosts(tuple(rows), "", tuple(differs), costs.part.what, phases)


def _row(call: KerasCall, written: WrittenCall, ops: list[OpCost]) -> CallCost:
    row = CallCost(call.layer, call.class_name, call.number, reason=written.reason or written.note)
    if written.variables is not None:
        trained = sum(one.elements for one in written.variables if one.trained)
        every = sum(one.elements for one in written.variables)
        row = replace(row, trainable=trained, non_trainable=every - trained)
    if written.outputs is None:
        return row
    held: Size | None = 0
    for tensor in written.outputs:
        more = packed(elements(tensor.shape), tensor.dtype)
        held = None if held is None or more is None else held + more
    total = summed(ops)
    uncounted = any(op.phase == BACKWARD and not is_counted(op) for op in ops)
    gradient = f"the gradient of {call.class_name} is not known" if uncounted else ""
    return replace(
        row,
        inputs=tuple(shape_of(one) for one in written.inputs),
        outputs=tuple(shape_of(one) for one in written.outputs),
        dtype=dtypes.name(written.outputs[0].dtype) if written.outputs else "",
        macs=None if gradient else total.macs,
        work=None if written.note or gradient else total.flops_all - total.flops,
        activation_bytes=held,
        reason=row.reason or gradient or ("" if held is not None else _STRINGS),
    )


def _with_stored(row: CallCost, layer: KerasLayer | None) -> tuple[CallCost, str]:
    """The parameters beside the stored weights: they agree, or stand in for what is unknown."""
    if layer is None:
        return row, ""
    kept = [one for one in layer.weights if not one.is_seed]
    trained = sum(prod(one.shape) for one in kept if one.trainable)
    every = sum(prod(one.shape) for one in kept)
    if row.params is None:
        # nothing stored is no proof that there is nothing
        known = replace(row, trainable=trained, non_trainable=every - trained)
        return (known if kept else row), ""
    if row.params == every or row.class_name in _STORED_TWICE:
        return row, ""
    return row, f"{row.layer}: {every:,} weights are stored, its config asks for {row.params:,}"
