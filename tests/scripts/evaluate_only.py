"""A model is built, its weights are loaded, and it is evaluated: nothing is trained."""

import tempfile
from pathlib import Path

import keras
import numpy as np

keras.utils.set_random_seed(26)


def build():
    model = keras.Sequential([keras.Input((6,)), keras.layers.Dense(4), keras.layers.Dense(1)])
    model.compile("sgd", "mse", metrics=["mae"])
    return model


x = np.random.default_rng(26).normal(size=(320, 6)).astype("float32")
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "model.weights.h5"
    build().save_weights(path)
    model = build()
    model.load_weights(path)
for name, value in model.evaluate(x, x[:, :1], batch_size=16, return_dict=True, verbose=2).items():
    print(f"{name} {value:.4f}")
