"""Images against TensorFlow, and the names of every rule beside its op definitions."""

import numpy as np
import pytest
import tensorflow as tf
from op_oracle import Batch, Given, Node, check, run_on_ones, whole
from tensorflow.python.framework import op_def_registry

from tfprof.ops.rule import rules

IMAGE = (Batch(3), 8, 9, 4)
SIZE = whole(5, 12)
MADE = (Batch(3), 5, 12, 4)


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float16"])
@pytest.mark.parametrize(
    "op", ["ResizeBilinear", "ResizeBicubic", "ResizeArea", "ResizeNearestNeighbor"]
)
def test_resized(op, dtype):
    checked = check(Node(op, Given(*IMAGE, dtype=dtype), SIZE))
    assert checked.call.outputs[0].shape == MADE


def test_size_that_only_a_run_knows():
    checked = check(Node("ResizeBilinear", Given(*IMAGE), Given(2, dtype="int32")))
    assert checked.call.outputs[0].shape == (3, None, None, 4)


@pytest.mark.parametrize("op", ["ResizeBilinearGrad", "ResizeBicubicGrad"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gradients_of_resized(op, dtype):
    check(Node(op, Given(*MADE), Given(*IMAGE, dtype=dtype)))


def test_gradient_of_nearest():
    check(Node("ResizeNearestNeighborGrad", Given(*MADE), whole(8, 9)))


def test_scaled_and_moved():
    two = Given(2)
    check(Node("ScaleAndTranslate", Given(*IMAGE, dtype="uint8"), SIZE, two, two))
    check(Node("ScaleAndTranslateGrad", Given(*MADE), Given(*IMAGE), two, two))


def test_crops():
    boxes, which = Given(7, 4), Given(7, dtype="int32")
    crops = Given(7, 5, 12, 4)
    checked = check(Node("CropAndResize", Given(*IMAGE, dtype="uint8"), boxes, which, SIZE))
    assert checked.call.outputs[0].shape == (7, 5, 12, 4)
    check(Node("CropAndResizeGradImage", crops, boxes, which, whole(*IMAGE), T=tf.float32))
    check(Node("CropAndResizeGradBoxes", crops, Given(*IMAGE), boxes, which))


@pytest.mark.parametrize("op", ["ExtractGlimpse", "ExtractGlimpseV2"])
def test_glimpses(op):
    check(Node(op, Given(*IMAGE), SIZE, Given(Batch(3), 2)))


def test_turned():
    image, transforms = Given(*IMAGE, dtype="uint8"), Given(Batch(3), 8)
    check(Node("ImageProjectiveTransformV2", image, transforms, SIZE, interpolation="NEAREST"))
    check(
        Node(
            "ImageProjectiveTransformV3", image, transforms, SIZE, Given(value=0.0),
            interpolation="BILINEAR",
        )
    )  # fmt: skip


def test_coloured():
    image, amount = Given(Batch(3), 8, 9, 3), Given(value=0.5)
    for node in (
        Node("AdjustContrastv2", image, amount),
        Node("AdjustHue", image, amount),
        Node("AdjustSaturation", image, amount),
        Node("RGBToHSV", image),
        Node("HSVToRGB", image),
        Node("DrawBoundingBoxes", image, Given(Batch(3), 6, 4)),
    ):
        check(node)


# --- files

FILE = Given(dtype="string")


@pytest.mark.parametrize("channels", [0, 1, 3])
def test_decoded(channels):
    for node in (
        Node("DecodeJpeg", FILE, channels=channels),
        Node("DecodeAndCropJpeg", FILE, whole(0, 0, 4, 4), channels=channels),
        Node("DecodeBmp", FILE, channels=channels),
        Node("DecodePng", FILE, channels=channels, dtype=tf.uint16),
        Node("DecodeImage", FILE, channels=channels, expand_animations=False),
        Node("DecodeImage", FILE, channels=channels, dtype=tf.float32),
    ):
        check(node)


def test_files():
    check(Node("DecodeGif", FILE))
    check(Node("ExtractJpegShape", FILE))
    check(Node("EncodeJpeg", Given(8, 9, 3, dtype="uint8")))
    check(Node("EncodePng", Given(8, 9, 3, dtype="uint8")))
    check(Node("EncodePng", Given(Batch(2), 8, 9, 3, dtype="uint8")))


# --- boxes

BOXES, SCORES, MOST = Given(20, 4), Given(20), Given(value=7)
LIMIT = Given(value=0.5)


@pytest.mark.parametrize("padded", [False, True])
def test_suppressed(padded):
    check(Node("NonMaxSuppression", BOXES, SCORES, MOST))
    check(Node("NonMaxSuppressionV2", BOXES, SCORES, MOST, LIMIT))
    check(Node("NonMaxSuppressionV3", BOXES, SCORES, MOST, LIMIT, LIMIT))
    facts = {"pad_to_max_output_size": padded}
    check(Node("NonMaxSuppressionV4", BOXES, SCORES, MOST, LIMIT, LIMIT, **facts))
    check(Node("NonMaxSuppressionV5", BOXES, SCORES, MOST, LIMIT, LIMIT, LIMIT, **facts))


@pytest.mark.parametrize("by_class", [False, True])
@pytest.mark.parametrize("total", [10, 50])
def test_suppressed_together(by_class, total):
    node = Node(
        "CombinedNonMaxSuppression", Given(Batch(2), 20, 1, 4), Given(Batch(2), 20, 3), MOST,
        Given(value=total), LIMIT, LIMIT, pad_per_class=by_class,
    )  # fmt: skip
    checked = check(node)
    for ours, found in zip(checked.call.outputs, run_on_ones(checked.operation), strict=True):
        assert ours.shape == np.shape(found)


def test_sampled_boxes():
    node = Node("SampleDistortedBoundingBoxV2", whole(8, 9, 3), Given(1, 2, 4), Given(value=0.1))
    check(node)


# --- every rule of these families

FAMILIES = {"convolutions", "matrix products", "pooling", "normalisation", "images"}
# Grappler's name for GPUs only, not in every build
ELSEWHERE = {"_FusedBatchMatMulV2"}


def of_these_families():
    return sorted(op for op, rule in rules().items() if rule.family in FAMILIES)


@pytest.mark.parametrize("op", of_these_families())
def test_names_are_those_of_the_definition(op):
    definition = op_def_registry.get(op)
    if definition is None:
        assert op in ELSEWHERE
        return
    rule = rules()[op]
    names = tuple(argument.name for argument in definition.output_arg)
    lists = any(argument.number_attr for argument in definition.output_arg[:-1])
    assert rule.outputs == (() if len(names) == 1 or lists else names)
    attributes = {attribute.name for attribute in definition.attr}
    stated = [rule.dtype] if isinstance(rule.dtype, str | int) else rule.dtype
    # an op without `T` gives its types with its shapes
    assert all(
        isinstance(one, int) or one in attributes or (one == "T" and rule.dtype == "T")
        for one in stated
    )
    assert all(index < len(definition.input_arg) for index in rule.reuse)
