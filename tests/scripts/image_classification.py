"""Image classification with a small convolutional network: arrays in, `fit`, `evaluate`."""

import keras
import numpy as np
from keras import layers

num_classes = 10
input_shape = (28, 28, 1)
keras.utils.set_random_seed(812)


def load_digits(count):
    """Blurred bars: the class says at which angle."""
    rng = np.random.default_rng(7)
    labels = rng.integers(0, num_classes, count)
    angle = labels * np.pi / num_classes
    grid = np.arange(28) - 13.5
    across = grid[None, :, None] * np.cos(angle)[:, None, None]
    along = grid[None, None, :] * np.sin(angle)[:, None, None]
    images = np.exp(-((across + along) ** 2) / 8) + rng.normal(0, 0.3, (count, 28, 28))
    return images[..., None].astype("float32"), labels


x_train, y_train = load_digits(768)
x_test, y_test = load_digits(128)
y_train = keras.utils.to_categorical(y_train, num_classes)
y_test = keras.utils.to_categorical(y_test, num_classes)
print("x_train shape:", x_train.shape)
print(x_train.shape[0], "train samples")
print(x_test.shape[0], "test samples")

model = keras.Sequential(
    [
        keras.Input(shape=input_shape),
        layers.Conv2D(32, kernel_size=(3, 3), activation="relu"),
        layers.MaxPooling2D(pool_size=(2, 2)),
        layers.Conv2D(64, kernel_size=(3, 3), activation="relu"),
        layers.MaxPooling2D(pool_size=(2, 2)),
        layers.Flatten(),
        layers.Dropout(0.5),
        layers.Dense(num_classes, activation="softmax"),
    ]
)
model.summary()

batch_size = 64
epochs = 2
model.compile(loss="categorical_crossentropy", optimizer="adam", metrics=["accuracy"])
model.fit(x_train, y_train, batch_size=batch_size, epochs=epochs, validation_split=0.1)

score = model.evaluate(x_test, y_test, verbose=0)
print(f"Test loss: {score[0]:.3f}")
print(f"Test accuracy: {score[1]:.3f}")
