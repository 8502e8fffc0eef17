"""Compiled by XLA: a `tf.function` with `jit_compile`, then `fit` with it."""

import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(30)
rng = np.random.default_rng(30)
images = rng.uniform(0, 1, (512, 64)).astype("float32")
labels = (images[:, :32].sum(1) > images[:, 32:].sum(1)).astype("int64")

w = tf.Variable(tf.random.normal([64, 2], stddev=0.1), name="w")
b = tf.Variable(tf.zeros([2]), name="b")


@tf.function(jit_compile=True)
def train_mnist(x, y):
    with tf.GradientTape() as tape:
        logits = x @ w + b
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits))
    dw, db = tape.gradient(loss, [w, b])
    w.assign_sub(0.5 * dw)
    b.assign_sub(0.5 * db)
    return loss


for step in range(24):
    part = slice(32 * (step % 16), 32 * (step % 16) + 32)
    loss = train_mnist(images[part], labels[part])
print(f"function: loss {loss:.2f}")

model = keras.Sequential(
    [
        keras.Input((64,)),
        keras.layers.Dense(128, activation="gelu"),
        keras.layers.Dense(2, activation="softmax"),
    ]
)
model.compile("adam", "sparse_categorical_crossentropy", jit_compile=True)
history = model.fit(images, labels, batch_size=32, epochs=2, verbose=0)
print(f"fit: loss {history.history['loss'][-1]:.2f}")
