"""One question, one call: `tfprof.flops(model, batch=32)`, `tfprof.parameter_count(model)`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tfprof.api.anything import data_of, variables_of
from tfprof.errors import InputMissing, UsageError
from tfprof.live.calls import Shapes
from tfprof.model.dims import Size
from tfprof.reports.memory import Query, peaks
from tfprof.reports.shared.model_flops import flops_of
from tfprof.reports.shared.parameters import asked_parameters
from tfprof.reports.shared.question import question_from

# the shape of an input with its batch, a tf.TensorSpec, or a list or dict of them
InputShape = Any


def flops(
    model: Any,  # noqa: ANN401
    batch: int | None = None,
    *,
    mode: str | None = None,
    feeds: Mapping[str, Sequence[int | str]] | None = None,
    dims: Mapping[str, int] | None = None,
    batch_size: int | None = None,
    input_shape: InputShape = None,
) -> Size:
    """Floating-point operations of one prediction or training step, two for each MAC.

    Without a batch size the answer is a formula in B: it prints as one, and `.at({"B": 32})` is
    the number. Keras models and layers, tf.Modules and tf.functions are traced, files are read
    without TensorFlow.

    What does not know its inputs yet has to be told, the batch first: `input_shape=(None, 28, 28,
    1)`, a `tf.TensorSpec`, or a list or dict of them; `feeds={"x": ("B", 28, 28, 1)}` works, too.
    """
    size = _one_batch(batch, batch_size)
    data = data_of(model, Shapes(input_shape, feeds or {}))
    return flops_of(data, question_from(size, mode, None, feeds, dims))


def _one_batch(batch: int | None, batch_size: int | None) -> int | None:
    if batch is not None and batch_size is not None and batch != batch_size:
        raise UsageError(f"batch={batch} and batch_size={batch_size}: which is meant?")
    return batch if batch is not None else batch_size


def parameter_count(
    model: Any,  # noqa: ANN401
    *,
    which: str = "trainable",
    feeds: Mapping[str, Sequence[int | str]] | None = None,
    input_shape: InputShape = None,
) -> int:
    """How many numbers of a model are trained.

    With `which="model"` trained or not, without those of its optimizer; with `which="all"` these
    and counters as well. Where nothing says what is trained, such as in the graph of a prediction,
    all that could be. Where some are not known it is an error.

    A model that is not built yet needs `input_shape` or `feeds`, as in `flops`.
    """
    counted = asked_parameters(variables_of(model, Shapes(input_shape, feeds or {})), which)
    if counted.number is None or not counted.is_plain:
        raise InputMissing(f"the number of parameters is not known: {counted.reason}")
    return int(counted.number)


def peak_memory(  # noqa: PLR0913  (each one an option of the command)
    model: Any,  # noqa: ANN401
    batch: int | None = None,
    *,
    mode: str | None = None,
    feeds: Mapping[str, Sequence[int | str]] | None = None,
    dims: Mapping[str, int] | None = None,
    batch_size: int | None = None,
    optimizer: str = "adam",
    input_shape: InputShape = None,
) -> dict[str, int]:
    """Bytes that one step needs at its peak beside the variables, by device.

    What a run took, where it was traced and nothing else is asked for; else estimated. Where sizes
    are missing it is an error that says which.

    Without a batch size that of one sample, unless the graph or its run says another. Where a model
    only predicts, `mode="train"` adds gradients and the updates of the optimizer.
    """
    size = _one_batch(batch, batch_size)
    query = Query(
        question_from(None, mode, None, feeds, dims),
        () if size is None else (size,),
        optimizer=optimizer if mode == "train" else None,
    )
    return peaks(data_of(model, Shapes(input_shape, feeds or {})), query)
