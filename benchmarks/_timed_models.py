"""The models whose step time is measured, and TensorFlow's side of it, in a process of its own.

`_timed_models.py measure NAME BATCH SECONDS FOLDER` writes the graph of a training step and the
table of its variables into the folder, and prints one line of JSON: how long its steps took.
`_timed_models.py capture NAME BATCH SECONDS FOLDER` puts the profiler's capture of a few steps
beside them. Grappler is on, as it is by default; oneDNN is off.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CLASSES = 10
WARM_UP, CAPTURED = 3, 8
# a machine has other things to do: of some captures the middle one is typical
CAPTURES = 5
LEAST_STEPS = 12


@dataclass(frozen=True)
class Model:
    """`build` gives the trained model, and the shapes and types of its inputs and labels."""

    build: Callable[[], Any]
    batches: tuple[int, ...]


# --- what calibrates: everyday layers of several sizes


def pictures() -> Any:
    from keras import Sequential, layers

    return Sequential([
        keras_input(64, 64, 3),
        layers.Conv2D(16, 3, padding="same", activation="relu"),
        layers.Conv2D(32, 3, strides=2, padding="same", use_bias=False),
        layers.BatchNormalization(),
        layers.ReLU(),
        layers.DepthwiseConv2D(3, padding="same", use_bias=False),
        layers.BatchNormalization(),
        layers.ReLU(),
        layers.Conv2D(64, 1),
        layers.MaxPooling2D(),
        layers.Conv2D(96, 3, padding="same", activation="relu"),
        layers.Conv2DTranspose(32, 3, strides=2, padding="same"),
        layers.UpSampling2D(),
        layers.Conv2D(24, 5, strides=2, padding="same", activation="relu"),
        layers.AveragePooling2D(2),
        layers.Conv2D(128, 3, padding="same", activation="relu"),
        layers.GlobalAveragePooling2D(),
        layers.Dense(256, activation="relu"),
        layers.Dropout(0.3),
        layers.Dense(CLASSES),
    ])  # fmt: skip


def words() -> Any:
    from keras import Model as KerasModel
    from keras import layers

    tokens = keras_input(48, dtype="int32")
    x = layers.Embedding(4000, 96)(tokens)
    for heads in (2, 4):
        attended = layers.MultiHeadAttention(heads, 96 // heads)(x, x)
        x = layers.LayerNormalization()(x + layers.Dropout(0.1)(attended))
        hidden = layers.Dense(192 * heads, activation="gelu")(x)
        x = layers.LayerNormalization()(x + layers.Dense(96)(hidden))
    state = layers.LSTM(48)(layers.Conv1D(64, 3, activation="relu")(x))
    wide = layers.Dense(512, activation="tanh")(layers.Concatenate()([state, x[:, 0]]))
    return KerasModel(tokens, layers.Dense(CLASSES)(wide))


# --- what is predicted


def cnn() -> Any:
    from keras import Sequential, layers

    blocks: list[Any] = [keras_input(48, 48, 3)]
    for filters in (32, 64, 128):
        blocks += [
            layers.Conv2D(filters, 3, padding="same", activation="relu"),
            layers.Conv2D(filters, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(),
        ]
    head = [layers.Flatten(), layers.Dense(256, activation="relu"), layers.Dropout(0.5)]
    return Sequential([*blocks, *head, layers.Dense(CLASSES)])


def resnet() -> Any:
    from keras import Model as KerasModel
    from keras import layers

    def normed(x: Any, filters: int, stride: int = 1, kernel: int = 3) -> Any:
        x = layers.Conv2D(filters, kernel, strides=stride, padding="same", use_bias=False)(x)
        return layers.BatchNormalization()(x)

    image = keras_input(32, 32, 3)
    x = layers.ReLU()(normed(image, 16))
    for filters, stride in ((16, 1), (32, 2), (64, 2)):
        for block in range(2):
            step = stride if block == 0 else 1
            inner = layers.ReLU()(normed(x, filters, step))
            inner = normed(inner, filters)
            short = normed(x, filters, step, 1) if block == 0 else x
            x = layers.ReLU()(inner + short)
    return KerasModel(image, layers.Dense(CLASSES)(layers.GlobalAveragePooling2D()(x)))


def mobile() -> Any:
    from keras import Sequential, layers

    blocks: list[Any] = [
        keras_input(64, 64, 3),
        layers.Conv2D(16, 3, strides=2, padding="same", use_bias=False),
    ]
    for filters, stride in ((32, 1), (64, 2), (64, 1), (128, 2), (128, 1)):
        blocks += [
            layers.DepthwiseConv2D(3, strides=stride, padding="same", use_bias=False),
            layers.BatchNormalization(),
            layers.ReLU(6.0),
            layers.Conv2D(filters, 1, use_bias=False),
            layers.BatchNormalization(),
            layers.ReLU(6.0),
        ]
    return Sequential([*blocks, layers.GlobalAveragePooling2D(), layers.Dense(CLASSES)])


def unet() -> Any:
    from keras import Model as KerasModel
    from keras import layers

    def double(x: Any, filters: int) -> Any:
        for _ in range(2):
            x = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
        return x

    image = keras_input(64, 64, 1)
    x, kept = image, []
    for filters in (16, 32, 64):
        x = double(x, filters)
        kept.append(x)
        x = layers.MaxPooling2D()(x)
    x = double(x, 128)
    for filters in (64, 32, 16):
        x = layers.Conv2DTranspose(filters, 2, strides=2)(x)
        x = double(layers.Concatenate()([x, kept.pop()]), filters)
    return KerasModel(image, layers.Conv2D(CLASSES, 1)(x))


def autoencoder() -> Any:
    from keras import Sequential, layers

    return Sequential([
        keras_input(56, 56, 1),
        layers.Conv2D(32, 3, strides=2, padding="same", activation="relu"),
        layers.Conv2D(64, 3, strides=2, padding="same", activation="relu"),
        layers.Flatten(),
        layers.Dense(64),
        layers.Dense(14 * 14 * 32, activation="relu"),
        layers.Reshape((14, 14, 32)),
        layers.Conv2DTranspose(64, 3, strides=2, padding="same", activation="relu"),
        layers.Conv2DTranspose(32, 3, strides=2, padding="same", activation="relu"),
        layers.Conv2D(CLASSES, 3, padding="same"),
    ])  # fmt: skip


def mlp() -> Any:
    from keras import Sequential, layers

    hidden = [layers.Dense(width, activation="relu") for width in (1024, 768, 512, 256)]
    return Sequential([keras_input(784), *hidden, layers.Dropout(0.2), layers.Dense(CLASSES)])


def transformer() -> Any:
    from keras import Model as KerasModel
    from keras import layers

    tokens = keras_input(64, dtype="int32")
    x = layers.Embedding(8000, 128)(tokens)
    for _ in range(3):
        attended = layers.MultiHeadAttention(4, 32, dropout=0.1)(x, x)
        x = layers.LayerNormalization()(x + attended)
        hidden = layers.Dense(512, activation="gelu")(x)
        x = layers.LayerNormalization()(x + layers.Dropout(0.1)(layers.Dense(128)(hidden)))
    return KerasModel(tokens, layers.Dense(CLASSES)(layers.GlobalAveragePooling1D()(x)))


def lstm() -> Any:
    from keras import Sequential, layers

    return Sequential([
        keras_input(40, 32),
        layers.LSTM(128, return_sequences=True),
        layers.LSTM(96),
        layers.Dense(CLASSES),
    ])  # fmt: skip


def embeddings() -> Any:
    from keras import Model as KerasModel
    from keras import layers

    ids = keras_input(16, dtype="int32")
    found = [layers.Embedding(20_000, 32)(ids), layers.Embedding(5_000, 16)(ids)]
    x = layers.Flatten()(layers.Concatenate()(found))
    for width in (256, 128):
        x = layers.Dense(width, activation="relu")(x)
    return KerasModel(ids, layers.Dense(CLASSES)(x))


def adversarial() -> Any:
    """A generator with the discriminator behind it, trained together."""
    from keras import Sequential, layers

    slope = layers.LeakyReLU
    return Sequential([
        keras_input(64),
        layers.Dense(7 * 7 * 64, use_bias=False),
        layers.BatchNormalization(),
        slope(),
        layers.Reshape((7, 7, 64)),
        layers.Conv2DTranspose(64, 5, strides=2, padding="same", use_bias=False),
        layers.BatchNormalization(),
        slope(),
        layers.Conv2DTranspose(1, 5, strides=2, padding="same", activation="tanh"),
        layers.Conv2D(32, 5, strides=2, padding="same"),
        slope(),
        layers.Dropout(0.3),
        layers.Conv2D(64, 5, strides=2, padding="same"),
        slope(),
        layers.Flatten(),
        layers.Dense(CLASSES),
    ])  # fmt: skip


def keras_input(*shape: int, dtype: str = "float32") -> Any:
    import keras

    return keras.Input(shape, dtype=dtype)


CALIBRATING = {"pictures": Model(pictures, (16,)), "words": Model(words, (16,))}
PREDICTED = {
    "CNN": Model(cnn, (8, 32)),
    "ResNet": Model(resnet, (16, 64)),
    "depthwise": Model(mobile, (8, 32)),
    "U-Net": Model(unet, (4, 16)),
    "autoencoder": Model(autoencoder, (8, 32)),
    "MLP": Model(mlp, (32, 256)),
    "transformer": Model(transformer, (4, 16)),
    "LSTM": Model(lstm, (8, 64)),
    "embeddings": Model(embeddings, (64, 512)),
    "GAN": Model(adversarial, (8, 32)),
}


# --- TensorFlow's side


def step_of(model: Any, batch: int) -> tuple[Any, tuple[Any, Any]]:
    """A training step with Adam, and what it is fed."""
    import keras
    import tensorflow as tf

    optimizer = keras.optimizers.Adam()
    optimizer.build(model.trainable_variables)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    (entry,) = model.inputs
    shape = (batch, *entry.shape[1:])
    if entry.dtype == "int32":
        fed = tf.random.uniform(shape, 0, 1000, tf.int32)
    else:
        fed = tf.random.normal(shape)
    labels = tf.zeros((batch, *model.output_shape[1:-1]), tf.int32)

    @tf.function(input_signature=[tf.TensorSpec(one.shape, one.dtype) for one in (fed, labels)])
    def step(fed: Any, labels: Any) -> Any:
        with tf.GradientTape() as tape:
            value = loss(labels, model(fed, training=True))
        trained = model.trainable_variables
        optimizer.apply(tape.gradient(value, trained), trained)
        return value

    return step, (fed, labels)


def write_graph(step: Any, folder: Path) -> None:
    """The graph of the step as it was written, and the variables that it captured."""
    function = step.get_concrete_function()
    by_handle = {id(variable.handle): variable for variable in function.graph.variables}
    table = {
        inner.op.name: [by_handle[id(outer)].shape.as_list(), by_handle[id(outer)].dtype.name]
        for outer, inner in function.graph.captures
        if id(outer) in by_handle
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "graph.pb").write_bytes(function.graph.as_graph_def().SerializeToString())
    (folder / "vars.json").write_text(json.dumps(table))


def timed(step: Any, fed: tuple[Any, Any], seconds: float) -> Iterator[float]:
    """Microseconds of each step."""
    begin, count = time.perf_counter(), 0
    while count < LEAST_STEPS or time.perf_counter() - begin < seconds:
        start = time.perf_counter()
        step(*fed).numpy()
        yield (time.perf_counter() - start) * 1e6
        count += 1


def capture(step: Any, fed: tuple[Any, Any], folder: Path) -> float:
    """The typical of some captures, by the time of its steps, which is given back."""
    import tensorflow as tf

    found: list[tuple[float, bytes]] = []
    for _ in range(CAPTURES):
        with tempfile.TemporaryDirectory() as logs:
            tf.profiler.experimental.start(logs)
            begin = time.perf_counter()
            for number in range(CAPTURED):
                with tf.profiler.experimental.Trace("train", step_num=number, _r=1):
                    step(*fed).numpy()
            took = (time.perf_counter() - begin) / CAPTURED * 1e6
            tf.profiler.experimental.stop()
            (path,) = Path(logs).rglob("*.xplane.pb")
            found.append((took, path.read_bytes()))
    took, data = sorted(found)[CAPTURES // 2]
    (folder / "steps.xplane.pb").write_bytes(data)
    return took


def main() -> None:
    what, name, batch, seconds, folder = sys.argv[1:]
    os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
    import keras

    keras.utils.set_random_seed(1)
    model = {**CALIBRATING, **PREDICTED}[name].build()
    step, fed = step_of(model, int(batch))
    for _ in range(WARM_UP):
        step(*fed)
    write_graph(step, Path(folder))
    if what == "capture":
        print(json.dumps({"traced_us": capture(step, fed, Path(folder))}))
    else:
        print(json.dumps({"steps_us": list(timed(step, fed, float(seconds)))}))


if __name__ == "__main__":
    main()
