"""What an optimizer adds to a training step: ops for each variable, and the state it keeps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tfprof.analyses.cost.op_costs import OpCost
from tfprof.analyses.graph.subgraph import UPDATE
from tfprof.analyses.training.written_ops import op_of
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.dims import Open
from tfprof.ops.rule import Call, Tensor
from tfprof.wire import dtypes

ADAM, MOMENTUM, SGD = "adam", "momentum", "sgd"
# how many tensors as large as a variable each optimizer keeps
SLOTS = {ADAM: 2, MOMENTUM: 1, SGD: 0}
_APPLIED = {ADAM: "ApplyAdam", MOMENTUM: "ApplyMomentum", SGD: "ApplyGradientDescent"}
# where these ops take the gradient
_PLACES = {ADAM: 9, MOMENTUM: 3, SGD: 2}
_SCALAR = Tensor(())


@frozen_dataclass
class Trained:
    """A variable with its gradient; of a sparse one the gradient holds some rows only."""

    name: str
    value: Tensor
    gradient: Tensor
    row: int
    sparse: bool = False


def updates(
    trained: Sequence[Trained], optimizer: str, *, fused: bool, scales_loss: bool = False
) -> list[OpCost]:
    """The ops that change the variables: one each where they are `fused`, else as Keras does.

    Who `scales_loss` computes in float16: gradients are looked at and divided before an update.
    """
    if fused:
        return [_applied(one, optimizer) for one in trained]
    written: list[OpCost] = []
    if scales_loss and trained:
        trained = _unscaled(trained, written)
    if not any(one.sparse for one in trained):
        trained = _all_at_once(trained, written)
    for one in trained:
        _KERAS[optimizer](_Writer(one, written, optimizer))
    return written


def _applied(one: Trained, optimizer: str) -> OpCost:
    """The kernels of TensorFlow 1 need nothing beside the variable and its slots."""
    inputs = [one.value] * _PLACES[optimizer] + [one.gradient]
    call = Call(f"{optimizer}/{one.name}", _APPLIED[optimizer], inputs)
    return op_of(call, one.row, UPDATE)


def _unscaled(trained: Sequence[Trained], written: list[OpCost]) -> list[Trained]:
    """No gradient is used before all are known to be finite: one that is not ends the step."""

    def op(name: str, row: int, made: Tensor, *inputs: Tensor) -> Tensor:
        call = Call(f"loss_scale/{name}", name.rpartition("/")[2], inputs)
        call.outputs = [made]
        written.append(op_of(call, row, UPDATE))
        return made

    finite = []
    for one in trained:
        each = Tensor(one.gradient.shape, dtypes.BOOL)
        each = op(f"{one.name}/IsFinite", one.row, each, one.gradient)
        finite.append(op(f"{one.name}/All", one.row, Tensor((), dtypes.BOOL), each))
    first = trained[0].row
    packed = op("Pack", first, Tensor((len(finite),), dtypes.BOOL), *finite)
    go = op("All", first, Tensor((), dtypes.BOOL), packed)
    return [
        replace(
            one,
            gradient=op(
                f"{one.name}/RealDiv",
                one.row,
                Tensor(one.gradient.shape, one.gradient.dtype),
                *(one.gradient, _SCALAR, go),
            ),
        )
        for one in trained
    ]


def _all_at_once(trained: Sequence[Trained], written: list[OpCost]) -> list[Trained]:
    """Keras waits for every gradient before the first update, unless some are sparse."""
    if not trained:
        return []
    call = Call("optimizer/IdentityN", "IdentityN", [one.gradient for one in trained])
    call.outputs = [Tensor(one.gradient.shape, one.gradient.dtype) for one in trained]
    written.append(op_of(call, trained[0].row, UPDATE))
    return [
        Trained(one.name, one.value, made, one.row)
        for one, made in zip(trained, call.outputs, strict=True)
    ]


@frozen_dataclass
class _Writer:
    """Writes the ops for one variable."""

    one: Trained
    written: list[OpCost]
    optimizer: str

    def op(self, op: str, *inputs: Tensor, shape: Open = None) -> Tensor:
        dtype = self.one.gradient.dtype
        made = Tensor(self.one.value.shape if shape is None else shape, dtype)
        call = Call(f"{self.optimizer}/{self.one.name}/{op}", op, inputs)
        call.outputs = [made]
        self.written.append(op_of(call, self.one.row, UPDATE))
        return made

    def dense(self, gradient: Tensor) -> Tensor:
        """Rows added up where they belong."""
        return self.op("UnsortedSegmentSum", gradient) if self.one.sparse else gradient


def _adam(to: _Writer) -> None:
    """Both averages, then the step; each waits for what it reads."""
    gradient = to.one.gradient
    mean = to.op("Mul", to.op("Sub", to.dense(gradient), _SCALAR), _SCALAR)
    first = to.op("AssignAddVariableOp", _SCALAR, mean)
    squared = to.dense(to.op("Square", gradient, shape=gradient.shape))
    spread = to.op("Mul", to.op("Sub", squared, _SCALAR), _SCALAR)
    second = to.op("AssignAddVariableOp", _SCALAR, spread)
    moved = to.op("Mul", first, _SCALAR)
    root = to.op("AddV2", to.op("Sqrt", second), _SCALAR)
    to.op("AssignSubVariableOp", _SCALAR, to.op("RealDiv", moved, root))


def _momentum(to: _Writer) -> None:
    kept = to.op("Mul", _SCALAR, _SCALAR)
    step = to.op("Mul", to.dense(to.one.gradient), _SCALAR)
    moved = to.op("Sub", kept, step)
    to.op("AssignVariableOp", _SCALAR, moved)
    to.op("AssignAddVariableOp", _SCALAR, moved)


def _sgd(to: _Writer) -> None:
    to.op("AssignSubVariableOp", _SCALAR, to.op("Mul", to.dense(to.one.gradient), _SCALAR))


_KERAS: dict[str, Callable[[_Writer], None]] = {ADAM: _adam, MOMENTUM: _momentum, SGD: _sgd}
