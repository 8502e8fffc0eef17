import numpy as np
import tensorflow as tf

from . import settings


def series(length=400):
    time = np.arange(length, dtype="float32")
    noise = np.random.default_rng(settings.SEED).normal(0, 0.05, length)
    return (np.sin(time / 9) + noise).astype("float32")


def windows(values):
    """Of each window, the value that follows it."""
    return (
        tf.keras.utils.timeseries_dataset_from_array(
            values[: -settings.WINDOW, None],
            values[settings.WINDOW :],
            sequence_length=settings.WINDOW,
            batch_size=settings.BATCH,
            shuffle=True,
            seed=settings.SEED,
        )
        .repeat()
        .prefetch(2)
    )
