"""A transformer block as layers of one's own, a schedule of the learning rate, callbacks."""

import os

os.environ["KERAS_BACKEND"] = "tensorflow"

import keras
import numpy as np
from keras import layers, ops

keras.utils.set_random_seed(3)
vocab_size, maxlen, embed_dim, num_heads, ff_dim = 200, 32, 32, 2, 64


class TransformerBlock(layers.Layer):
    def __init__(self, embed_dim, num_heads, ff_dim, rate=0.1, **kwargs):
        super().__init__(**kwargs)
        self.att = layers.MultiHeadAttention(num_heads=num_heads, key_dim=embed_dim)
        self.ffn = keras.Sequential([layers.Dense(ff_dim, activation="relu"), layers.Dense(embed_dim)])
        self.layernorm1 = layers.LayerNormalization(epsilon=1e-6)
        self.layernorm2 = layers.LayerNormalization(epsilon=1e-6)
        self.dropout1 = layers.Dropout(rate)
        self.dropout2 = layers.Dropout(rate)

    def call(self, inputs, training=False):
        attended = self.dropout1(self.att(inputs, inputs), training=training)
        out1 = self.layernorm1(inputs + attended)
        return self.layernorm2(out1 + self.dropout2(self.ffn(out1), training=training))


class TokenAndPositionEmbedding(layers.Layer):
    def __init__(self, maxlen, vocab_size, embed_dim, **kwargs):
        super().__init__(**kwargs)
        self.token_emb = layers.Embedding(input_dim=vocab_size, output_dim=embed_dim)
        self.pos_emb = layers.Embedding(input_dim=maxlen, output_dim=embed_dim)

    def call(self, x):
        return self.token_emb(x) + self.pos_emb(ops.arange(0, ops.shape(x)[-1]))


class Warmup(keras.optimizers.schedules.LearningRateSchedule):
    def __init__(self, peak, steps):
        super().__init__()
        self.peak, self.steps = peak, steps

    def __call__(self, step):
        step = ops.cast(step, "float32")
        return self.peak * ops.minimum(1.0, (step + 1) / self.steps)

    def get_config(self):
        return {"peak": self.peak, "steps": self.steps}


def sentences(count):
    """Does the token 7 come before the token 8?"""
    rng = np.random.default_rng(count)
    x = rng.integers(10, vocab_size, (count, maxlen))
    first, second = rng.integers(0, maxlen // 2, count), rng.integers(maxlen // 2, maxlen, count)
    y = rng.integers(0, 2, count)
    x[np.arange(count), first] = np.where(y, 7, 8)
    x[np.arange(count), second] = np.where(y, 8, 7)
    return x, y


inputs = layers.Input(shape=(maxlen,))
x = TokenAndPositionEmbedding(maxlen, vocab_size, embed_dim)(inputs)
x = TransformerBlock(embed_dim, num_heads, ff_dim)(x)
x = layers.GlobalAveragePooling1D()(x)
x = layers.Dropout(0.1)(x)
outputs = layers.Dense(2, activation="softmax")(x)
model = keras.Model(inputs=inputs, outputs=outputs, name="transformer")

model.compile(
    optimizer=keras.optimizers.AdamW(Warmup(2e-3, 20)),
    loss="sparse_categorical_crossentropy",
    metrics=["accuracy"],
)
history = model.fit(
    *sentences(640),
    batch_size=32,
    epochs=3,
    validation_data=sentences(96),
    callbacks=[keras.callbacks.EarlyStopping(patience=2, restore_best_weights=True)],
    verbose=0,
)
for epoch, loss in enumerate(history.history["val_loss"], 1):
    print(f"epoch {epoch}: val_loss {loss:.3f}")
print("parameters:", model.count_params())
