"""A convolution or a product goes on with its bias, its normalisation and its activation at once.

What lies between them is never written down. A bias and an activation would be written over their
input anyway; a batch norm that predicts is what saves a buffer.
"""

from __future__ import annotations

from tfprof.analyses.optimised.rewriting import Rewriting
from tfprof.wire import dtypes

# what TensorFlow has such kernels for on a CPU, where oneDNN is not asked
_CONTRACTIONS = ("Conv2D", "MatMul")
_NORMS = ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
_ACTIVATIONS = ("Relu", "Relu6", "Elu", "LeakyRelu")


def remap(graph: Rewriting) -> None:
    for number in graph.numbers():
        if graph.op(number) in _CONTRACTIONS and _has_kernel(graph, number):
            second = _only_reader(graph, number, ("BiasAdd", *_NORMS))
            if second is None:
                continue
            graph.take_over(number, second)
            third = _only_reader(graph, number, _ACTIVATIONS)
            if third is not None:
                graph.take_over(number, third)


def _has_kernel(graph: Rewriting, number: int) -> bool:
    """On the CPU, of floats, with the channels last."""
    call = graph.steps[number].op.site.call
    # a graph may lie about how much comes out of an op
    is_float = bool(call.outputs) and call.outputs[0].dtype == dtypes.FLOAT
    return is_float and call.text("data_format", "NHWC") == "NHWC"


def _only_reader(graph: Rewriting, number: int, ops: tuple[str, ...]) -> int | None:
    """Who alone reads the result, if nothing else hangs on either of them."""
    readers = list(graph.readers[number][0])
    if len(readers) != 1 or readers[0][1] != 0 or graph.is_tied(number):
        return None
    reader = readers[0][0]
    if graph.op(reader) not in ops or graph.is_tied(reader) or not _is_whole(graph, reader):
        return None
    return reader


def _is_whole(graph: Rewriting, number: int) -> bool:
    """A batch norm only where it predicts, and where nobody asks for its moments."""
    if graph.op(number) not in _NORMS:
        return True
    training = graph.steps[number].op.site.call.attributes.get("is_training")
    trains = training is None or bool(training.b)
    return not trains and not any(graph.readers[number][1:])
