"""Works in a folder of its own: everything it writes is relative to that."""

import os
import tempfile
from pathlib import Path

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(29)
home = Path.cwd()
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    weights = tf.Variable(tf.zeros([4, 1]), name="weights")
    optimizer = tf.keras.optimizers.SGD(0.1)
    checkpoint = tf.train.Checkpoint(weights=weights)

    @tf.function
    def train_step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(x @ weights - y))
        optimizer.apply_gradients([(tape.gradient(loss, weights), weights)])
        return loss

    rng = np.random.default_rng(29)
    with Path("log.txt").open("w") as log:
        for step in range(30):
            x = rng.normal(size=(16, 4)).astype("float32")
            loss = train_step(tf.constant(x), tf.constant(x[:, :1]))
            print(step, float(loss), file=log)
    checkpoint.save("checkpoints/model")
    print(sorted(path.name for path in Path("checkpoints").iterdir()))
    print(sorted(path.name for path in Path().iterdir()), f"{loss:.4f}")
    os.chdir(home)
