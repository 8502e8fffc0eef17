"""TensorFlow 1: a plain session that is fed, validates now and then, and saves checkpoints."""

import tempfile
from pathlib import Path

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.set_random_seed(22)
rng = np.random.default_rng(22)

features = tf.placeholder(tf.float32, [None, 8], name="features")
targets = tf.placeholder(tf.float32, [None, 1], name="targets")
with tf.variable_scope("hidden"):
    weights = tf.get_variable("weights", [8, 16])
    hidden = tf.nn.relu(tf.matmul(features, weights))
with tf.variable_scope("out"):
    out = tf.matmul(hidden, tf.get_variable("weights", [16, 1]))
loss = tf.reduce_mean(tf.squared_difference(out, targets))
step = tf.train.get_or_create_global_step()
train = tf.train.AdamOptimizer(0.01).minimize(loss, global_step=step)
saver = tf.train.Saver(max_to_keep=2)


def batch(size=32):
    x = rng.normal(size=(size, 8)).astype("float32")
    return {features: x, targets: x[:, :1] * 2 - x[:, 1:2]}


with tempfile.TemporaryDirectory() as folder, tf.Session() as session:
    session.run(tf.global_variables_initializer())
    held_out = batch(128)
    for number in range(45):
        _, now = session.run([train, step], batch())
        if now % 15 == 0:
            print(f"step {now}: validation {session.run(loss, held_out):.3f}")
            saver.save(session, str(Path(folder) / "model"), global_step=step)
    print(sorted(path.suffix for path in Path(folder).glob("model-45*")))
