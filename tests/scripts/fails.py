"""Goes wrong in the middle of training, inside of a `train_step`, in code of its own."""

import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(34)


class Stops(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        if batch == 14:
            raise RuntimeError("the loss is odd")


@tf.function
def doubled(x):
    return x * 2


model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
x = np.ones((20 * 8, 4), "float32")
model.fit(doubled(x), x[:, :1], batch_size=8, verbose=0, callbacks=[Stops()])
