"""Layers of a Keras file as the ops that TensorFlow would run for them.

What a layer class becomes is a function registered in `keras_layer_ops.py`; a class without one is
an op of its own that reads its inputs and makes its outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from tfprof.analyses.cost.op_costs import OpCost
from tfprof.analyses.graph.subgraph import FORWARD
from tfprof.analyses.keras_layers.rule import Call as LayerCall
from tfprof.analyses.keras_layers.rule import Unknown, Variable
from tfprof.analyses.memory.written_ops import op_of
from tfprof.model.dims import Open
from tfprof.ops.rule import FLOAT, Call, Tensor
from tfprof.ops.shape_tools import broadcast
from tfprof.wire import dtypes
from tfprof.wire.schema import Proto

SCALAR = Tensor(())


@dataclass(slots=True)
class Sheet:
    """Where the ops of a model are written down: in training, or for a prediction."""

    training: bool
    ops: list[OpCost] = field(default_factory=list)
    # handle of each variable by its name
    handles: dict[str, Tensor] = field(default_factory=dict)
    trained: set[str] = field(default_factory=set)
    unlisted: list[str] = field(default_factory=list)

    def take_back(self, length: int) -> None:
        """As it was when it had so many ops."""
        for op in self.ops[length:]:
            self.handles.pop(op.site.name, None)
            self.trained.discard(op.site.name)
        del self.ops[length:]


@dataclass(frozen=True, slots=True)
class Layer:
    """One call of a layer while its ops are written down."""

    sheet: Sheet
    name: str
    # the layer's own name, whichever call of it this is
    path: str
    row: int
    call: LayerCall
    inputs: Sequence[Tensor]
    # what comes out, by shape and type
    made: Sequence[Tensor]
    variables: Mapping[str, Variable]

    @property
    def x(self) -> Tensor:
        return self.inputs[0]

    @property
    def shape(self) -> Open:
        """Of the first output."""
        return self.made[0].shape

    @property
    def dtype(self) -> int:
        return self.made[0].dtype

    @property
    def training(self) -> bool:
        return self.sheet.training

    def op(
        self,
        op: str,
        *inputs: Tensor,
        shape: Open = None,
        dtype: int = 0,
        **attributes: Proto,
    ) -> Tensor:
        """An op with one output, shaped like the layer's unless stated."""
        made = Tensor(self.shape if shape is None else shape, dtype or self.dtype)
        return self.ops(op, *inputs, outputs=[made], **attributes)[0]

    def ops(
        self,
        op: str,
        *inputs: Tensor,
        outputs: Sequence[Tensor],
        **attributes: Proto,
    ) -> Sequence[Tensor]:
        call = Call(f"{self.name}/{op}", op, inputs, lambda: attributes)
        call.outputs = outputs
        self.sheet.ops.append(op_of(call, self.row, FORWARD))
        return outputs

    def each(self, op: str, *inputs: Tensor) -> Tensor:
        """An element-wise op: inputs stretch over each other."""
        return self.op(op, *inputs, shape=broadcast(*(one.shape for one in inputs)))

    def has(self, name: str) -> bool:
        return name in self.variables

    def weight(self, name: str, shape: Open = None) -> Tensor:
        """The value of a variable, in another shape of the same size if one is given."""
        variable = self.variables[name]
        full = f"{self.path}/{name}"
        handle = self.sheet.handles.get(full)
        if handle is None:
            handle = self._handle(full, variable)
        read = Tensor(variable.shape, FLOAT, variable=full)
        self.ops("ReadVariableOp", handle, outputs=[read])
        value = read
        if self.dtype != FLOAT:
            value = self.op("Cast", value, shape=variable.shape)
        if shape is not None and shape != variable.shape:
            value = self.op("Reshape", value, shape=shape, dtype=value.dtype)
        return value

    def _handle(self, full: str, variable: Variable) -> Tensor:
        held = Tensor(variable.shape, FLOAT)
        handle = Tensor((), dtypes.RESOURCE, holds=held, variable=full)
        call = Call(full, "VarHandleOp", [])
        call.outputs = [handle]
        self.sheet.ops.append(op_of(call, self.row, FORWARD))
        self.sheet.handles[full] = handle
        if variable.trained and self.call.trainable:
            self.sheet.trained.add(full)
        return handle


# the outputs of a layer; one tensor stands for a list of one
Made = Tensor | Sequence[Tensor]
Write = Callable[[Layer], Made]
_WRITERS: dict[str, Write] = {}


def written_as(classes: str) -> Callable[[Write], Write]:
    """Registers what some layer classes become, split at blanks."""

    def register(function: Write) -> Write:
        for name in classes.split():
            if name in _WRITERS:
                raise ValueError(f"{name!r} is written in two ways")
            _WRITERS[name] = function
        return function

    return register


def writers() -> Mapping[str, Write]:
    from tfprof.analyses.memory import keras_layer_ops  # noqa: F401  (registers them)

    return MappingProxyType(_WRITERS)


_DAMAGED = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, Unknown)


def write(layer: Layer) -> Made:
    """The ops of a layer; of one that is not as its class has it, a single op."""
    known = writers().get(layer.call.class_name)
    if known is None:
        return as_one_op(layer)
    before = len(layer.sheet.ops)
    try:
        return known(layer)
    except _DAMAGED:
        layer.sheet.take_back(before)
        return as_one_op(layer)


def as_one_op(layer: Layer) -> Made:
    """A class that nothing is written down for."""
    weights = [layer.weight(name) for name in layer.variables]
    layer.sheet.unlisted.append(layer.call.class_name)
    return layer.ops(f"keras.{layer.call.class_name}", *layer.inputs, *weights, outputs=layer.made)
