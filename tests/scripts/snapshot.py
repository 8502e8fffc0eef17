"""A snapshot of tf.data on disk, read again in the second epoch; `fit` over all of it."""

import tempfile

import tensorflow as tf

tf.keras.utils.set_random_seed(24)


def prepared(number):
    seed = tf.stack([tf.cast(number, tf.int32), 0])
    image = tf.random.stateless_uniform([24, 24, 1], seed)
    return tf.image.resize(image, [16, 16]), tf.cast(number % 4, tf.int32)


with tempfile.TemporaryDirectory() as folder:
    data = tf.data.Dataset.range(20 * 8).map(prepared, num_parallel_calls=2)
    data = data.snapshot(folder).batch(8).prefetch(tf.data.AUTOTUNE)
    model = tf.keras.Sequential(
        [
            tf.keras.Input((16, 16, 1)),
            tf.keras.layers.Conv2D(4, 3, activation="relu", name="features"),
            tf.keras.layers.GlobalAveragePooling2D(),
            tf.keras.layers.Dense(4, name="classes"),
        ]
    )
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, jit_compile=False)
    history = model.fit(data, epochs=2, verbose=2).history
    print(f"{history['loss'][-1]:.4f}")
