"""Captures training steps that XLA compiled for the CPU: a Keras model with jit_compile=True.

python tests/capture_xla_cpu.py FOLDER
"""

import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"

import keras
import numpy as np
import tensorflow as tf

BATCH, SIZE, STEPS = 16, 32, 6


def capture(folder):
    model = keras.Sequential(
        [
            keras.Input((SIZE, SIZE, 3)),
            keras.layers.Conv2D(32, 3, activation="relu", name="first"),
            keras.layers.Conv2D(48, 3, activation="relu", name="second"),
            keras.layers.GlobalAveragePooling2D(name="pool"),
            keras.layers.Dense(10, name="last"),
        ],
        name="small",
    )
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("sgd", loss, jit_compile=True)
    images = np.ones((BATCH * STEPS, SIZE, SIZE, 3), np.float32)
    labels = np.zeros((BATCH * STEPS,), np.int32)
    model.fit(images, labels, batch_size=BATCH, verbose=0, shuffle=False)
    tf.profiler.experimental.start(str(folder))
    model.fit(images, labels, batch_size=BATCH, verbose=0, shuffle=False)
    tf.profiler.experimental.stop()


if __name__ == "__main__":
    capture(sys.argv[1])
