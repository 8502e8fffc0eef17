"""Pools against TensorFlow's shape functions and kernels."""

from math import prod
from random import Random

import numpy as np
import pytest
import tensorflow as tf
from op_oracle import Batch, Given, Node, check, run_on_ones, scratch_of, whole

SEEDS = range(10)
TWO, THREE = ("NHWC", "NCHW"), ("NDHWC", "NCDHW")


class Setting:
    """A pool at random."""

    def __init__(self, seed, layouts, paddings=("SAME", "VALID")):
        random = Random(seed)  # noqa: S311
        self.layout = random.choice(layouts)
        self.batch = Batch(random.randint(2, 4))
        self.shape = [
            self.batch if letter == "N" else 3 if letter == "C" else random.randint(6, 11)
            for letter in self.layout
        ]
        inner = [letter not in "NC" for letter in self.layout]
        self.window = [random.randint(1, 3) if slides else 1 for slides in inner]
        self.steps = [random.randint(1, 3) if slides else 1 for slides in inner]
        padding = random.choice(paddings)
        self.attributes = {"padding": padding, "data_format": self.layout}
        if padding == "EXPLICIT":
            borders = [random.randint(0, 1) if slides else 0 for slides in inner for _ in "ab"]
            borders = [min(size, self.window[place // 2] - 1) for place, size in enumerate(borders)]
            self.attributes["explicit_paddings"] = borders

    def node(self, op, *inputs, **more):
        return Node(
            op, *inputs, ksize=self.window, strides=self.steps, **{**self.attributes, **more}
        )

    def image(self):
        return Given(*self.shape)

    def made(self, op):
        shape = check(self.node(op, self.image())).call.outputs[0].shape
        return Given(self.batch, *shape[1:])


@pytest.mark.parametrize("seed", SEEDS)
def test_images(seed):
    with_borders = Setting(seed, TWO, ("SAME", "VALID", "EXPLICIT"))
    check(with_borders.node("MaxPool", with_borders.image()))
    setting = Setting(seed, TWO)
    check(setting.node("AvgPool", setting.image()))
    check(setting.node("_MklNativeAvgPool", setting.image()))
    check(setting.node("_MklNativeMaxPool", setting.image()))
    by_value = Node(
        "MaxPoolV2", setting.image(), whole(*setting.window), whole(*setting.steps),
        **setting.attributes,
    )  # fmt: skip
    check(by_value)


@pytest.mark.parametrize("seed", SEEDS)
def test_volumes(seed):
    setting = Setting(seed, THREE)
    for op in ("MaxPool3D", "AvgPool3D"):
        check(setting.node(op, setting.image()))


def test_windows_over_channels():
    node = Node(
        "MaxPool", Given(Batch(3), 4, 4, 6), ksize=[1, 1, 1, 2], strides=[1, 1, 1, 2],
        padding="VALID",
    )  # fmt: skip
    assert check(node).call.outputs[0].shape == (3, 4, 4, 3)


@pytest.mark.parametrize("places", [tf.int64, tf.int32])
@pytest.mark.parametrize("seed", range(4))
def test_places_of_maxima(seed, places):
    setting = Setting(seed, ("NHWC",))
    del setting.attributes["data_format"]
    node = setting.node("MaxPoolWithArgmax", setting.image(), Targmax=places)
    shape = check(node).call.outputs[0].shape
    made = Given(setting.batch, *shape[1:])
    found = Given(setting.batch, *shape[1:], dtype=places)
    check(setting.node("MaxPoolGradWithArgmax", setting.image(), made, found))
    check(setting.node("MaxPoolGradGradWithArgmax", setting.image(), setting.image(), found))


# --- gradients


@pytest.mark.parametrize("seed", SEEDS)
def test_gradients_of_images(seed):
    setting = Setting(seed, TWO)
    image, made = setting.image(), setting.made("MaxPool")
    by_value = [whole(*setting.window), whole(*setting.steps)]
    sizes = whole(*setting.shape)
    for node in (
        setting.node("MaxPoolGrad", image, made, made),
        setting.node("MaxPoolGradGrad", image, made, image),
        setting.node("AvgPoolGrad", sizes, made),
        setting.node("_MklNativeAvgPoolGrad", sizes, made),
        Node("MaxPoolGradV2", image, made, made, *by_value, **setting.attributes),
        Node("MaxPoolGradGradV2", image, made, image, *by_value, **setting.attributes),
    ):
        check(node)


@pytest.mark.parametrize("seed", SEEDS)
def test_gradients_of_volumes(seed):
    setting = Setting(seed, THREE)
    image, made = setting.image(), setting.made("MaxPool3D")
    for node in (
        setting.node("MaxPool3DGrad", image, made, made),
        setting.node("MaxPool3DGradGrad", image, made, image),
        setting.node("AvgPool3DGrad", whole(*setting.shape), made),
    ):
        check(node)


# --- work


@pytest.mark.parametrize("seed", SEEDS)
def test_work(seed):
    """An element takes its window: a comparison less for a maximum, a division for a mean."""
    setting = Setting(seed, ("NHWC",))
    size = prod(int(entry) for entry in setting.made("MaxPool").shape)
    window = prod(setting.window)
    assert check(setting.node("MaxPool", setting.image())).counted("work") == size * (window - 1)
    assert check(setting.node("AvgPool", setting.image())).counted("work") == size * window


@pytest.mark.parametrize(("step", "factor"), [(3, 1), (2, 2)])
def test_work_of_gradients(step, factor):
    """Windows that overlap add to what is there, so it is set to zero first."""
    image, made = Given(Batch(2), 9, 9, 3), Given(Batch(2), 3 if step == 3 else 4, 3, 3)
    facts = {"ksize": [1, 3, 3, 1], "strides": [1, step, 3, 1], "padding": "VALID"}
    outs, ins = 2 * made.shape[1] * 9, 2 * 81 * 3
    maximum = check(Node("MaxPoolGrad", image, made, made, **facts))
    assert maximum.counted("work") == outs * 8 + ins * factor
    mean = check(Node("AvgPoolGrad", whole(Batch(2), 9, 9, 3), made, **facts))
    assert mean.counted("work") == ins + outs * (1 if step == 3 else 10)


def test_scratch():
    """Beside the places, the kernel copies a pool that it may not write over, as a fed one."""
    setting = Setting(5, ("NHWC",))
    made = setting.made("MaxPool")
    checked = check(setting.node("MaxPoolGrad", setting.image(), made, made))
    copy = 4 * prod(int(size) for size in made.shape)
    assert checked.counted("scratch") + copy == scratch_of(checked.operation)


# --- windows of changing size


@pytest.mark.parametrize("ratio", [1.0, 1.44, 2.0, 1.73])
@pytest.mark.parametrize("op", ["FractionalMaxPool", "FractionalAvgPool"])
def test_fractions(op, ratio):
    image = Given(Batch(3), 13, 17, 4)
    node = Node(op, image, pooling_ratio=[1.0, ratio, ratio, 1.0], deterministic=True, seed=1)
    # the shape functions forget where the last window ends; the kernels write it
    checked = check(node, misjudged=(1, 2))
    for ours, found in zip(checked.call.outputs, run_on_ones(checked.operation), strict=True):
        assert ours.shape == np.shape(found)
    made, rows, columns = checked.call.outputs
    rest = [
        Given(Batch(3), *made.shape[1:]),
        Given(*rows.shape, dtype="int64"),
        Given(*columns.shape, dtype="int64"),
    ]
    check(Node("FractionalMaxPoolGrad", image, rest[0], *rest))
    check(Node("FractionalAvgPoolGrad", whole(Batch(3), 13, 17, 4, dtype="int64"), *rest))
