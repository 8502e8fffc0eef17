"""Peak memory of a Keras file without TensorFlow: its layers as ops, in prediction and training."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tfprof.analyses.cost.op_costs import OpCosts
from tfprof.analyses.graph.subgraph import FORWARD, INFERENCE, TRAIN, Subgraph
from tfprof.analyses.inference.sites import Inferred
from tfprof.analyses.keras_layers.engine import Found, evaluated
from tfprof.analyses.keras_layers.rule import Call as LayerCall
from tfprof.analyses.keras_layers.rule import Tensor as Stated
from tfprof.analyses.memory.keras_writer import Layer, Sheet, write
from tfprof.analyses.memory.optimizers import ADAM
from tfprof.analyses.memory.training import Training, with_gradients
from tfprof.analyses.memory.written_ops import op_of
from tfprof.model.dims import Size, at
from tfprof.model.graph import Edges, Graph
from tfprof.model.interned import Interned
from tfprof.model.keras_model import KerasCall, KerasModel, Ref
from tfprof.model.names import Names
from tfprof.ops.attributes import shape as stated_shape
from tfprof.ops.rule import Call, Tensor
from tfprof.wire import dtypes
from tfprof.wire.schema import Proto

_INPUT = "InputLayer"
_NAMED = 3
_ENGINE: Any = None  # shapes are known by now: nobody asks for others


@dataclass(frozen=True, slots=True)
class KerasStep:
    """What a model computes in one step, as ops; `missing` says what is not in it, and why.

    The graph has a node a call of a layer and no edges: what waits for what is in the tensors.
    """

    training: Training
    graph: Graph
    missing: list[str]


def keras_step(
    model: KerasModel, sizes: Mapping[str, int], *, train: bool = False, optimizer: str = ADAM
) -> KerasStep:
    """A prediction or a training step; sizes that are not given stay open."""
    flow = model.flow
    found = evaluated(flow.calls) if not flow.missing else []
    sheet = _written(flow.calls, found, sizes, training=train)
    mode = TRAIN if train else INFERENCE
    what = "one training step, by its layers" if train else "one prediction, by its layers"
    part = Subgraph(np.arange(len(flow.calls)), mode, what)
    costs = OpCosts(part, Inferred([], []), sheet.ops)
    result = with_gradients(costs, optimizer, sheet.trained) if train else Training(costs)
    result = replace(result, notes=[*_assumed(sheet), *result.notes])
    return KerasStep(result, _graph(flow.calls), _missing(flow.missing, found))


def _written(
    calls: tuple[KerasCall, ...], found: list[Found], sizes: Mapping[str, int], *, training: bool
) -> Sheet:
    sheet = Sheet(training)
    made: dict[tuple[int, int], Tensor] = {}
    for row, (call, one) in enumerate(zip(calls, found, strict=True)):
        if one.cost is None:
            continue  # what follows from it is unknown as well
        outputs = [_sized(tensor, sizes) for tensor in one.cost.outputs]
        if call.class_name == _INPUT:
            _feed(sheet, call, row, outputs[0])
        else:
            layer = _layer(sheet, call, row, one, made, outputs)
            result = write(layer)
            outputs = [result] if isinstance(result, Tensor) else list(result)
        made.update({(row, place): tensor for place, tensor in enumerate(outputs)})
    return sheet


def _layer(
    sheet: Sheet,
    call: KerasCall,
    row: int,
    found: Found,
    made: Mapping[tuple[int, int], Tensor],
    outputs: list[Tensor],
) -> Layer:
    inputs = [made[ref.call, ref.output] for ref in _refs([call.args, call.kwargs])]
    seen = LayerCall(
        call.class_name, call.config, found.inputs, {}, _ENGINE, trainable=call.trainable
    )
    number = f" (call {call.number + 1})" if call.number else ""
    variables = {one.name: one for one in found.variables or ()}
    return Layer(sheet, call.layer + number, call.layer, row, seen, inputs, outputs, variables)


def _refs(value: object) -> Iterator[Ref]:
    """The tensors among the arguments of a call, in order."""
    if isinstance(value, Ref):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _refs(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _refs(one)


def _sized(tensor: Stated, sizes: Mapping[str, int]) -> Tensor:
    shape: tuple[Size, ...] = tuple(at(size, sizes) for size in tensor.shape)
    return Tensor(shape, dtypes.number(tensor.dtype) or 0)


def _feed(sheet: Sheet, call: KerasCall, row: int, tensor: Tensor) -> None:
    """What is fed: Keras leaves the batch open."""
    sizes = [size if isinstance(size, int) else None for size in tensor.shape or ()]
    attributes = {"shape": stated_shape([None, *sizes[1:]])}
    fed = Call(call.layer, "Placeholder", [], lambda: attributes)
    fed.outputs = [tensor]
    sheet.ops.append(op_of(fed, row, FORWARD))


def _assumed(sheet: Sheet) -> list[str]:
    """Layer classes that stand in the program as one op."""
    classes = Counter(sheet.unlisted)
    if not classes:
        return []
    named = ", ".join(name for name, _ in classes.most_common(_NAMED))
    more = " and others" if len(classes) > _NAMED else ""
    return [f"{named}{more}: taken as one op each, without what is allocated inside"]


def _missing(cause: str, found: list[Found]) -> list[str]:
    if cause:
        return [cause]
    reasons = Counter(one.reason for one in found if one.cost is None)
    return [f"{count} of {len(found)} layers: {reason}" for reason, count in reasons.items()]


class _NoAttributes:
    def of(self, node: int) -> Mapping[str, Proto]:  # noqa: ARG002
        return {}

    def column(self, name: str) -> Mapping[int, Proto]:  # noqa: ARG002
        return {}


def _graph(calls: tuple[KerasCall, ...]) -> Graph:
    none = np.zeros(0, np.int32)
    edges = Edges(np.zeros(len(calls) + 1, np.int64), none, none)
    names = Names([call.layer for call in calls])
    ops, devices = Interned.of([call.class_name for call in calls]), Interned.of([""] * len(calls))
    return Graph(names, ops, devices, edges, _NoAttributes())
