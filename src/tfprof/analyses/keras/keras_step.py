"""A step of a Keras file without TensorFlow: its layers as ops, in prediction and training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tfprof.analyses.cost.op_costs import OpCost, OpCosts
from tfprof.analyses.graph.subgraph import FORWARD, INFERENCE, TRAIN, Subgraph
from tfprof.analyses.inference.sites import Called, Inferred
from tfprof.analyses.training.added_step import Training, with_gradients
from tfprof.analyses.training.optimizers import ADAM
from tfprof.analyses.training.written_ops import op_of
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.keras_layers.layer import LayerOp, computes_in_half
from tfprof.keras_layers.model import AFTER, WrittenModel, write
from tfprof.keras_layers.sized import at_sizes
from tfprof.model import units
from tfprof.model.dims import Size
from tfprof.model.graph import Edges, Graph
from tfprof.model.interned import Interned
from tfprof.model.keras_model import KerasCall, KerasCalls, KerasModel
from tfprof.model.names import Names
from tfprof.wire.schema import Proto

_NAMED = 3


@frozen_dataclass
class KerasStep:
    """What a model computes in one step, as ops; `missing` says what is not in it, and why.

    The graph has a node a call of a layer and no edges: what waits for what is in the tensors.
    """

    written: WrittenModel
    training: Training
    graph: Graph
    missing: list[str]


def keras_step(
    model: KerasModel,
    sizes: Mapping[str, Size],
    *,
    train: bool = False,
    optimizer: str = ADAM,
    written: WrittenModel | None = None,
) -> KerasStep:
    """A prediction or a training step; sizes that are not given stay open.

    `written` is the model as `written_model` has it, where somebody needs it for several sizes.
    """
    found = written_model(model, train=train) if written is None else written
    ops = _ops(at_sizes(found, sizes))
    calls = model.flow.calls[: len(found.calls)]
    what = "one training step, by its layers" if train else "one prediction, by its layers"
    part = Subgraph(np.arange(len(calls)), TRAIN if train else INFERENCE, what)
    costs = OpCosts(part, Inferred([], []), ops)
    result = Training(costs)
    if train:
        scales = any(computes_in_half(call.config.get("dtype")) for call in calls)
        result = with_gradients(costs, optimizer, found.trained, scales_loss=scales)
    return KerasStep(found, result, _graph(calls), _missing(model.flow, found))


def _ops(calls: Sequence[Sequence[LayerOp]]) -> list[OpCost]:
    """With what a loop runs tied to it, as for a graph."""
    found = [
        op_of(op.call, row, FORWARD, op.times, op.work)
        for row, ops in enumerate(calls)
        for op in ops
    ]
    written = [op for ops in calls for op in ops]
    sites = {id(op): made.site for op, made in zip(written, found, strict=True)}
    for op in written:
        if (loop := op.loop) is not None:
            sites[id(op)].called = Called(
                loop.results,
                loop.carried,
                loop.trips,
                [sites[id(one)] for one in loop.condition],
                [sites[id(one)] for one in loop.body],
            )
    return found


def written_model(model: KerasModel, *, train: bool) -> WrittenModel:
    return write(() if model.flow.missing else model.flow.calls, training=train)


def _missing(flow: KerasCalls, written: WrittenModel) -> list[str]:
    """Which layers are not known, each with its reason, and how many come after them."""
    if flow.missing:
        return [flow.missing]
    rows = zip(flow.calls, written.calls, strict=True)
    lost = {call.layer: one.reason for call, one in rows if one.outputs is None}
    named = [f"{layer} ({why})" for layer, why in lost.items() if not why.startswith(AFTER)]
    if not lost:
        return []
    after = len(lost) - len(named)
    more = [f"{units.plural(after, 'layer')} after"] if after else []
    more = [f"{len(named) - _NAMED} others", *more] if len(named) > _NAMED else more
    count = f"{len(lost)} of {units.plural(len(written.calls), 'layer')}"
    return [f"{count}: {', '.join([*named[:_NAMED], *more])}"]


class _NoAttributes:
    def of(self, node: int) -> Mapping[str, Proto]:  # noqa: ARG002
        return {}

    def column(self, name: str, among: npt.NDArray[np.int64] | None = None) -> Mapping[int, Proto]:  # noqa: ARG002
        return {}


def _graph(calls: Sequence[KerasCall]) -> Graph:
    none = np.zeros(0, np.int32)
    edges = Edges(np.zeros(len(calls) + 1, np.int64), none, none)
    names = Names([call.layer for call in calls])
    ops, devices = Interned.of([call.class_name for call in calls]), Interned.of([""] * len(calls))
    return Graph(names, ops, devices, edges, _NoAttributes())
