"""One question, one call: `tfprof.flops(model, batch=32)`, `tfprof.parameter_count(model)`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tfprof.answers.keras_static import flops_of
from tfprof.answers.measured_memory import asks_for_measurement, measured_peaks
from tfprof.answers.memory import MemoryQuestion, estimator_of
from tfprof.answers.static import costs_of, question_from
from tfprof.api.anything import data_of
from tfprof.errors import InputMissing
from tfprof.model.dims import Size
from tfprof.ops.rule import rules
from tfprof.reports.shared.parameters import own_parameters


def flops(
    model: Any,  # noqa: ANN401
    batch: int | None = None,
    *,
    mode: str | None = None,
    feeds: Mapping[str, Sequence[int | str]] | None = None,
    dims: Mapping[str, int] | None = None,
    batch_size: int | None = None,
) -> Size:
    """Floating-point operations of one prediction or training step, two for each MAC.

    Without a batch size the answer is a formula in B: it prints as one, and `.at({"B": 32})` is
    the number. Keras models and tf.functions are traced, files are read without TensorFlow.
    """
    data = data_of(model)
    question = question_from(batch if batch is not None else batch_size, mode, None, feeds, dims)
    if data.graph is None and data.keras is not None:
        counted = flops_of(data.keras, question)
        if counted.value is None:
            raise InputMissing(f"FLOPs are not known: {counted.reason}", where=data.title)
        return counted.value
    if data.graph is None:
        raise InputMissing("no graph to count FLOPs of", where=data.title)
    costs = costs_of(data, question)
    lost = [one for one in costs.uncounted if _multiplies(one.op)]
    if lost:
        first = lost[0]
        raise InputMissing(
            f"FLOPs are not known: {first.op} {first.count:,} times, {first.reason}",
            where=data.title,
            hint="`tfprof layers` shows what is known; feeds= or dims= may tell the rest.",
        )
    return costs.total.flops


def _multiplies(op: str) -> bool:
    """Whether an op that was not counted would have been; one without a rule might."""
    rule = rules().get(op)
    return rule is None or rule.macs is not None


def parameter_count(model: Any) -> int:  # noqa: ANN401
    """How many numbers a model is made of, trained or not, without those of its optimizer."""
    counted = own_parameters(data_of(model))
    if counted.number is None:
        raise InputMissing(counted.reason)
    return int(counted.number)


def peak_memory(
    model: Any,  # noqa: ANN401
    batch: int | None = None,
    *,
    mode: str | None = None,
    feeds: Mapping[str, Sequence[int | str]] | None = None,
    dims: Mapping[str, int] | None = None,
    batch_size: int | None = None,
    optimizer: str = "adam",
) -> dict[str, int]:
    """Bytes that one step needs at its peak beside the variables, by device.

    Of run metadata or a capture, without a graph: what was measured. Of a model: estimated.

    Without a batch size that of one sample, unless the graph or its run says another. Where a model
    only predicts, `mode="train"` adds gradients and the updates of the optimizer.
    """
    size = batch if batch is not None else batch_size
    question = question_from(size, mode, None, feeds, dims)
    asked = MemoryQuestion(question, optimizer=optimizer if mode == "train" else None)
    data = data_of(model)
    if data.graph is None and data.trace is not None and asks_for_measurement(asked):
        return measured_peaks(data)
    estimator = estimator_of(data, asked)
    return {device: one.expected for device, one in estimator.at(size or 1).items()}
