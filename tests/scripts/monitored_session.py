"""TensorFlow 1: MonitoredTrainingSession with hooks, and data from a `tf.data` iterator."""

import tempfile

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
tf1.disable_v2_behavior()
tf1.logging.set_verbosity(tf1.logging.ERROR)


def input_fn():
    rng = np.random.default_rng(2)
    x = rng.normal(0, 1, (512, 10)).astype(np.float32)
    dataset = tf.data.Dataset.from_tensor_slices((x, x[:, 0] > 0))
    return tf1.data.make_one_shot_iterator(dataset.repeat().batch(32)).get_next()


class Printer(tf1.train.SessionRunHook):
    def before_run(self, run_context):
        return tf1.train.SessionRunArgs([loss, step])

    def after_run(self, run_context, run_values):
        value, number = run_values.results
        if number % 16 == 0:
            print(f"step {number}: loss {value:.2f}")


with tf.Graph().as_default():
    tf1.set_random_seed(1)
    step = tf1.train.get_or_create_global_step()
    features, labels = input_fn()
    w = tf1.get_variable("w", [10, 1])
    logits = tf.matmul(features, w)
    loss = tf1.losses.sigmoid_cross_entropy(tf.cast(labels, tf.int32)[:, None], logits)
    train_op = tf1.train.AdamOptimizer(0.05).minimize(loss, global_step=step)
    hooks = [tf1.train.StopAtStepHook(last_step=48), Printer()]
    with tf1.train.MonitoredTrainingSession(checkpoint_dir=tempfile.mkdtemp(), hooks=hooks) as session:
        while not session.should_stop():
            session.run(train_op)
print("done")
