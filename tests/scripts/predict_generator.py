"""Predictions over a generator of batches, some at a time."""

import keras
import numpy as np

keras.utils.set_random_seed(27)


def batches(count):
    rng = np.random.default_rng(27)
    for _ in range(count):
        yield (rng.normal(size=(8, 5)).astype("float32"),)


model = keras.Sequential([keras.Input((5,)), keras.layers.Dense(3, activation="softmax")])
told = model.predict(batches(30), verbose=0)
print(told.shape, np.bincount(told.argmax(axis=1), minlength=3))
for (batch,) in batches(3):
    print(model.predict_on_batch(batch).argmax(axis=1))
