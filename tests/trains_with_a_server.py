"""`python trains_with_a_server.py PORT`: trains a small model until stdin is closed.

Its profiler can be asked at the port.
"""

import sys
import threading

import keras
import tensorflow as tf

over = threading.Event()


def _wait_for_the_end() -> None:
    sys.stdin.read()
    over.set()


def main(port: int) -> None:
    tf.profiler.experimental.server.start(port)
    layers = [keras.Input((32,)), keras.layers.Dense(64, activation="relu"), keras.layers.Dense(10)]
    model = keras.Sequential(layers)
    model.compile("adam", "mse")
    examples = tf.random.normal((320, 32)), tf.random.normal((320, 10))
    batches = tf.data.Dataset.from_tensor_slices(examples).batch(32)
    model.fit(batches, verbose=0, shuffle=False)
    threading.Thread(target=_wait_for_the_end, daemon=True).start()
    print("ready", flush=True)
    while not over.is_set():
        model.fit(batches, verbose=0, shuffle=False)


if __name__ == "__main__":
    main(int(sys.argv[1]))
