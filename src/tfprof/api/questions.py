"""One question, one call: `tfprof.flops(model, batch=32)`, `tfprof.parameter_count(model)`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tfprof.analyses.roles import Role
from tfprof.answers.digest import digest
from tfprof.answers.measured_memory import asks_for_measurement, measured_peaks
from tfprof.answers.memory import MemoryQuestion, estimator_of
from tfprof.api.anything import data_of
from tfprof.errors import InputMissing
from tfprof.model.dims import Size
from tfprof.reports.shared.flops import flops_of
from tfprof.reports.shared.question import question_from

_OWN = (Role.TRAINABLE, Role.NON_TRAINABLE)


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
    size = batch if batch is not None else batch_size
    return flops_of(data_of(model), question_from(size, mode, None, feeds, dims))


def parameter_count(model: Any) -> int:  # noqa: ANN401
    """How many numbers a model is made of, trained or not, without those of its optimizer."""
    known = digest(data_of(model)).parameters
    if known.total.value is None:
        raise InputMissing(known.total.reason)
    trained, still = (known.by_role[role].value for role in _OWN)
    if trained is None or still is None:  # nothing says which are which
        return int(known.total.value)
    return int(trained + still)


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
