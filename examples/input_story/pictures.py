"""What the three scripts share: pictures in a folder, how one is read, and the model."""

import atexit
import tempfile
import time
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf

PICTURES, BATCH = 144, 16
SIZE = 96
# how long the store that holds the pictures takes to answer: a bucket, a network file system
LATENCY = 0.03


def picture_files():
    """PNG files in a folder that goes with the process, and what each one shows."""
    store = tempfile.TemporaryDirectory(prefix="pictures-")
    atexit.register(store.cleanup)
    folder = Path(store.name)
    rows = np.random.default_rng(1)
    labels = rows.integers(0, 4, PICTURES)
    for number, label in enumerate(labels):
        picture = rows.integers(0, 150, (128, 128, 3)).astype(np.uint8)
        picture[32 * label : 32 * label + 32] += 100
        tf.io.write_file(str(folder / f"{number:03d}.png"), tf.io.encode_png(picture))
    return [str(path) for path in sorted(folder.glob("*.png"))], labels.astype(np.int32)


def fetched(path):
    """A file of the store. The disk here is too quick for the story, so it waits."""
    time.sleep(LATENCY)
    return Path(path.decode()).read_bytes()


def proc_image(path, label):
    """A picture as the model wants it: read, decoded, cropped, changed a little, scaled."""
    content = tf.ensure_shape(tf.numpy_function(fetched, [path], tf.string), [])
    image = tf.io.decode_png(content, channels=3)
    image = tf.image.central_crop(image, central_fraction=0.75)
    image = tf.image.random_contrast(image, lower=0.5, upper=1)
    image = tf.image.random_saturation(image, lower=0.5, upper=1)
    image = tf.image.resize(image, (SIZE, SIZE)) / 255
    return image, label


def small_network():
    model = keras.Sequential(
        [
            keras.Input((SIZE, SIZE, 3)),
            keras.layers.Conv2D(24, 3, strides=2, activation="relu"),
            keras.layers.Conv2D(48, 3, activation="relu"),
            keras.layers.MaxPooling2D(),
            keras.layers.Conv2D(64, 3, activation="relu"),
            keras.layers.GlobalAveragePooling2D(),
            # float32 whatever the policy: what a loss is computed from should be exact
            keras.layers.Dense(4, activation="softmax", dtype="float32"),
        ],
        name="pictures",
    )
    model.compile("adam", "sparse_categorical_crossentropy")
    return model


def train(dataset):
    """Two epochs, and how long the second took: the first traces and starts things."""
    model = small_network()
    model.fit(dataset, epochs=1, verbose=0)
    began = time.perf_counter()
    history = model.fit(dataset, epochs=1, verbose=0)
    each = (time.perf_counter() - began) / (PICTURES // BATCH)
    print(f"loss {history.history['loss'][0]:.3f}, {1000 * each:.0f} ms a batch")
