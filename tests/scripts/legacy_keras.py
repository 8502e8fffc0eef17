"""Keras 2 as `tf.keras`, asked for by the environment variable."""

import os

os.environ["TF_USE_LEGACY_KERAS"] = "1"

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(4)
print("from", tf.keras.Model.__module__.split(".")[0])

model = tf.keras.Sequential(
    [
        tf.keras.layers.Conv2D(8, 3, activation="relu", input_shape=(20, 20, 3)),
        tf.keras.layers.BatchNormalization(),
        tf.keras.layers.MaxPooling2D(),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(4),
    ]
)
model.compile(
    optimizer=tf.keras.optimizers.legacy.Adam(1e-3),
    loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)

rng = np.random.default_rng(0)
labels = rng.integers(0, 4, 480)
images = rng.normal(0, 1, (480, 20, 20, 3)).astype("float32") + labels[:, None, None, None]
data = tf.data.Dataset.from_tensor_slices((images, labels)).shuffle(480, seed=1).batch(24)
history = model.fit(data, epochs=2, verbose=2)
print(f"accuracy {model.evaluate(images, labels, verbose=0)[1]:.2f}")
