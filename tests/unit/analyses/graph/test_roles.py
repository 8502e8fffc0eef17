"""What variables are for, in training steps traced here, against what Keras and TensorFlow say."""

import math

import keras
import made_by_tensorflow
import pytest
import tensorflow as tf
from keras import layers

from tfprof.analyses.cost.params import count_parameters
from tfprof.analyses.graph.reach import extent
from tfprof.analyses.graph.roles import Role
from tfprof.sources.find.load import Request, choose, read


def roles(path):
    (selection,) = choose(Request([path])).selections
    data = read(selection)
    found = count_parameters(data, extent(data))
    return {role.value: found.by_role[role].value for role in Role} | {"total": found.total.value}


def _size(variables):
    return sum(math.prod(v.shape) for v in variables)


def plain():
    return keras.Sequential([layers.Input((8,)), layers.Dense(6, "relu"), layers.Dense(3)])


def with_batch_norm_and_dropout():
    return keras.Sequential([
        layers.Input((8,)),
        layers.Dense(6),
        layers.BatchNormalization(),
        layers.ReLU(),
        layers.Dropout(0.5),
        layers.Dense(3),
    ])  # fmt: skip


def convolutional():
    return keras.Sequential([
        layers.Input((8, 8, 3)),
        layers.Conv2D(4, 3, use_bias=False),
        layers.BatchNormalization(),
        layers.ReLU(),
        layers.DepthwiseConv2D(3),
        layers.GlobalAveragePooling2D(),
        layers.Dense(3),
    ])  # fmt: skip


def frozen_first_layer():
    model = plain()
    model.layers[0].trainable = False
    return model


def frozen_batch_norm():
    model = with_batch_norm_and_dropout()
    model.layers[1].trainable = False
    return model


def with_embedding():
    return keras.Sequential([
        layers.Input((4,), dtype="int32"),
        layers.Embedding(20, 5),
        layers.GlobalAveragePooling1D(),
        layers.Dense(3),
    ])  # fmt: skip


MODELS = [
    plain,
    with_batch_norm_and_dropout,
    convolutional,
    frozen_first_layer,
    frozen_batch_norm,
    with_embedding,
]
OPTIMIZERS = {
    "SGD": lambda: keras.optimizers.SGD(0.1),
    "SGD momentum": lambda: keras.optimizers.SGD(0.1, momentum=0.9),
    "SGD Nesterov": lambda: keras.optimizers.SGD(0.1, momentum=0.9, nesterov=True),
    "RMSprop": lambda: keras.optimizers.RMSprop(0.1),
    "RMSprop centered": lambda: keras.optimizers.RMSprop(0.1, momentum=0.9, centered=True),
    "Adagrad": lambda: keras.optimizers.Adagrad(0.1),
    "Adadelta": lambda: keras.optimizers.Adadelta(0.1),
    "Adam": lambda: keras.optimizers.Adam(0.1),
    "AdamW": lambda: keras.optimizers.AdamW(0.1),
    "Adamax": lambda: keras.optimizers.Adamax(0.1),
    "Nadam": lambda: keras.optimizers.Nadam(0.1),
    "Ftrl": lambda: keras.optimizers.Ftrl(0.1),
    "Lion": lambda: keras.optimizers.Lion(0.01),
}


def _training_step(model, optimizer, path):
    """The graph of one step: forward, gradients, update."""
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer.build(model.trainable_variables)

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            value = loss(y, model(x, training=True))
        gradients = tape.gradient(value, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return value

    spec = tf.TensorSpec([None, *model.input_shape[1:]], model.inputs[0].dtype)
    traced = step.get_concrete_function(spec, tf.TensorSpec([None], tf.int32))
    path.write_bytes(traced.graph.as_graph_def(add_shapes=True).SerializeToString())
    return path


# every model with one optimizer, every optimizer with one model, and two that need care
PAIRS = [
    *((model, "Adam") for model in MODELS),
    *((with_batch_norm_and_dropout, name) for name in OPTIMIZERS if name != "Adam"),
    (with_embedding, "RMSprop"),
    (with_embedding, "Adagrad"),
    (frozen_first_layer, "SGD"),
    (frozen_first_layer, "SGD momentum"),
]
OTHER_PAIRS = [
    pytest.param(model, name, marks=pytest.mark.long)
    for model in MODELS
    for name in OPTIMIZERS
    if (model, name) not in PAIRS
]


@pytest.mark.parametrize(("make_model", "name"), [*PAIRS, *OTHER_PAIRS])
def test_a_traced_keras_step_has_the_weights_and_slots_keras_says(tmp_path, make_model, name):
    keras.utils.clear_session()
    model, optimizer = make_model(), OPTIMIZERS[name]()
    found = roles(_training_step(model, optimizer, tmp_path / "graph.pb"))
    assert found["trainable"] == _size(model.trainable_weights)
    # the counter and the learning rate are scalars that could be said to be the optimizer's or not
    slots = _size([v for v in optimizer.variables if len(v.shape)])
    scalars = len([v for v in optimizer.variables if not len(v.shape)])
    assert slots <= found["optimizer"] <= slots + scalars


@pytest.mark.parametrize("make_model", MODELS, ids=lambda make: make.__name__)
def test_frozen_weights_and_moving_averages_are_state_of_the_model(tmp_path, make_model):
    keras.utils.clear_session()
    model, optimizer = make_model(), keras.optimizers.Adam()
    found = roles(_training_step(model, optimizer, tmp_path / "graph.pb"))
    floats = [v for v in model.non_trainable_weights if v.dtype == "float32"]
    state = found["non_trainable"] + found["other"]
    # besides: the seed of a dropout, and counters of the optimizer
    assert _size(floats) <= state <= _size(floats) + 6
    assert found["total"] == sum(found[role.value] for role in Role)


V1 = tf.compat.v1.train
OLD_OPTIMIZERS = {
    "GradientDescent": (lambda: V1.GradientDescentOptimizer(0.1), 0),
    "Momentum": (lambda: V1.MomentumOptimizer(0.1, 0.9), 1),
    "Nesterov": (lambda: V1.MomentumOptimizer(0.1, 0.9, use_nesterov=True), 1),
    "Adam": (lambda: V1.AdamOptimizer(0.1), 2),
    "RMSProp": (lambda: V1.RMSPropOptimizer(0.1), 2),
    "centered RMSProp": (lambda: V1.RMSPropOptimizer(0.1, centered=True), 3),
    "Adagrad": (lambda: V1.AdagradOptimizer(0.1), 1),
    "Adadelta": (lambda: V1.AdadeltaOptimizer(0.1), 2),
    "Ftrl": (lambda: V1.FtrlOptimizer(0.1), 2),
    "ProximalAdagrad": (lambda: V1.ProximalAdagradOptimizer(0.1), 1),
    "ProximalGradientDescent": (lambda: V1.ProximalGradientDescentOptimizer(0.1), 0),
    "AdagradDA": (
        lambda: V1.AdagradDAOptimizer(0.1, V1.get_or_create_global_step()),
        2,
    ),
}
TRAINED = 8 * 4 + 4


@pytest.mark.parametrize("name", OLD_OPTIMIZERS)
def test_a_graph_of_tensorflow_1_shows_what_is_trained_and_the_slots(tmp_path, name):
    make, slots = OLD_OPTIMIZERS[name]
    path = tmp_path / "graph.pb"
    graph = made_by_tensorflow.tf1_graph(make)
    path.write_bytes(graph.as_graph_def().SerializeToString())
    found = roles(path)
    powers = 2 if name == "Adam" else 0
    # the step counter is nobody's, unless the optimizer reads it
    counter = "optimizer" if name == "AdagradDA" else "other"
    found[counter] -= 1
    assert found["trainable"] == TRAINED
    assert found["optimizer"] == slots * TRAINED + powers
    assert found["non_trainable"] == 4
    assert found["other"] == 0
    assert found["total"] == TRAINED * (1 + slots) + powers + 5


@pytest.mark.parametrize("name", OLD_OPTIMIZERS)
def test_collections_and_graph_agree(tmp_path, name):
    make, _ = OLD_OPTIMIZERS[name]
    graph = made_by_tensorflow.tf1_graph(make)
    (tmp_path / "graph.pb").write_bytes(graph.as_graph_def().SerializeToString())
    with graph.as_default():
        meta = tf.compat.v1.train.export_meta_graph()
    (tmp_path / "x.meta").write_bytes(meta.SerializeToString())
    assert roles(tmp_path / "graph.pb") == roles(tmp_path / "x.meta")


def test_averages_of_weights_are_counted_apart(tmp_path):
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        weight = v1.get_variable("w", [5, 3], use_resource=False)
        x = v1.placeholder(tf.float32, [None, 5], name="x")
        loss = tf.reduce_mean(tf.matmul(x, weight))
        step = v1.train.GradientDescentOptimizer(0.1).minimize(loss)
        with tf.control_dependencies([step]):
            tf.train.ExponentialMovingAverage(0.9).apply([weight])
    path = tmp_path / "graph.pb"
    path.write_bytes(graph.as_graph_def().SerializeToString())
    found = roles(path)
    assert found["trainable"] == 15
    assert found["other"] == 15
