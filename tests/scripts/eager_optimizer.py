"""Eager, with a Keras model and an optimizer: `apply_gradients` outside of any function."""

import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(8)
model = keras.Sequential(
    [keras.Input((12,)), keras.layers.Dense(24, activation="relu"), keras.layers.Dense(3)]
)
optimizer = keras.optimizers.SGD(learning_rate=0.1)
loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
rng = np.random.default_rng(3)
x = rng.normal(0, 1, (320, 12)).astype("float32")
y = x[:, :3].argmax(axis=1)

for epoch in range(4):
    for start in range(0, 320, 32):
        x_batch, y_batch = x[start : start + 32], y[start : start + 32]
        with tf.GradientTape() as tape:
            loss_value = loss_fn(y_batch, model(x_batch, training=True))
        grads = tape.gradient(loss_value, model.trainable_weights)
        optimizer.apply_gradients(zip(grads, model.trainable_weights))
    print(f"Training loss at epoch {epoch}: {float(loss_value):.3f}")
