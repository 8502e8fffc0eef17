import tensorflow as tf

from .settings import WINDOW


def create(units):
    return tf.keras.Sequential(
        [
            tf.keras.Input((WINDOW, 1)),
            tf.keras.layers.LSTM(units),
            tf.keras.layers.Dense(1),
        ],
        name="forecast",
    )
