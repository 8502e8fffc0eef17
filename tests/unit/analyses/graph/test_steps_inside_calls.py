"""Steps that train inside a loop, a branch or a compiled function, traced here."""

import inspect
import math

import keras
import pytest
import tensorflow as tf
from keras import layers

import tfprof
from tfprof.analyses.cost.op_costs import op_costs
from tfprof.analyses.cost.params import count_parameters
from tfprof.analyses.graph.inlined import inlined
from tfprof.analyses.graph.reach import extent
from tfprof.analyses.graph.roles import Role
from tfprof.analyses.graph.subgraph import BACKWARD, FORWARD, INFERENCE, TRAIN, UPDATE, subgraph
from tfprof.analyses.inference.sites import Given
from tfprof.sources.find.load import Request, choose, read

BATCH = Given({"B": 4})
X, Y = tf.TensorSpec([None, 8]), tf.TensorSpec([None], tf.int32)
LOSS = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
WEIGHTS = 8 * 6 + 6 + 6 * 3 + 3
FORWARD_MACS = 4 * (8 * 6 + 6 * 3)
BACKWARD_MACS = 4 * (8 * 6 + 2 * 6 * 3)


class Trainer:
    """Dropout, so that a step has a seed, too."""

    def __init__(self, **adam):
        keras.utils.clear_session()
        parts = [layers.Dense(6, "relu"), layers.Dropout(0.5), layers.Dense(3)]
        self.model = keras.Sequential([layers.Input((8,)), *parts])
        self.optimizer = keras.optimizers.Adam(**adam)
        self.optimizer.build(self.model.trainable_variables)

    def step(self, x, y):
        weights = self.model.trainable_variables
        with tf.GradientTape() as tape:
            value = LOSS(y, self.model(x, training=True))
        gradients = tape.gradient(value, weights)
        self.optimizer.apply_gradients(zip(gradients, weights, strict=True))
        return value

    @property
    def slots(self):
        return sum(math.prod(v.shape) for v in self.optimizer.variables)


def as_read(function, path, *specs):
    """The graph of a call as a file: nothing says which variables are trained."""
    traced = function.get_concrete_function(*specs)
    path.write_bytes(traced.graph.as_graph_def(add_shapes=True).SerializeToString())
    (selection,) = choose(Request([path])).selections
    return read(selection)


def roles(data):
    found = count_parameters(data, extent(data))
    return {role.value: found.by_role[role].value for role in Role}


def straight(one):
    return tf.function(one.step)


def in_a_loop(one):
    @tf.function
    def function(x, y):
        value = 0.0
        for _ in tf.range(5):
            value += one.step(x, y)
        return value

    return function


def compiled(one):
    inner = tf.function(one.step, jit_compile=True)
    return tf.function(lambda x, y: inner(x, y) + 0.0)


def in_a_branch(one):
    return tf.function(
        lambda x, y: tf.cond(tf.reduce_sum(x) > 0, lambda: one.step(x, y), lambda: 0.0)
    )


@pytest.mark.parametrize(
    ("wrapped", "what", "rounds"),
    [
        (straight, "one training step", 1),
        (in_a_loop, "a loop of training steps", 5),
        (compiled, "one training step", 1),
        (in_a_branch, "one training step", 1),
    ],
)
def test_where_a_step_stands_changes_neither_its_work_nor_its_variables(
    tmp_path, wrapped, what, rounds
):
    one = Trainer()
    data = as_read(wrapped(one), tmp_path / "graph.pb", X, Y)
    part = subgraph(data)
    assert (part.mode, part.what) == (TRAIN, what)
    assert roles(data) == {
        "trainable": WEIGHTS,
        "non_trainable": 0,
        "optimizer": one.slots,
        "other": 2,
    }
    costs = op_costs(data, part, BATCH)
    assert costs.of_phase(FORWARD).macs == FORWARD_MACS * rounds
    assert costs.of_phase(BACKWARD).macs == BACKWARD_MACS * rounds
    assert costs.of_phase(UPDATE).flops_all > 0
    forward = op_costs(data, subgraph(data, INFERENCE), BATCH)
    assert forward.total.macs == FORWARD_MACS * rounds


@pytest.mark.parametrize("steps", [1, 3])
def test_the_function_that_keras_fits_with_is_a_training_step(tmp_path, steps):
    one = Trainer()
    one.model.compile(one.optimizer, LOSS, steps_per_execution=steps)
    examples = tf.data.Dataset.from_tensors((tf.zeros([9, 8]), tf.zeros([9], tf.int32)))
    batches = examples.unbatch().batch(4)
    one.model.make_train_function()
    one.model._symbolic_build(data_batch=next(iter(batches)))
    held = inspect.getclosurevars(one.model.train_function).nonlocals
    traced = held["multi_step_on_iterator"]
    data = as_read(traced, tmp_path / "graph.pb", iter(batches))
    assert subgraph(data).mode == TRAIN
    assert op_costs(data, None, BATCH).total.macs == (FORWARD_MACS + BACKWARD_MACS) * steps
    found = roles(data)
    # the seed of the dropout, and the sum and count of the loss
    assert (found["trainable"], found["optimizer"], found["other"]) == (WEIGHTS, one.slots, 4)


def test_gradients_that_a_loop_adds_up_are_used_by_the_step_around_it(tmp_path):
    one = Trainer()
    weights = one.model.trainable_variables

    @tf.function
    def accumulated(x, y):
        sums = [tf.zeros(v.shape) for v in weights]
        for _ in tf.range(2):
            with tf.GradientTape() as tape:
                value = LOSS(y, one.model(x, training=True))
            sums = [a + b for a, b in zip(sums, tape.gradient(value, weights), strict=True)]
        one.optimizer.apply_gradients(zip(sums, weights, strict=True))

    data = as_read(accumulated, tmp_path / "graph.pb", X, Y)
    assert subgraph(data).what == "one training step"
    costs = op_costs(data, None, BATCH)
    assert costs.of_phase(FORWARD).macs == FORWARD_MACS * 2
    assert costs.of_phase(BACKWARD).macs == BACKWARD_MACS * 2


def test_averages_of_weights_double_no_count(tmp_path):
    kept = Trainer(use_ema=True)
    data = as_read(straight(kept), tmp_path / "keras.pb", X, Y)
    assert roles(data)["non_trainable"] == 0
    assert roles(data)["optimizer"] == kept.slots
    one, average = Trainer(), tf.train.ExponentialMovingAverage(0.9)
    variables = [v.value for v in one.model.trainable_variables]
    average.apply(variables)

    @tf.function
    def averaged(x, y):
        one.step(x, y)
        average.apply(variables)

    graph = tmp_path / "tensorflow.pb"
    found = roles(as_read(averaged, graph, X, Y))
    assert (found["trainable"], found["non_trainable"]) == (WEIGHTS, 0)
    assert tfprof.parameter_count(str(graph), which="model") == WEIGHTS


def test_what_map_fn_computes_is_in_the_forward_pass_of_a_step(tmp_path):
    weight = tf.Variable(tf.zeros([5, 5]))

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            value = tf.reduce_sum(tf.map_fn(lambda row: row @ weight, x))
        weight.assign_sub(tape.gradient(value, weight))
        return value

    data = as_read(step, tmp_path / "graph.pb", tf.TensorSpec([7, 3, 5]))
    forward = op_costs(data, subgraph(data, INFERENCE))
    assert forward.total.macs == 7 * 3 * 5 * 5
    assert op_costs(data).of_phase(UPDATE).macs == 0


def test_functions_that_call_each_other_without_end_are_left_where_they_are(tmp_path):
    graph = tf.compat.v1.GraphDef()
    function = graph.library.function.add()
    function.signature.name = "again"
    for call in (graph.node.add(), function.node_def.add(), function.node_def.add()):
        call.op, call.name = "PartitionedCall", f"gradients/{id(call)}"
        call.attr["f"].func.name = "again"
    graph.node[0].name = "start"
    path = tmp_path / "graph.pb"
    path.write_bytes(graph.SerializeToString())
    (selection,) = choose(Request([path])).selections
    read_again = read(selection).graph
    assert len(inlined(read_again).graph) == len(read_again)
