"""`tfprof run` around real training: every layout has its steps found, and nothing else changes."""

import json
from dataclasses import dataclass
from importlib.metadata import version

import pytest
from referees import needs
from run_cli import run
from run_scripts import ScriptRun, under_run, written

needs("tensorflow")

_DATA = """
import os, sys, time
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np
import tensorflow as tf
import keras

keras.utils.set_random_seed(1)
x = np.random.rand(320, 20).astype("float32")
y = (x.sum(1, keepdims=True) > 10).astype("float32")
mse = keras.losses.MeanSquaredError()

def data():
    return tf.data.Dataset.from_tensor_slices((x, y)).map(lambda a, b: (a * 2, b)).batch(32)

def network(out=1):
    layers = [keras.Input((20,)), keras.layers.Dense(16, activation="relu")]
    return keras.Sequential([*layers, keras.layers.Dense(out)])

def updated(optimizer, tape, loss, model):
    weights = model.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
"""

FIT = """
model = network()
model.compile("adam", "mse", metrics=["mae"])
model.fit(data(), validation_data=data(), epochs=2, verbose=2)
model.evaluate(x, y, verbose=0)
model.predict(x, verbose=0)
"""
MIRRORED_FIT = """
cpus = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(cpus[0], [tf.config.LogicalDeviceConfiguration()] * 2)
with tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"]).scope():
    model = network()
    model.compile("adam", "mse")
model.fit(x, y, epochs=2, batch_size=32, verbose=0)
"""
STEPS_AT_ONCE = """
model = network()
model.compile("adam", "mse", steps_per_execution=2)
model.fit(x, y, epochs=3, batch_size=32, verbose=0)
"""
OWN_TRAIN_STEP = """
class Own(keras.Model):
    def __init__(self):
        super().__init__()
        self.inner = network()
    def call(self, inputs):
        return self.inner(inputs)
    def train_step(self, batch):
        inputs, targets = batch
        with tf.GradientTape() as tape:
            loss = mse(targets, self(inputs))
        updated(self.optimizer, tape, loss, self)
        return {"loss": loss}

model = Own()
model.compile("sgd", jit_compile=True)
model.fit(data(), epochs=2, verbose=0)
"""
TRAIN_ON_BATCH = """
model = network()
model.compile("adam", "mse")
for epoch in range(3):
    for batch, target in data():
        model.train_on_batch(batch, target)
    model.test_on_batch(x, y)
"""
EAGER_FIT = """
model = network()
model.compile("adam", "mse", run_eagerly=True)
model.fit(data(), epochs=2, verbose=0)
"""
LOOP = """
model, optimizer, metric = network(), keras.optimizers.Adam(), keras.metrics.Mean()

@tf.function
def train_step(batch, target):
    with tf.GradientTape() as tape:
        loss = mse(target, model(batch, training=True))
    updated(optimizer, tape, loss, model)
    metric.update_state(loss)
    return loss

@tf.function
def test_step(batch, target):
    metric.update_state(mse(target, model(batch)))

for epoch in range(2):
    for batch, target in data():
        train_step(batch, target)
    for batch, target in data():
        test_step(batch, target)
    print("epoch", epoch, round(float(metric.result()), 3))
"""
ITERATOR = """
model, optimizer = network(), keras.optimizers.SGD()

class Trainer:
    @tf.function
    def step(self, batches):
        batch, target = next(batches)
        with tf.GradientTape() as tape:
            loss = mse(target, model(batch))
        updated(optimizer, tape, loss, model)
        return loss

trainer, batches = Trainer(), iter(data().repeat())
for step in range(20):
    trainer.step(batches)
"""
GAN = """
critic, generator = network(), network(20)
first, second = keras.optimizers.Adam(), keras.optimizers.Adam()

@tf.function
def train_critic(real):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(critic(real)) - tf.reduce_mean(critic(generator(real)))
    updated(first, tape, loss, critic)

@tf.function
def train_generator(real):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(critic(generator(real)))
    updated(second, tape, loss, generator)

for epoch in range(2):
    for real, _ in data():
        train_critic(real)
        train_generator(real)
    generator(x[:1])
"""
REINFORCEMENT = """
policy, optimizer = network(2), keras.optimizers.Adam()

@tf.function
def act(state):
    return tf.argmax(policy(state), 1)

@tf.function
def learn(states, rewards):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((tf.reduce_max(policy(states), 1) - rewards) ** 2)
    updated(optimizer, tape, loss, policy)

for episode in range(4):
    for step in range(10):
        act(x[step : step + 1])
        if step % 2:
            learn(x[:32], y[:32, 0])
"""
EAGER = """
model, optimizer = network(), keras.optimizers.SGD()
for epoch in range(2):
    for batch, target in data():
        with tf.GradientTape() as tape:
            loss = mse(target, model(batch))
        updated(optimizer, tape, loss, model)
"""
EAGER_ARRAYS = """
model, optimizer = network(), keras.optimizers.SGD()
for step in range(20):
    with tf.GradientTape() as tape:
        loss = mse(y[:32], model(x[:32]))
    updated(optimizer, tape, loss, model)
"""
MIRRORED_LOOP = """
cpus = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(cpus[0], [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
batches = strategy.experimental_distribute_dataset(data())
with strategy.scope():
    model, optimizer = network(), keras.optimizers.SGD()

def one(batch, target):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(batch) - target) ** 2)
    updated(optimizer, tape, loss, model)

@tf.function
def train_step(batch, target):
    strategy.run(one, (batch, target))

for epoch in range(2):
    for batch, target in batches:
        train_step(batch, target)
"""
TF_KERAS = """
import tf_keras
model = tf_keras.Sequential([tf_keras.layers.Dense(16), tf_keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(data(), epochs=2, verbose=0)
model.evaluate(x, y, verbose=0)
"""
SESSION = """
import tensorflow.compat.v1 as tf1
with tf.Graph().as_default(), tf1.Session() as session:
    batch = tf1.placeholder(tf.float32, (None, 20))
    weight = tf1.get_variable("weight", (20, 1))
    loss = tf.reduce_mean(tf.square(tf.matmul(batch, weight)))
    train = tf1.train.AdamOptimizer(0.1).minimize(loss)
    session.run(tf1.global_variables_initializer())
    for step in range(20):
        session.run([train, loss], {batch: x[:32]})
        session.run(loss, {batch: x})
"""


@dataclass(frozen=True)
class Layout:
    script: str
    steps: int
    kind: str
    epochs: int = 2
    at_once: int = 1
    traces_on: bool = False


_TRACES_ON = "every step traces a function: what is captured is mostly that"
LAYOUTS = {
    "fit": Layout(FIT, 20, "fit"),
    "loop": Layout(LOOP, 20, "function"),
    "eager loop over arrays": Layout(EAGER_ARRAYS, 20, "eager"),
    "session": Layout(SESSION, 20, "session"),
}
# ways to the same hooks
MORE_LAYOUTS = {
    # Keras 3.0 traces in every step: a capture does not wait longer than 20 of them
    "train_on_batch": Layout(
        TRAIN_ON_BATCH, 30, "train_on_batch", traces_on=version("keras").startswith("3.0.")
    ),
    "fit on two devices": Layout(MIRRORED_FIT, 20, "fit"),
    "GAN": Layout(GAN, 20, "function"),
    "tf_keras": Layout(TF_KERAS, 20, "fit"),
    "several steps at once": Layout(STEPS_AT_ONCE, 30, "fit", epochs=3, at_once=2),
    "train_step of its own, XLA": Layout(OWN_TRAIN_STEP, 20, "fit"),
    "fit, eagerly": Layout(EAGER_FIT, 20, "fit"),
    "loop, the iterator inside": Layout(ITERATOR, 20, "function"),
    "loop on two devices": Layout(MIRRORED_LOOP, 20, "function"),
    "reinforcement": Layout(REINFORCEMENT, 20, "function"),
    "eager loop": Layout(EAGER, 20, "eager"),
}


def trained(folder, script, *options, arguments=(), **changes) -> ScriptRun:
    """A script of this file under `tfprof run`."""
    written(folder, _DATA + script)
    return under_run(folder, *options, "train.py", *arguments, **changes)


@pytest.mark.parametrize("name", LAYOUTS)
def test_steps_are_found(tmp_path, name):
    _check(tmp_path, LAYOUTS[name])


@pytest.mark.long
@pytest.mark.timeout(620)
@pytest.mark.parametrize("name", MORE_LAYOUTS)
def test_steps_of_more_layouts_are_found(tmp_path, name):
    # AutoGraph of TensorFlow 2.16 translates all of tf_keras
    _check(tmp_path, MORE_LAYOUTS[name], seconds=600)


def _check(tmp_path, layout, **limit):
    ran = trained(tmp_path, layout.script, **limit)
    assert ran.code == 0, ran.err
    record = ran.record()
    assert record["warnings"] == ([_TRACES_ON] if layout.traces_on else [])
    assert record["steps"]["count"] == layout.steps
    assert record["steps"]["kind"] == layout.kind
    if layout.kind == "fit":
        assert [one["epoch"] for one in record["epochs"]] == list(range(1, layout.epochs + 1))
    ((first, last, whole),) = ran.captured()
    assert whole
    assert last - first + 1 >= 5
    # a warning comes while the script runs, this after it
    assert f"{layout.steps} training steps captured" in ran.said[layout.traces_on]
    told = json.loads(run("steps", ran.folder, "--json").out)["data"]
    expected = list(range(first, last + 1, layout.at_once))
    assert [step["step"] for step in told["steps"]] == expected


@pytest.mark.parametrize(
    ("what", "steps"),
    [("evaluate", 30), pytest.param("predict", 10, marks=pytest.mark.long)],
)
def test_other_steps_count_if_asked_for(tmp_path, what, steps):
    ran = trained(tmp_path, FIT, "--what", what)
    assert ran.record()["steps"]["kind"] == what
    assert ran.record()["steps"]["count"] == steps
    assert f"of {steps} {what} steps captured" in ran.said[0]


def test_steps_that_were_asked_for_are_captured(tmp_path):
    ran = trained(tmp_path, LOOP, "--steps", "6..8", "--memory", "-o", "told.json")
    assert ran.captured() == [(6, 8, True)]
    assert ran.record()["options"]["memory"] is True
    assert '"schema": "tfprof/1"' in (tmp_path / "told.json").read_text("utf-8")
    assert "Measured" in run("memory", ran.folder).out
