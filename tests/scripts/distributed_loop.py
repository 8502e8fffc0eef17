"""MirroredStrategy with a loop of one's own: an epoch is a `tf.function`, batches come per replica."""

import tensorflow as tf

cpu = tf.config.list_physical_devices("CPU")[0]
two = [tf.config.LogicalDeviceConfiguration()] * 2
tf.config.set_logical_device_configuration(cpu, two)
tf.keras.utils.set_random_seed(32)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
BATCH, BATCHES = 16, 10

with strategy.scope():
    model = tf.keras.Sequential(
        [
            tf.keras.Input((6,)),
            tf.keras.layers.Dense(8, name="hidden"),
            tf.keras.layers.Dense(1, name="out"),
        ]
    )
    optimizer = tf.keras.optimizers.SGD(0.05)
    optimizer.build(model.trainable_variables)


def batches(context):
    size = context.get_per_replica_batch_size(BATCH)
    x = tf.random.stateless_normal([BATCH * BATCHES, 6], [32, 0])
    data = tf.data.Dataset.from_tensor_slices((x, x[:, :1]))
    return data.shard(context.num_input_pipelines, context.input_pipeline_id).batch(size)


data = strategy.distribute_datasets_from_function(batches)


def on_replica(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(model(x) - y)) / BATCH
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


@tf.function
def train_step(x, y):
    losses = strategy.run(on_replica, args=(x, y))
    return strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)


for epoch in range(4):
    total, count = 0.0, 0
    for x, y in data:
        total, count = total + train_step(x, y), count + 1
    print(f"epoch {epoch}: {count} steps, loss {total / count:.3f}")
