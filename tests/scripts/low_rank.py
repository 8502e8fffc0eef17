"""A frozen model, low-rank adapters beside its layers, and a `train_step` of one's own."""

import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(25)


class Adapted(keras.layers.Layer):
    """dense(x) + x A B; only A and B are trained."""

    def __init__(self, dense, rank, **how):
        super().__init__(**how)
        self.dense, self.rank = dense, rank
        self.dense.trainable = False

    def build(self, shape):
        self.a = self.add_weight(shape=(shape[-1], self.rank), name="a")
        self.b = self.add_weight(shape=(self.rank, self.dense.units), name="b", initializer="zeros")

    def call(self, x):
        return self.dense(x) + tf.matmul(tf.matmul(x, self.a), self.b)


class FineTuned(keras.Model):
    def __init__(self):
        super().__init__()
        self.first = Adapted(keras.layers.Dense(32, activation="relu"), 2, name="first")
        self.second = Adapted(keras.layers.Dense(1), 2, name="second")
        self.mean = keras.metrics.Mean("loss")

    def call(self, x):
        return self.second(self.first(x))

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self(x, training=True) - y))
        gradients = tape.gradient(loss, self.trainable_variables)
        gradients, _ = tf.clip_by_global_norm(gradients, 1.0)
        self.optimizer.apply(gradients, self.trainable_variables)
        self.mean.update_state(loss)
        return {"loss": self.mean.result()}

    @property
    def metrics(self):
        return [self.mean]


rng = np.random.default_rng(25)
x = rng.normal(size=(20 * 16, 16)).astype("float32")
model = FineTuned()
model.compile(optimizer=keras.optimizers.AdamW(1e-3))
model.fit(x, x[:, :1], batch_size=16, epochs=2, verbose=2, shuffle=False)
print("trained", len(model.trainable_variables), "of", len(model.weights))
