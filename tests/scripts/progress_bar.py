"""A functional model, batches by hand with `train_on_batch`, and Keras' own progress bar."""

import keras
import numpy as np

keras.utils.set_random_seed(21)
EPOCHS, BATCHES, BATCH = 2, 18, 16

inputs = keras.Input((12,), name="features")
wide = keras.layers.Dense(16, activation="relu", name="wide")(inputs)
deep = keras.layers.Dense(8, activation="relu", name="deep")(wide)
joined = keras.layers.Concatenate()([inputs, deep])
outputs = keras.layers.Dense(1, activation="sigmoid", name="score")(joined)
model = keras.Model(inputs, outputs)
model.compile("adam", "binary_crossentropy", metrics=["accuracy"])

rng = np.random.default_rng(21)
x = rng.normal(size=(BATCHES * BATCH, 12)).astype("float32")
y = (x.sum(axis=1, keepdims=True) > 0).astype("float32")

for epoch in range(EPOCHS):
    print(f"epoch {epoch + 1}")
    bar = keras.utils.Progbar(BATCHES, stateful_metrics=["loss", "accuracy"])
    for at in range(BATCHES):
        part = slice(at * BATCH, (at + 1) * BATCH)
        loss, accuracy = model.train_on_batch(x[part], y[part])
        bar.update(at + 1, [("loss", loss), ("accuracy", accuracy)])
    if epoch == 0:
        print("tested:", [f"{float(one):.3f}" for one in model.test_on_batch(x[:64], y[:64])])
