"""Normalisation, biases, softmax and losses against TensorFlow."""

from math import prod

import numpy as np
import pytest
from op_oracle import Batch, Given, Node, check, run_on_ones, scratch_of

LAYOUTS = {
    "NHWC": (Batch(3), 6, 7, 4),
    "NCHW": (Batch(3), 4, 6, 7),
    "NDHWC": (Batch(3), 5, 6, 7, 4),
    "NCDHW": (Batch(3), 4, 5, 6, 7),
}
SIZE = 3 * 6 * 7 * 4
VECTOR = Given(4)


def with_layouts(*ops):
    """Each op with the layouts that it takes: volumes are for the third version only."""
    return [
        (op, layout)
        for op in ops
        for layout in LAYOUTS
        if len(layout) == 4 or op in ("FusedBatchNormV3", "FusedBatchNormGradV3")
    ]


FORWARD = with_layouts(
    "FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3", "_MklNativeFusedBatchNorm",
    "_MklNativeFusedBatchNormV2", "_MklNativeFusedBatchNormV3",
)  # fmt: skip
BACKWARD = with_layouts(
    "FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3",
    "_MklNativeFusedBatchNormGrad", "_MklNativeFusedBatchNormGradV3",
)  # fmt: skip


@pytest.mark.parametrize(("op", "layout"), FORWARD)
@pytest.mark.parametrize("training", [True, False])
def test_batch_normalisation(op, layout, training):
    image = Given(*LAYOUTS[layout])
    statistics = [Given(0) if training else VECTOR] * 2
    facts = {"data_format": layout, "is_training": training}
    checked = check(Node(op, image, VECTOR, VECTOR, *statistics, **facts))
    size = prod(int(entry) for entry in image.shape)
    wanted = 4 * (4 * size // 4 + 8) if training else 2 * size
    assert checked.counted("work") == wanted


@pytest.mark.parametrize(("op", "layout"), BACKWARD)
@pytest.mark.parametrize("training", [True, False])
def test_gradient_of_batch_normalisation(op, layout, training):
    kept = 3 if op.endswith("V3") else 2
    image = Given(*LAYOUTS[layout])
    facts = {"data_format": layout, "is_training": training}
    checked = check(Node(op, image, image, VECTOR, *[VECTOR] * kept, **facts))
    assert checked.counted("work") == 11 * prod(int(entry) for entry in image.shape)


@pytest.mark.parametrize("training", [True, False])
def test_what_the_kernels_keep(training):
    """Half-known shapes of outputs are those that a run has."""
    statistics = [Given(0) if training else VECTOR] * 2
    image = Given(*LAYOUTS["NHWC"])
    node = Node("FusedBatchNormV3", image, VECTOR, VECTOR, *statistics, is_training=training)
    checked = check(node)
    for ours, found in zip(checked.call.outputs, run_on_ones(checked.operation), strict=True):
        assert ours.shape == np.shape(found)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize(
    ("op", "kept"),
    [("FusedBatchNormGrad", 2), ("FusedBatchNormGradV2", 2), ("FusedBatchNormGradV3", 3)],
)
def test_scratch_of_gradients(op, kept, training):
    image = Given(*LAYOUTS["NHWC"])
    checked = check(Node(op, image, image, *[VECTOR] * (kept + 1), is_training=training))
    assert checked.counted("scratch") == scratch_of(checked.operation)


@pytest.mark.parametrize("sides", [0, 1])
def test_batch_normalisation_with_more_fused(sides):
    image = Given(*LAYOUTS["NHWC"], dtype="float16")
    side = [image] * sides
    facts = {"activation_mode": "Relu"}
    node = Node("_FusedBatchNormEx", image, *[VECTOR] * 4, side, is_training=False, **facts)
    assert check(node).counted("work") == SIZE * (2 + 1 + sides)
    gradient = Node(
        "_FusedBatchNormGradEx", image, image, *[VECTOR] * 5, image, num_side_inputs=sides, **facts
    )
    assert check(gradient).counted("work") == SIZE * (11 + 1 + sides)


def test_channels_known_from_a_vector():
    node = Node("FusedBatchNormV3", Given(Batch(3), 6, 7, None), VECTOR, VECTOR, VECTOR, VECTOR)
    assert check(node).call.outputs[0].shape == (3, 6, 7, 4)


def test_across_channels():
    image = Given(Batch(3), 6, 7, 4)
    assert check(Node("LRN", image, depth_radius=2)).counted("work") == SIZE * 14
    check(Node("LRNGrad", image, image, image))


# --- biases


@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
@pytest.mark.parametrize("rank", [3, 4, 5])
def test_biases(layout, rank):
    shape = [Batch(3), 5, 6, 7, 8][:rank]
    channels = shape[1] if layout == "NCHW" else shape[-1]
    check(Node("BiasAdd", Given(*shape), Given(channels), data_format=layout))
    checked = check(Node("BiasAddGrad", Given(*shape), data_format=layout))
    assert checked.call.outputs[0].shape == (channels,)
    assert checked.counted("work") == prod(map(int, shape)) - channels


def test_bias_of_a_matrix():
    check(Node("BiasAdd", Given(Batch(3), 5), Given(5)))
    check(Node("BiasAddV1", Given(Batch(3), 5), Given(5)))
    check(Node("BiasAddGrad", Given(Batch(3), 5)))


# --- softmax and its losses


@pytest.mark.parametrize("op", ["Softmax", "LogSoftmax", "_MklSoftmax"])
def test_softmax(op):
    assert check(Node(op, Given(Batch(3), 4, 5))).counted("work") == 5 * 60


@pytest.mark.parametrize("labels", [(1, 10), (6, 1), (1, 1)])
def test_labels_and_logits_stretch(labels):
    """No batch here: TensorFlow takes an open one beside 1 for 1."""
    check(Node("SoftmaxCrossEntropyWithLogits", Given(6, 10), Given(*labels)))
    check(Node("SoftmaxCrossEntropyWithLogits", Given(*labels), Given(6, 10)))


@pytest.mark.parametrize("labels", [(Batch(6), 10), (Batch(6), 1)])
def test_loss_of_distributions(labels):
    check(Node("SoftmaxCrossEntropyWithLogits", Given(Batch(6), 10), Given(*labels)))
    check(Node("SoftmaxCrossEntropyWithLogits", Given(*labels), Given(Batch(6), 10)))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_losses_and_their_scratch(dtype):
    logits = Given(Batch(6), 10, dtype=dtype)
    whole = check(Node("SoftmaxCrossEntropyWithLogits", logits, logits))
    sparse = check(
        Node("SparseSoftmaxCrossEntropyWithLogits", logits, Given(Batch(6), dtype="int32"))
    )
    for checked in (whole, sparse):
        assert checked.counted("scratch") == scratch_of(checked.operation)


# --- sequences


@pytest.mark.parametrize("op", ["CTCLoss", "CTCLossV2"])
def test_loss_of_sequences(op):
    node = Node(
        op, Given(9, Batch(3), 5), Given(7, 2, dtype="int64"), Given(7, dtype="int32"),
        Given(Batch(3), dtype="int32"),
    )  # fmt: skip
    check(node)


def test_decoders_of_sequences():
    inputs = Given(9, Batch(3), 5), Given(Batch(3), dtype="int32")
    check(Node("CTCGreedyDecoder", *inputs))
    checked = check(Node("CTCBeamSearchDecoder", *inputs, beam_width=8, top_paths=4))
    assert len(checked.call.outputs) == 13
