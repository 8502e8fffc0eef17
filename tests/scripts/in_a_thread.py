"""Training on a thread while the main one waits, as programs with a window do."""

import queue
import threading

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(33)
told = queue.Queue()


class Report(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        told.put((epoch, round(logs["loss"], 3)))


def work():
    model = tf.keras.Sequential(
        [tf.keras.Input((5,)), tf.keras.layers.Dense(4, name="only"), tf.keras.layers.Dense(1)]
    )
    model.compile("sgd", "mse")
    x = np.random.default_rng(33).normal(size=(160, 5)).astype("float32")
    model.fit(x, x[:, :1], batch_size=8, epochs=2, verbose=0, shuffle=False, callbacks=[Report()])
    told.put(None)


thread = threading.Thread(target=work)
thread.start()
while (one := told.get()) is not None:
    print("epoch", *one)
thread.join()
