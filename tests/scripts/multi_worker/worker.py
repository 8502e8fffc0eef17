"""One worker of a MultiWorkerMirroredStrategy; TF_CONFIG says which."""

import json
import os

import numpy as np
import tensorflow as tf

task = json.loads(os.environ["TF_CONFIG"])["task"]
strategy = tf.distribute.MultiWorkerMirroredStrategy()
tf.keras.utils.set_random_seed(14)
rng = np.random.default_rng(14)
x = rng.normal(0, 1, (24 * 16, 16)).astype("float32")
y = (x @ rng.normal(0, 1, (16, 1))).astype("float32")

options = tf.data.Options()
options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA
dataset = tf.data.Dataset.from_tensor_slices((x, y)).repeat().batch(16).with_options(options)

with strategy.scope():
    weights = tf.Variable(tf.zeros([16, 1]), name="weights")


@tf.function
def train_step(iterator):
    def on_replica(inputs):
        features, targets = inputs
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(features @ weights - targets))
        gradient = tape.gradient(loss, weights)
        context = tf.distribute.get_replica_context()
        weights.assign_sub(0.05 * context.all_reduce(tf.distribute.ReduceOp.MEAN, gradient))
        return loss

    losses = strategy.run(on_replica, args=(next(iterator),))
    return strategy.reduce(tf.distribute.ReduceOp.MEAN, losses, axis=None)


iterator = iter(strategy.experimental_distribute_dataset(dataset))
for _ in range(24):
    loss = train_step(iterator)
print(f"{task['type']} {task['index']} of {strategy.num_replicas_in_sync}: loss {loss:.3f}", flush=True)
