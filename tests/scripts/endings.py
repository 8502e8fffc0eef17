"""Trains, then ends in the way asked for: `python endings.py exception|exit|_exit|sigterm|...`."""

import atexit
import os
import signal
import sys

import numpy as np
import tensorflow as tf


def cleaned_up():
    print("atexit ran", flush=True)


def on_sigterm(number, frame):
    print("handler of SIGTERM ran", flush=True)
    sys.exit(15)


class Stop(Exception):
    pass


def main(how):
    atexit.register(cleaned_up)
    tf.keras.utils.set_random_seed(1)
    weights = tf.Variable(tf.zeros([4, 1]))

    @tf.function
    def train_step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ weights - y) ** 2)
        weights.assign_sub(0.1 * tape.gradient(loss, weights))
        return loss

    x = np.random.default_rng(0).normal(0, 1, (32, 4)).astype("float32")
    for step in range(12):
        loss = train_step(x, x[:, :1])
        if step == 8 and how == "in step":
            train_step(x, x[:, :3, None])
    print(f"loss {loss:.3f}", flush=True)
    if how == "exception":
        raise Stop("as asked")
    if how == "exit":
        sys.exit(3)
    if how == "message":
        sys.exit("a last word")
    if how == "_exit":
        os._exit(4)
    if how == "handled":
        signal.signal(signal.SIGTERM, on_sigterm)
        os.kill(os.getpid(), signal.SIGTERM)
    if how == "sigterm":
        os.kill(os.getpid(), signal.SIGTERM)
    if how == "interrupt":
        os.kill(os.getpid(), signal.SIGINT)
    if how == "abort":
        os.abort()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "return")
