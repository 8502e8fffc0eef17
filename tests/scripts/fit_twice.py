"""Fine-tuning: the head first, then all of it with a smaller rate; `fit` goes on at its epoch."""

import keras
import numpy as np

keras.utils.set_random_seed(28)
base = keras.Sequential(
    [keras.Input((8, 8, 1)), keras.layers.Conv2D(4, 3, activation="relu"), keras.layers.Flatten()],
    name="base",
)
base.trainable = False
model = keras.Sequential([base, keras.layers.Dense(2, name="head")])
rng = np.random.default_rng(28)
x = rng.normal(size=(160, 8, 8, 1)).astype("float32")
y = (x.mean(axis=(1, 2, 3)) > 0).astype("int32")
loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

model.compile(keras.optimizers.Adam(1e-2), loss)
first = model.fit(x, y, batch_size=16, epochs=2, verbose=2, shuffle=False, validation_split=0.2)
base.trainable = True
model.compile(keras.optimizers.Adam(1e-4), loss)
second = model.fit(
    x, y, batch_size=16, initial_epoch=2, epochs=4, verbose=2, shuffle=False, validation_split=0.2
)
print(first.epoch + second.epoch)
