"""A training loop of one's own: `for x, y in dataset`, a `tf.function`, metrics, validation."""

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(10)
rng = np.random.default_rng(10)
features = rng.normal(0, 1, (960, 40)).astype(np.float32)
labels = (features[:, :4].sum(axis=1) > 0).astype(np.int32)
train_ds = tf.data.Dataset.from_tensor_slices((features[:768], labels[:768]))
train_ds = train_ds.shuffle(768, seed=2).batch(32).prefetch(tf.data.AUTOTUNE)
val_ds = tf.data.Dataset.from_tensor_slices((features[768:], labels[768:])).batch(64)

model = tf.keras.Sequential(
    [
        tf.keras.Input((40,)),
        tf.keras.layers.Dense(64, activation="relu", name="dense_1"),
        tf.keras.layers.Dense(64, activation="relu", name="dense_2"),
        tf.keras.layers.Dense(2, name="logits"),
    ]
)
optimizer = tf.keras.optimizers.Adam(3e-3)
loss_object = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
train_loss = tf.keras.metrics.Mean(name="train_loss")
val_accuracy = tf.keras.metrics.SparseCategoricalAccuracy(name="val_accuracy")


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        predictions = model(x, training=True)
        loss = loss_object(y, predictions)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    train_loss(loss)


@tf.function
def test_step(x, y):
    val_accuracy(y, model(x, training=False))


for epoch in range(2):
    train_loss.reset_state()
    val_accuracy.reset_state()
    for x, y in train_ds:
        train_step(x, y)
    for x, y in val_ds:
        test_step(x, y)
    print(
        f"Epoch {epoch + 1}, Loss: {train_loss.result():.3f}, "
        f"Validation: {val_accuracy.result() * 100:.1f}"
    )
