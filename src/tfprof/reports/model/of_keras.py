"""The layers of a Keras file as a graph: a node a call, as its configuration connects them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from tfprof.analyses.keras.keras_costs import CallCost, KerasCosts
from tfprof.errors import InputMissing
from tfprof.model.dims import BATCH, Size, at, symbols
from tfprof.model.keras_model import KerasCall, KerasModel, Ref
from tfprof.model.metrics import COUNT, OF_BYTES, OF_TIME
from tfprof.reports.model.parts import Found, NodeMetric, Reads, Shapes
from tfprof.reports.shared.keras_costs import costs_of_layers, missing
from tfprof.reports.shared.question import Question

_ONE_SAMPLE = "FLOPs and activations are of one sample, B = 1; --batch tells them for others."
_NO_RUN = "a Keras file has no run"


def of_keras(model: KerasModel, question: Question) -> Found:
    costs = costs_of_layers(model, question)
    if costs.missing:
        raise InputMissing(f"no graph: {costs.missing}")
    shapes, reads = Shapes(), Reads()
    for target, call in enumerate(model.flow.calls):
        for ref in _refs(call):
            if ref.call >= 0:
                reads.add(ref.call, target, shapes.number(_shape(costs.calls[ref.call], ref)))
    is_open = BATCH in symbols(costs.total("macs").known) - set(question.sizes)
    return Found(
        "layers",
        [_name(one) for one in costs.calls],
        [one.class_name for one in costs.calls],
        [""] * len(costs.calls),
        list(_metrics(costs, {BATCH: 1, **question.sizes})),
        reads,
        Reads(),
        shapes,
        [*missing(costs), *([_ONE_SAMPLE] if is_open else [])],
    )


def _name(call: CallCost) -> str:
    return f"{call.layer} (call {call.call + 1})" if call.call else call.layer


def _refs(call: KerasCall) -> Iterator[Ref]:
    """Tensors may stand in lists in lists."""
    waiting: list[object] = [*reversed(list(call.kwargs.values())), *reversed(call.args)]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Ref):
            yield one
        elif isinstance(one, list | tuple):
            waiting += reversed(one)
        elif isinstance(one, Mapping):
            waiting += reversed(list(one.values()))


def _shape(call: CallCost, ref: Ref) -> tuple[Size, ...] | None:
    outputs = call.outputs or ()
    shape = outputs[ref.output] if 0 <= ref.output < len(outputs) else None
    return None if shape is None else tuple(shape)


def _metrics(costs: KerasCosts, sizes: Mapping[str, int]) -> Iterator[NodeMetric]:
    yield NodeMetric("time", "Time", OF_TIME, "own time in an average step", why=_NO_RUN)
    for key, title, unit, about in (
        ("params", "Parameters", COUNT, "elements of the weights of a layer"),
        ("flops", "FLOPs", COUNT, "of a step, element-wise ops among them"),
        ("activation_bytes", "Activations", OF_BYTES, "what a layer returns, before it runs"),
    ):
        values = np.array([_number(_value(call, key), sizes) for call in costs.calls], np.float64)
        lost = np.isnan(values)
        yield NodeMetric(key, title, unit, about, values, lost=lost)


def _value(call: CallCost, key: str) -> Size | None:
    if key == "params":
        # a layer that is called again has no more of them
        return call.params if not call.call else 0
    if key == "flops":
        known = call.macs is not None and call.work is not None
        return call.macs * 2 + call.work if known else None  # type: ignore[operator]
    return call.activation_bytes


def _number(size: Size | None, sizes: Mapping[str, int]) -> float:
    value = None if size is None else at(size, sizes)
    return float(value) if isinstance(value, int) else float("nan")
