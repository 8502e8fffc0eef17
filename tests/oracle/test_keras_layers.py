"""What a configuration tells of a layer, against the graph that TensorFlow traces from it.

Parameters, shapes, MACs and other work of a prediction, the MACs of a training step, and the peak
of memory in both: all from the file alone, and all from the graph.
"""

import math
import re
from dataclasses import replace

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras_models import every_model
from keras_oracle import exported, forward, specs

from tfprof.analyses.cost.op_costs import op_costs
from tfprof.analyses.graph.subgraph import INFERENCE, TRAIN, subgraph
from tfprof.analyses.inference.sites import Given
from tfprof.analyses.keras.keras_costs import keras_costs
from tfprof.analyses.memory.estimator import Estimator, memory_model
from tfprof.analyses.memory.step_sources import AddedSteps, GraphSteps, KerasSteps
from tfprof.model.dims import at
from tfprof.sources.keras.file import read_keras

SIZES = {"B": 3, "S": 8, "H": 12, "W": 12, "D": 6}
BATCH = SIZES["B"]
LETTERS = {2: "S", 3: "SC", 4: "HWC", 5: "DHWC"}
GIVEN = Given(SIZES)
MODELS = every_model()


def by_config(model, path):
    model.save(path)
    read = read_keras(path, 0, None).keras
    costs, train = keras_costs(read), keras_costs(read, train=True)

    def value(found, quantity):
        total = found.total(quantity)
        return f"missing: {total.reason}" if total.missing else at(total.known, SIZES)

    return {
        "parameters": value(costs, "params"),
        "shapes": [
            tuple(at(size, SIZES) for size in costs.calls[ref.call].outputs[ref.output])
            for ref in read.flow.outputs
        ],
        "macs": value(costs, "macs"),
        "work": value(costs, "work"),
        "training macs": value(train, "macs"),
        "peak": peak(KerasSteps(read, SIZES, None)),
        "training peak": peak(KerasSteps(read, SIZES, "adam")),
    }


def by_graph(model):
    """Traced as `fit` and `predict` do, for any batch; looked at for one."""
    given = replace(GIVEN, truth=False)
    traced = exported(forward(model)).data
    part = subgraph(traced, INFERENCE)
    predicts = op_costs(traced, part, given)
    assert not predicts.uncounted, predicts.uncounted
    found = {
        "parameters": sum(math.prod(one.shape) for one in model.weights if "seed" not in one.name),
        "shapes": shapes(model),
        "macs": predicts.total.macs,
        "work": predicts.total.flops_all - predicts.total.flops,
    }
    steps = GraphSteps(traced, part, given)
    found["peak"] = peak(steps)
    if model.trainable_weights:
        found["training peak"] = peak(AddedSteps(steps, "adam"))
        step = exported(training_step(model)).data
        trains = op_costs(step, subgraph(step, TRAIN), GIVEN)
        found["training macs"] = trains.total.macs
    return found


def shapes(model):
    """Of what Keras makes of zeros."""
    data = [
        np.zeros(
            [SIZES["B"] if not axis else size or SIZES[LETTERS[len(one.shape)][axis - 1]]
             for axis, size in enumerate(one.shape)],
            one.dtype,
        )
        for one in model.inputs
    ]  # fmt: skip
    made = keras.tree.flatten(model(data[0] if len(data) == 1 else data))
    return [tuple(one.shape) for one in made]


def training_step(model):
    """A tape, squares as the loss, Adam."""
    model.compile(optimizer="adam")
    model.optimizer.build(model.trainable_variables)

    def step(given):
        with tf.GradientTape() as tape:
            made = keras.tree.flatten(model(given, training=True))
            loss = tf.add_n([tf.reduce_mean(tf.square(tf.cast(one, "float32"))) for one in made])
        gradients = tape.gradient(loss, model.trainable_variables)
        model.optimizer.apply(gradients, model.trainable_variables)
        return loss

    return tf.function(step).get_concrete_function(specs(model.inputs, {}))


def equal(what, ours, theirs):
    """Up to some numbers that shapes are made of, which only a graph has.

    Which op comes first, and so what is alive at once, is not the same where names differ.
    """
    if "peak" in what:
        return abs(ours - theirs) <= max(ORDER, theirs / 10)
    return abs(ours - theirs) <= NUMBERS if what == "work" else ours == theirs


NUMBERS, ORDER = 64, 512


def peak(steps):
    found = Estimator(steps, memory_model("cpu-tf")).at(BATCH)
    return sum(one.expected for one in found.values())


def differences(model, path):
    ours, theirs = by_config(model, path), by_graph(model)
    return {
        what: (ours[what], wanted)
        for what, wanted in theirs.items()
        if not equal(what, ours[what], wanted)
    }


# the rounds of a graph's loop are written out one by one, those of a file's are counted
LOOPS = re.compile(r"(Conv)?LSTM|GRU|RNN|SimpleRNN|Bidirectional|TimeDistributed")
# what differs, and why
MISSES = {
    "Conv2D, groups": ({"training macs"}, "Keras computes the gradient of the image along, in XLA"),
    "RandomCrop": ({"peak"}, "Keras does not crop here, though the shape that it states says so"),
    "Resizing, cropped": (
        {"peak"},
        "the graph leaves open what the crop makes: nothing",
    ),
    **dict.fromkeys(
        [f"MultiHeadAttention, {one}" for one in ("plain", "key", "by name")],
        ({"training peak"}, "which of two sums comes first is not the same where names differ"),
    ),
}


# of a variable that a call does not read
@pytest.mark.filterwarnings("ignore:Gradients do not exist")
@pytest.mark.parametrize("name", MODELS)
def test_a_configuration_tells_what_the_graph_does(name, tmp_path):
    found = differences(MODELS[name](), tmp_path / "model.keras")
    if LOOPS.match(name):
        found = {what: both for what, both in found.items() if "peak" not in what}
    expected, why = MISSES.get(name, (set(), ""))
    assert set(found) == expected, f"{found}; known: {why}"
