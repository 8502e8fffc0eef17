"""MirroredStrategy with a loop of one's own: `strategy.run` inside a `tf.function`."""

import numpy as np
import tensorflow as tf

tf.config.set_logical_device_configuration(
    tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2
)
tf.keras.utils.set_random_seed(13)
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
GLOBAL_BATCH_SIZE = 32

rng = np.random.default_rng(13)
x = rng.normal(0, 1, (640, 20)).astype("float32")
y = (x[:, :1] > 0).astype("float32")
dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(GLOBAL_BATCH_SIZE)
dist_dataset = strategy.experimental_distribute_dataset(dataset)

with strategy.scope():
    model = tf.keras.Sequential([tf.keras.Input((20,)), tf.keras.layers.Dense(1)])
    optimizer = tf.keras.optimizers.SGD(0.1)
    loss_object = tf.keras.losses.BinaryCrossentropy(from_logits=True, reduction="none")


def train_step(inputs):
    images, labels = inputs
    with tf.GradientTape() as tape:
        per_example_loss = loss_object(labels, model(images, training=True))
        loss = tf.nn.compute_average_loss(per_example_loss, global_batch_size=GLOBAL_BATCH_SIZE)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


@tf.function
def distributed_train_step(dataset_inputs):
    per_replica_losses = strategy.run(train_step, args=(dataset_inputs,))
    return strategy.reduce(tf.distribute.ReduceOp.SUM, per_replica_losses, axis=None)


for epoch in range(2):
    total_loss = 0.0
    num_batches = 0
    for batch in dist_dataset:
        total_loss += distributed_train_step(batch)
        num_batches += 1
    print(f"Epoch {epoch + 1}: {num_batches} batches, loss {total_loss / num_batches:.3f}")
