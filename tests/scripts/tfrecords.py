"""Images as TFRecord shards: written once, then read in parallel, parsed, decoded, shuffled."""

import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(5)
AUTOTUNE = tf.data.AUTOTUNE
BATCH_SIZE = 16
IMAGE_SIZE = [32, 32]


def _bytes_feature(value):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))


def _int64_feature(value):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=[value]))


def write_shards(folder, shards=4, each=64):
    rng = np.random.default_rng(0)
    for shard in range(shards):
        with tf.io.TFRecordWriter(str(folder / f"train-{shard:02d}.tfrec")) as writer:
            for _ in range(each):
                target = int(rng.integers(0, 2))
                image = rng.integers(0, 120, (48, 48, 3)).astype(np.uint8)
                image[8:40, 8:40, target] += 100
                feature = {
                    "image": _bytes_feature(tf.io.encode_jpeg(image).numpy()),
                    "target": _int64_feature(target),
                }
                example = tf.train.Example(features=tf.train.Features(feature=feature))
                writer.write(example.SerializeToString())


def decode_image(image):
    image = tf.cast(tf.image.decode_jpeg(image, channels=3), tf.float32)
    return tf.image.resize(image, IMAGE_SIZE) / 255.0


def read_tfrecord(example, labeled):
    features = {"image": tf.io.FixedLenFeature([], tf.string)}
    if labeled:
        features["target"] = tf.io.FixedLenFeature([], tf.int64)
    example = tf.io.parse_single_example(example, features)
    image = decode_image(example["image"])
    return (image, tf.cast(example["target"], tf.int32)) if labeled else image


def get_dataset(filenames, labeled=True):
    files = tf.data.Dataset.from_tensor_slices([str(name) for name in filenames])
    dataset = files.interleave(
        tf.data.TFRecordDataset, cycle_length=2, num_parallel_calls=AUTOTUNE, deterministic=True
    )
    dataset = dataset.map(partial(read_tfrecord, labeled=labeled), num_parallel_calls=AUTOTUNE)
    return dataset.shuffle(128, seed=3).batch(BATCH_SIZE).prefetch(AUTOTUNE)


def make_model():
    base = tf.keras.Sequential(
        [
            tf.keras.layers.Conv2D(8, 3, strides=2, activation="relu"),
            tf.keras.layers.BatchNormalization(),
            tf.keras.layers.Conv2D(16, 3, strides=2, activation="relu"),
            tf.keras.layers.GlobalAveragePooling2D(),
        ],
        name="base",
    )
    inputs = tf.keras.layers.Input([*IMAGE_SIZE, 3])
    x = base(inputs)
    x = tf.keras.layers.Dense(8, activation="relu")(x)
    outputs = tf.keras.layers.Dense(1, activation="sigmoid")(x)
    model = tf.keras.Model(inputs=inputs, outputs=outputs)
    model.compile(optimizer="adam", loss="binary_crossentropy", metrics=[tf.keras.metrics.AUC()])
    return model


with tempfile.TemporaryDirectory() as scratch:
    write_shards(Path(scratch))
    filenames = sorted(Path(scratch).glob("*.tfrec"))
    print("Train TFRecord Files:", len(filenames))
    train_dataset, valid_dataset = get_dataset(filenames[:3]), get_dataset(filenames[3:])
    checkpoint_cb = tf.keras.callbacks.ModelCheckpoint(
        f"{scratch}/melanoma.weights.h5", save_weights_only=True, save_best_only=True
    )
    history = make_model().fit(
        train_dataset,
        epochs=2,
        validation_data=valid_dataset,
        callbacks=[checkpoint_cb],
        verbose=0,
    )
    print("loss", [f"{loss:.2f}" for loss in history.history["loss"]])
    print("saved:", Path(scratch, "melanoma.weights.h5").exists())
