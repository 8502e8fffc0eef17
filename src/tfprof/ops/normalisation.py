"""Batch normalisation, biases, softmax and the losses made of it."""

from __future__ import annotations

from tfprof.model.dims import Open, Size, elements, packed
from tfprof.ops.rule import FLOAT, INT64, Call, Count, Family, Infer, Outputs, Tensor, flops
from tfprof.ops.shape_tools import (
    all_but_results,
    dimension,
    known_rank,
    like,
    merged,
    per_element,
    per_input,
    times,
)

rule = Family("normalisation")

# --- fused batch normalisation: it never writes over its input


def _layout(call: Call) -> str:
    return call.text("data_format") or "NHWC"


def _trains(call: Call) -> bool:
    return "is_training" not in call.attributes or call.flag("is_training")


def _image_and_channels(
    call: Call, image: int, vectors: tuple[int, ...]
) -> tuple[Open, Size | None]:
    """The image with its channels, which a vector may know when the image does not."""
    layout = _layout(call)
    place = layout.index("C")
    shape = known_rank(call.input(image), len(layout))
    channels = shape[place]
    for index in vectors:
        size = dimension(call.input(index), 0)
        # no statistics are given in training: an empty vector
        if channels is None and size != 0:
            channels = size
    return (*shape[:place], channels, *shape[place + 1 :]), channels


def _normalised(reserved: int) -> Infer:
    """The image, its statistics, and what is kept for the gradient.

    On a CPU the last thing kept (`reserve_space_3`) is a single number that nobody uses.
    """

    def shapes(call: Call) -> Outputs:
        image, channels = _image_and_channels(call, 0, (1, 2, 3, 4))
        return [image, *[(channels,)] * 4, *[()] * (reserved - 2)]

    return shapes


def _gradients(call: Call) -> Outputs:
    """Of image, scale and offset; two empty vectors; those of inputs added at the side."""
    image, channels = _image_and_channels(call, 1, (2, 3, 4))
    image = merged(image, call.input(0))
    side = [Tensor(image, call.dtype("T"))] * call.count("num_side_inputs")
    return [image, (channels,), (channels,), (0,), (0,), *side]


def _normalisation_work(call: Call) -> Size | None:
    """Training: mean, variance and both applied; 6 and a reciprocal root (2) for each channel."""
    size = elements(call.output(0))
    if size is None:
        return None
    work = size * 2
    if _trains(call):
        more = times(8, elements(call.output(1)))
        if more is None:
            return None
        work = size * 4 + more
    return work + size * _extra(call)


def _extra(call: Call) -> int:
    """What is fused behind: one operation for an activation, one for an input added at the side."""
    active = call.text("activation_mode", "Identity") != "Identity"
    return int(active) + call.integer("num_side_inputs")


def _gradient_work(call: Call) -> Size | None:
    return times(11 + _extra(call), elements(call.output(0)))


def _gradient_scratch(call: Call) -> Size | None:
    """A vector of float32, or two where the statistics are not the batch's own."""
    return times(4 if _trains(call) else 8, elements(call.output(1)))


_FORWARD = ("y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2")
_BACKWARD = ("x_backprop", "scale_backprop", "offset_backprop")

rule(
    "FusedBatchNorm _MklNativeFusedBatchNorm", _normalised(2), outputs=_FORWARD,
    work=_normalisation_work,
)  # fmt: skip
rule(
    "FusedBatchNormV2 _MklNativeFusedBatchNormV2", _normalised(2), dtype=("T", "U"),
    outputs=_FORWARD, work=_normalisation_work,
)  # fmt: skip
rule(
    "FusedBatchNormV3 _FusedBatchNormEx _MklNativeFusedBatchNormV3 _MklNativeFusedBatchNormEx",
    _normalised(3), dtype=("T", "U"), outputs=(*_FORWARD, "reserve_space_3"),
    work=_normalisation_work,
)  # fmt: skip
rule(
    "FusedBatchNormGrad _MklNativeFusedBatchNormGrad", _gradients,
    outputs=(*_BACKWARD, "reserve_space_3", "reserve_space_4"), work=_gradient_work,
    scratch=_gradient_scratch,
)  # fmt: skip
rule(
    "FusedBatchNormGradV2 _MklNativeFusedBatchNormGradV2", _gradients, dtype=("T", "U"),
    outputs=(*_BACKWARD, "reserve_space_3", "reserve_space_4"), work=_gradient_work,
    scratch=_gradient_scratch,
)  # fmt: skip
rule(
    "FusedBatchNormGradV3 _MklNativeFusedBatchNormGradV3", _gradients, dtype=("T", "U"),
    outputs=(*_BACKWARD, "reserve_space_4", "reserve_space_5"), work=_gradient_work,
    scratch=_gradient_scratch,
)  # fmt: skip
rule(
    "_FusedBatchNormGradEx", _gradients, dtype=("T", "U"), work=_gradient_work,
    outputs=(*_BACKWARD, "reserve_space_4", "reserve_space_5", "side_input_backprop"),
)  # fmt: skip

# --- its ancestor, and normalisation across channels


def _global_gradients(call: Call) -> Outputs:
    vector = merged(merged(call.input(1), call.input(2)), call.input(3))
    return [merged(call.input(0), call.input(4)), *[vector] * 4]


# with the factor, an offset and, for each element, nothing else
rule("BatchNormWithGlobalNormalization", like(), work=per_element(2))
rule(
    "BatchNormWithGlobalNormalizationGrad", _global_gradients, work=per_element(11),
    outputs=("dx", "dm", "dv", "db", "dg"),
)  # fmt: skip


def _neighbours(factor: int, more: int) -> Count:
    """For each channel in reach a square and an addition; then a power and a division."""

    def work(call: Call) -> Size | None:
        reach = 2 * call.integer("depth_radius", 5) + 1
        return times(factor * reach + more, elements(call.output(0)))

    return work


rule("LRN", like(), work=_neighbours(2, 4))
# the sums again, then each neighbour's share of the gradient
rule("LRNGrad", lambda call: [merged(call.input(0), call.input(1))], work=_neighbours(5, 4))

# --- biases

rule("BiasAdd | BiasAddV1", like(), work=per_input(), reuse=(0,), float_ops=flops)


def _channels(call: Call) -> Outputs:
    return [(dimension(call.input(0), 1 if _layout(call) == "NCHW" else -1),)]


rule("BiasAddGrad", _channels, work=all_but_results, float_ops=flops)

# --- softmax and its losses: maximum, difference, exponential, sum and quotient are 5

rule(
    "Softmax | LogSoftmax _MklSoftmax", like(), work=per_input(5), reuse=(0,), float_ops=flops
)  # fmt: skip


def _row_scratch(call: Call) -> Size | None:
    """A number for each example."""
    return packed(elements(call.output(0)), call.inputs[0].dtype)


def _loss_of_distributions(call: Call) -> Outputs:
    """Labels stretch over logits and the other way round."""
    logits, labels = known_rank(call.input(0), 2), known_rank(call.input(1), 2)
    both = tuple(_wider(one, other) for one, other in zip(logits, labels, strict=True))
    return [both[:1], both]


def _wider(one: Size | None, other: Size | None) -> Size | None:
    if one == 1:
        return other
    return one if one is not None or other == 1 else other


def _loss_of_classes(call: Call) -> Outputs:
    logits = known_rank(call.input(0), 2)
    batch = dimension(call.input(1), 0) if logits[0] is None else logits[0]
    return [(batch,), (batch, logits[1])]


# the loss takes a difference, a product and a sum more, the gradient a difference
rule(
    "SoftmaxCrossEntropyWithLogits", _loss_of_distributions, outputs=("loss", "backprop"),
    work=lambda call: times(9, elements(call.output(1))), reuse=(0,), scratch=_row_scratch,
)  # fmt: skip
# a label picks one logit, so only rows are touched beyond the softmax
rule(
    "SparseSoftmaxCrossEntropyWithLogits", _loss_of_classes, outputs=("loss", "backprop"),
    work=lambda call: times(5, elements(call.output(1))), reuse=(0,), scratch=_row_scratch,
)  # fmt: skip

# --- sequences of labels


def _sequence_loss(call: Call) -> Outputs:
    """Time comes first: a loss for each sequence."""
    logits = known_rank(call.input(0), 3)
    batch = dimension(call.input(3), 0) if logits[1] is None else logits[1]
    return [(batch,), (logits[0], batch, logits[2])]


# softmax and its gradient; the paths through the labels are few beside the classes
rule(
    "CTCLoss", _sequence_loss, outputs=("loss", "gradient"),
    work=lambda call: times(7, elements(call.output(1))),
)  # fmt: skip
rule(
    "CTCLossV2", _sequence_loss, outputs=("loss", "gradient"), dtype=FLOAT,
    work=lambda call: times(7, elements(call.output(1))),
)  # fmt: skip


def _decoded(call: Call) -> Outputs:
    """How many labels are found only a run knows."""
    paths = call.count("top_paths") if call.op == "CTCBeamSearchDecoder" else 1
    logits = known_rank(call.input(0), 3)
    batch = dimension(call.input(1), 0) if logits[1] is None else logits[1]
    found: list[Tensor] = [Tensor((None, 2), INT64)] * paths
    found += [Tensor((None,), INT64)] * paths
    found += [Tensor((2,), INT64)] * paths
    return [*found, Tensor((batch, paths), call.dtype("T") or FLOAT)]


rule(
    "CTCGreedyDecoder", _decoded, work=per_input(),
    outputs=("decoded_indices", "decoded_values", "decoded_shape", "log_probability"),
)  # fmt: skip
# a beam scores every class for each prefix that it keeps; its lists have `top_paths` entries each
rule(
    "CTCBeamSearchDecoder", _decoded,
    work=lambda call: times(3 * call.integer("beam_width"), elements(call.input(0))),
)  # fmt: skip
