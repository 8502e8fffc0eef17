"""Models of every kind, whose steps are measured. None was used to tune the estimate.

Small enough that a step takes seconds on two cores, large enough that tensors are what fills the
memory. `build` makes variables and gives the step, a function of the inputs by their names; of a
TensorFlow 1 model it makes the graph, and gives the names of what is run.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

# what oneDNN allocates is its own affair, and differs from machine to machine
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras
import tensorflow as tf
import tf_keras
from keras import layers

v1 = tf.compat.v1
Tensor = Any
Step = Callable[..., Tensor]


@dataclass(frozen=True)
class Input:
    """Without the batch. Numbers below 1, or ids `below` that many; `each`: rows a sample."""

    shape: tuple[int, ...] = ()
    below: int | None = None
    each: int = 1


@dataclass(frozen=True)
class Model:
    build: Callable[[], Any]
    inputs: Mapping[str, Input]
    is_tf1: bool = False


def image(size: int, channels: int = 3) -> Input:
    return Input((size, size, channels))


def ids(below: int, *shape: int) -> Input:
    return Input(shape, below)


# --- what the steps have in common


def step_of(loss_of: Step, variables: Iterable[Any], optimizer: Any, clip: float = 0.0) -> Step:
    """A training step as people write it by hand."""
    trained = list(variables)
    values = [one.value if isinstance(one, keras.Variable) else one for one in trained]
    prepare(optimizer, trained)

    def step(**given: Tensor) -> Tensor:
        with tf.GradientTape() as tape:
            loss = loss_of(**given)
        gradients = tape.gradient(loss, values)
        if clip:
            gradients, _ = tf.clip_by_global_norm(gradients, clip)
        optimizer.apply_gradients(zip(gradients, trained, strict=True))
        return loss

    return step


def prepare(optimizer: Any, variables: list[Any]) -> None:
    """Makes what the optimizer keeps, before a step is traced."""
    if isinstance(optimizer, tf_keras.optimizers.legacy.Optimizer):
        optimizer._create_all_weights(variables)
    else:
        optimizer.build(variables)


def classified(model: Any, optimizer: Any, clip: float = 0.0) -> Step:
    """A model of `x` whose outputs are the logits of classes `y`."""

    def loss_of(x: Tensor, y: Tensor) -> Tensor:
        return cross_entropy(y, model(x, training=True))

    return step_of(loss_of, model.trainable_variables, optimizer, clip)


def cross_entropy(labels: Tensor, logits: Tensor) -> Tensor:
    found = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    return tf.reduce_mean(found)


def weight(*shape: int, name: str | None = None) -> Any:
    return tf.Variable(tf.random.normal(shape, stddev=0.05), name=name)


def dense(x: Tensor, units: int, activation: str | None = None) -> Tensor:
    return layers.Dense(units, activation=activation)(x)


class Positions(layers.Layer):
    """Adds a vector that is learned for every place."""

    def build(self, shape: Any) -> None:
        self.places = self.add_weight(shape=shape[1:])

    def call(self, x: Tensor) -> Tensor:
        return x + self.places


# --- pictures


def unet_skip() -> Step:
    def twice(x: Tensor, filters: int) -> Tensor:
        for _ in range(2):
            x = layers.Conv2D(filters, 3, padding="same", use_bias=False)(x)
            x = layers.ReLU()(layers.BatchNormalization()(x))
        return x

    start = x = layers.Input((64, 64, 3))
    skipped = []
    for filters in (12, 24, 48):
        skipped.append(twice(x, filters))
        x = layers.MaxPooling2D()(skipped[-1])
    x = twice(x, 96)
    for filters in (48, 24, 12):
        x = layers.Conv2DTranspose(filters, 2, strides=2)(x)
        x = twice(layers.Concatenate()([x, skipped.pop()]), filters)
    model = keras.Model(start, layers.Conv2D(1, 1)(x))

    def loss_of(x: Tensor, mask: Tensor) -> Tensor:
        logits = model(x, training=True)
        found = tf.sigmoid(logits)
        overlap = 2 * tf.reduce_sum(found * mask, [1, 2, 3])
        dice = overlap / (tf.reduce_sum(found, [1, 2, 3]) + tf.reduce_sum(mask, [1, 2, 3]) + 1)
        each = tf.nn.sigmoid_cross_entropy_with_logits(labels=mask, logits=logits)
        return tf.reduce_mean(each) + 1 - tf.reduce_mean(dice)

    return step_of(loss_of, model.trainable_variables, keras.optimizers.Adam())


def mobile_se() -> Step:
    def block(x: Tensor, filters: int, stride: int) -> Tensor:
        wide = 4 * x.shape[-1]
        y = layers.BatchNormalization()(layers.Conv2D(wide, 1, use_bias=False)(x))
        y = layers.Activation("hard_swish")(y)
        y = layers.DepthwiseConv2D(5, strides=stride, padding="same", use_bias=False)(y)
        y = layers.Activation("hard_swish")(layers.BatchNormalization()(y))
        excited = layers.GlobalAveragePooling2D(keepdims=True)(y)
        excited = layers.Conv2D(wide // 4, 1, activation="relu")(excited)
        y = layers.Multiply()([y, layers.Conv2D(wide, 1, activation="hard_sigmoid")(excited)])
        y = layers.BatchNormalization()(layers.Conv2D(filters, 1, use_bias=False)(y))
        return layers.Add()([x, y]) if stride == 1 and filters == x.shape[-1] else y

    start = layers.Input((64, 64, 3))
    x = layers.Conv2D(16, 3, strides=2, padding="same", activation="hard_swish")(start)
    for filters, stride in ((16, 1), (24, 2), (24, 1)):
        x = block(x, filters, stride)
    model = keras.Model(start, dense(layers.GlobalAveragePooling2D()(x), 10))
    return classified(model, keras.optimizers.SGD(0.01, momentum=0.9))


def dense_block() -> Step:
    start = layers.Input((32, 32, 3))
    x = layers.Conv2D(24, 3, padding="same")(start)
    for block in range(2):
        for _ in range(4):
            y = layers.ReLU()(layers.BatchNormalization()(x))
            y = layers.Conv2D(48, 1, use_bias=False)(y)
            y = layers.ReLU()(layers.BatchNormalization()(y))
            x = layers.Concatenate()([x, layers.Conv2D(12, 3, padding="same")(y)])
        if block == 0:
            x = layers.AveragePooling2D(2)(layers.Conv2D(36, 1)(x))
    model = keras.Model(start, dense(layers.GlobalAveragePooling2D()(x), 100))
    return classified(model, keras.optimizers.SGD(0.1, momentum=0.9, nesterov=True))


def inception() -> Step:
    def conv(x: Tensor, filters: int, kernel: Any) -> Tensor:
        return layers.Conv2D(filters, kernel, padding="same", activation="relu")(x)

    start = layers.Input((48, 48, 3))
    x = layers.MaxPooling2D(3, 2)(conv(start, 32, 3))
    for width in (16, 32):
        branches = [
            conv(x, width, 1),
            conv(conv(x, width, 1), width, 5),
            conv(conv(conv(x, width, 1), width, (1, 7)), width, (7, 1)),
            conv(layers.AveragePooling2D(3, 1, padding="same")(x), width, 1),
        ]
        x = layers.MaxPooling2D(3, 2)(layers.Concatenate()(branches))
    x = layers.Dropout(0.4)(layers.Flatten()(x))
    return classified(keras.Model(start, dense(x, 20)), keras.optimizers.RMSprop())


def convnext() -> Step:
    start = layers.Input((64, 64, 3))
    x = layers.LayerNormalization()(layers.Conv2D(48, 4, strides=4)(start))
    for _ in range(3):
        y = layers.DepthwiseConv2D(7, padding="same")(x)
        y = dense(layers.LayerNormalization(epsilon=1e-6)(y), 192, "gelu")
        x = layers.Add()([x, dense(y, 48)])
    x = layers.LayerNormalization()(layers.GlobalAveragePooling2D()(x))
    return classified(keras.Model(start, dense(x, 10)), keras.optimizers.AdamW())


def fpn_focal() -> Step:
    """A detector: features of three sizes, joined by resizing, one head for all of them."""
    start = x = layers.Input((64, 64, 3))
    features = []
    for filters in (16, 32, 64):
        x = layers.Conv2D(filters, 3, strides=2, padding="same")(x)
        x = layers.LeakyReLU()(layers.GroupNormalization(8)(x))
        features.append(layers.Conv2D(32, 1)(x))
    top = features.pop()
    outputs = [top]
    while features:
        top = layers.UpSampling2D(interpolation="bilinear")(top) + features.pop()
        outputs.append(top)
    head = layers.Conv2D(45, 3, padding="same")
    flat = [layers.Reshape((-1, 5))(head(one)) for one in outputs]
    model = keras.Model(start, layers.Concatenate(axis=1)(flat))

    def loss_of(x: Tensor, boxes: Tensor) -> Tensor:
        found = model(x, training=True)
        certain = tf.sigmoid(found[..., 4])
        is_box = tf.cast(boxes[..., 4] > 0.5, tf.float32)
        right = tf.where(is_box > 0, certain, 1 - certain)
        focal = -((1 - right) ** 2) * tf.math.log(right + 1e-6)
        far = tf.abs(found[..., :4] - boxes[..., :4])
        smooth = tf.where(far < 1, 0.5 * far * far, far - 0.5)
        return tf.reduce_mean(focal) + tf.reduce_mean(is_box[..., None] * smooth)

    return step_of(loss_of, model.trainable_variables, keras.optimizers.Adam())


def triplet() -> Step:
    """Three pictures through the same layers."""
    model = keras.Sequential([
        layers.Input((40, 40, 1)),
        layers.Conv2D(24, 5, activation="relu"),
        layers.MaxPooling2D(),
        layers.Conv2D(48, 3, activation="relu"),
        layers.MaxPooling2D(),
        layers.Flatten(),
        layers.Dense(64),
        layers.UnitNormalization(),
    ])  # fmt: skip

    def loss_of(anchor: Tensor, same: Tensor, other: Tensor) -> Tensor:
        here, near, far = (model(one, training=True) for one in (anchor, same, other))
        closer = tf.reduce_sum((here - near) ** 2, 1) - tf.reduce_sum((here - far) ** 2, 1)
        return tf.reduce_mean(tf.maximum(closer + 0.2, 0))

    variables = [one.value for one in model.trainable_variables]
    return step_of(loss_of, variables, tf_keras.optimizers.legacy.Adam())


def distilled() -> Step:
    def convolved(*filters: int) -> Any:
        found: list[Any] = [layers.Input((32, 32, 3))]
        for number in filters:
            found += [layers.Conv2D(number, 3, padding="same"), layers.BatchNormalization()]
            found += [layers.Activation("swish"), layers.AveragePooling2D(2)]
        return keras.Sequential([*found, layers.Flatten(), layers.Dense(10)])

    teacher, student = convolved(64, 96, 128), convolved(16, 24)

    def loss_of(x: Tensor, y: Tensor) -> Tensor:
        taught = tf.stop_gradient(tf.nn.softmax(teacher(x, training=False) / 4))
        logits = student(x, training=True)
        soft = tf.nn.softmax_cross_entropy_with_logits(taught, logits / 4)
        return 0.3 * cross_entropy(y, logits) + 0.7 * 16 * tf.reduce_mean(soft)

    return step_of(loss_of, student.trainable_variables, keras.optimizers.Adam())


def conv_vae() -> Step:
    encoder = keras.Sequential([
        layers.Input((32, 32, 1)),
        layers.Conv2D(32, 3, strides=2, padding="same", activation="elu"),
        layers.Conv2D(64, 3, strides=2, padding="same", activation="elu"),
        layers.Flatten(),
        layers.Dense(32),
    ])  # fmt: skip
    decoder = keras.Sequential([
        layers.Input((16,)),
        layers.Dense(8 * 8 * 64, activation="elu"),
        layers.Reshape((8, 8, 64)),
        layers.Conv2DTranspose(32, 3, strides=2, padding="same", activation="elu"),
        layers.Conv2DTranspose(1, 3, strides=2, padding="same"),
    ])  # fmt: skip

    def loss_of(x: Tensor) -> Tensor:
        mean, log_variance = tf.split(encoder(x, training=True), 2, axis=1)
        noise = tf.random.normal(tf.shape(mean))
        logits = decoder(mean + tf.exp(log_variance / 2) * noise, training=True)
        wrong = tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=logits)
        spread = 1 + log_variance - mean**2 - tf.exp(log_variance)
        return tf.reduce_mean(tf.reduce_sum(wrong, [1, 2, 3]) - 0.5 * tf.reduce_sum(spread, 1))

    both = encoder.trainable_variables + decoder.trainable_variables
    return step_of(loss_of, both, keras.optimizers.Adamax())


def gan_step() -> Step:
    makes = keras.Sequential([
        layers.Input((64,)),
        layers.Dense(8 * 8 * 64, use_bias=False),
        layers.BatchNormalization(),
        layers.LeakyReLU(),
        layers.Reshape((8, 8, 64)),
        layers.Conv2DTranspose(32, 5, strides=2, padding="same", use_bias=False),
        layers.BatchNormalization(),
        layers.LeakyReLU(),
        layers.Conv2DTranspose(3, 5, strides=2, padding="same", activation="tanh"),
    ])  # fmt: skip
    judges = keras.Sequential([
        layers.Input((32, 32, 3)),
        layers.Conv2D(32, 5, strides=2, padding="same"),
        layers.LeakyReLU(),
        layers.Dropout(0.3),
        layers.Conv2D(64, 5, strides=2, padding="same"),
        layers.LeakyReLU(),
        layers.Flatten(),
        layers.Dense(1),
    ])  # fmt: skip
    optimizers = keras.optimizers.Adam(1e-4), keras.optimizers.Adam(1e-4)
    for optimizer, model in zip(optimizers, (makes, judges), strict=True):
        optimizer.build(model.trainable_variables)

    def entropy(logits: Tensor, label: float) -> Tensor:
        labels = tf.fill(tf.shape(logits), label)
        found = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
        return tf.reduce_mean(found)

    def step(real: Tensor) -> Tensor:
        noise = tf.random.normal([tf.shape(real)[0], 64])
        with tf.GradientTape() as first, tf.GradientTape() as second:
            made = makes(noise, training=True)
            is_real, is_made = judges(real, training=True), judges(made, training=True)
            fooled = entropy(is_made, 1.0)
            wrong = entropy(is_real, 1.0) + entropy(is_made, 0.0)
        tapes, losses = (first, second), (fooled, wrong)
        for tape, loss, model, optimizer in zip(
            tapes, losses, (makes, judges), optimizers, strict=True
        ):
            variables = model.trainable_variables
            gradients = tape.gradient(loss, [one.value for one in variables])
            optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return fooled + wrong

    return step


def video() -> Step:
    """Convolutions in space, then in time."""
    start = x = layers.Input((8, 32, 32, 3))
    for filters in (16, 32):
        x = layers.Conv3D(filters, (1, 3, 3), padding="same", use_bias=False)(x)
        x = layers.ReLU()(layers.BatchNormalization()(x))
        x = layers.Conv3D(filters, (3, 1, 1), padding="same", activation="relu")(x)
        x = layers.MaxPooling3D((1, 2, 2))(x)
    model = keras.Model(start, dense(layers.GlobalAveragePooling3D()(x), 12))
    return classified(model, keras.optimizers.Adam())


def accumulated() -> Step:
    """The batch in halves: gradients add up in variables, then one update."""
    model = keras.Sequential([
        layers.Input((32, 32, 3)),
        layers.Conv2D(32, 3, activation="relu"),
        layers.SeparableConv2D(48, 3, activation="relu"),
        layers.MaxPooling2D(),
        layers.Flatten(),
        layers.Dense(128, activation="relu"),
        layers.Dense(10),
    ])  # fmt: skip
    optimizer = keras.optimizers.Adam()
    variables = model.trainable_variables
    optimizer.build(variables)
    sums = [tf.Variable(tf.zeros(one.shape), trainable=False) for one in variables]

    def step(x: Tensor, y: Tensor) -> Tensor:
        total = tf.constant(0.0)
        half = (tf.shape(x)[0] + 1) // 2
        for pictures, labels in ((x[:half], y[:half]), (x[half:], y[half:])):
            with tf.GradientTape() as tape:
                found = tf.nn.sparse_softmax_cross_entropy_with_logits(
                    labels=labels, logits=model(pictures, training=True)
                )
                loss = tf.reduce_sum(found)
            gradients = tape.gradient(loss, [one.value for one in variables])
            for into, gradient in zip(sums, gradients, strict=True):
                into.assign_add(gradient)
            total += loss
        optimizer.apply_gradients(zip(sums, variables, strict=True))
        for into in sums:
            into.assign(tf.zeros_like(into))
        return total

    return step


# --- attention


def attended(x: Tensor, other: Tensor, heads: int, **options: Any) -> Tensor:
    found = layers.MultiHeadAttention(heads, x.shape[-1] // heads)(x, other, **options)
    return layers.LayerNormalization()(x + layers.Dropout(0.1)(found))


def fed_forward(x: Tensor, hidden: int) -> Tensor:
    return layers.LayerNormalization()(x + dense(dense(x, hidden, "gelu"), x.shape[-1]))


def vit() -> Step:
    start = layers.Input((64, 64, 3))
    x = layers.Reshape((64, 96))(layers.Conv2D(96, 8, strides=8)(start))
    x = Positions()(x)
    for _ in range(2):
        normed = layers.LayerNormalization()(x)
        x = x + layers.MultiHeadAttention(4, 24, dropout=0.1)(normed, normed)
        x = x + dense(dense(layers.LayerNormalization()(x), 384, "gelu"), 96)
    model = keras.Model(start, dense(layers.LayerNormalization()(x)[:, 0], 100))
    return classified(model, keras.optimizers.AdamW(weight_decay=0.05))


def mixer() -> Step:
    start = layers.Input((48, 48, 3))
    x = layers.Reshape((64, 64))(layers.Conv2D(64, 6, strides=6)(start))
    for _ in range(2):
        mixed = layers.Permute((2, 1))(layers.LayerNormalization()(x))
        x = x + layers.Permute((2, 1))(dense(dense(mixed, 128, "gelu"), 64))
        x = x + dense(dense(layers.LayerNormalization()(x), 256, "gelu"), 64)
    model = keras.Model(start, dense(layers.GlobalAveragePooling1D()(x), 100))
    return classified(model, keras.optimizers.Lion())


def gpt_tied() -> Step:
    """A decoder out of plain ops; the embeddings are read once more for the logits."""
    words, places, width, heads, depth = 2000, 64, 128, 4, 2
    table, learned = weight(words, width), weight(places, width)
    blocks = [
        (weight(width, 3 * width), weight(width, width), weight(width, 4 * width),
         weight(4 * width, width))
        for _ in range(depth)
    ]  # fmt: skip

    def normed(x: Tensor) -> Tensor:
        mean, variance = tf.nn.moments(x, -1, keepdims=True)
        return (x - mean) * tf.math.rsqrt(variance + 1e-5)

    def split(x: Tensor) -> Tensor:
        return tf.transpose(tf.reshape(x, [-1, places, heads, width // heads]), [0, 2, 1, 3])

    def loss_of(tokens: Tensor, following: Tensor) -> Tensor:
        x = tf.nn.embedding_lookup(table, tokens) + learned
        seen = tf.linalg.band_part(tf.ones([places, places]), -1, 0)
        for joint, out, up, down in blocks:
            query, key, value = map(split, tf.split(normed(x) @ joint, 3, axis=-1))
            scores = tf.matmul(query, key, transpose_b=True) / (width / heads) ** 0.5
            found = tf.nn.softmax(scores * seen - 1e9 * (1 - seen)) @ value
            found = tf.reshape(tf.transpose(found, [0, 2, 1, 3]), [-1, places, width])
            x += found @ out
            x += tf.nn.gelu(normed(x) @ up, approximate=True) @ down
        return cross_entropy(following, tf.matmul(normed(x), table, transpose_b=True))

    variables = [table, learned, *(one for block in blocks for one in block)]
    return step_of(loss_of, variables, tf_keras.optimizers.Adam(1e-4), clip=1.0)


def bert_masked() -> Step:
    """Words, segments and places; the loss is of a few masked words."""
    tokens, segments = (layers.Input((48,), dtype="int32") for _ in range(2))
    x = layers.Embedding(3000, 96)(tokens) + layers.Embedding(2, 96)(segments)
    x = layers.Dropout(0.1)(layers.LayerNormalization()(Positions()(x)))
    for _ in range(2):
        x = fed_forward(attended(x, x, 6), 384)
    body = keras.Model([tokens, segments], x)
    head = keras.Sequential([layers.Input((8, 96)), layers.Dense(96, "gelu"), layers.Dense(3000)])

    def loss_of(tokens: Tensor, segments: Tensor, masked: Tensor, words: Tensor) -> Tensor:
        found = tf.gather(body([tokens, segments], training=True), masked, batch_dims=1)
        return cross_entropy(words, head(found, training=True))

    both = body.trainable_variables + head.trainable_variables
    return step_of(loss_of, both, keras.optimizers.AdamW(global_clipnorm=1.0))


def translator() -> Step:
    """An encoder and a decoder that looks at it, with padding and smoothed labels."""
    words, width = 1500, 64
    source, target = layers.Input((32,), dtype="int32"), layers.Input((28,), dtype="int32")
    x = Positions()(layers.Embedding(words, width)(source))
    present = layers.Lambda(lambda one: tf.not_equal(one, 0)[:, None, :])(source)
    for _ in range(2):
        x = fed_forward(attended(x, x, 4, attention_mask=present), 256)
    y = Positions()(layers.Embedding(words, width)(target))
    for _ in range(2):
        y = attended(y, y, 4, use_causal_mask=True)
        y = fed_forward(attended(y, x, 4, attention_mask=present), 256)
    model = keras.Model([source, target], dense(y, words))

    def loss_of(source: Tensor, target: Tensor, following: Tensor) -> Tensor:
        logits = model([source, target], training=True)
        smooth = tf.one_hot(following, words) * 0.9 + 0.1 / words
        each = tf.nn.softmax_cross_entropy_with_logits(smooth, logits)
        counts = tf.cast(following > 0, tf.float32)
        return tf.reduce_sum(each * counts) / (tf.reduce_sum(counts) + 1)

    rate = keras.optimizers.schedules.CosineDecay(1e-3, 1000, warmup_steps=100, warmup_target=2e-3)
    return step_of(loss_of, model.trainable_variables, keras.optimizers.Adam(rate))


# --- tables of embeddings, gradients that are sparse


def wide_and_deep() -> Step:
    numbers, categories = layers.Input((13,)), layers.Input((8,), dtype="int32")
    wide = layers.Flatten()(layers.Embedding(20_000, 1)(categories))
    deep = layers.Flatten()(layers.Embedding(20_000, 16)(categories))
    deep = layers.Concatenate()([deep, layers.BatchNormalization()(numbers)])
    for units in (256, 128):
        deep = dense(deep, units, "relu")
    model = keras.Model([numbers, categories], dense(layers.Concatenate()([wide, deep]), 1))

    def loss_of(numbers: Tensor, categories: Tensor, clicked: Tensor) -> Tensor:
        logits = model([numbers, categories], training=True)[:, 0]
        found = tf.nn.sigmoid_cross_entropy_with_logits(labels=clicked, logits=logits)
        return tf.reduce_mean(found)

    return step_of(loss_of, model.trainable_variables, keras.optimizers.Adagrad())


def dlrm() -> Step:
    """Products of every two features; rows of the tables are updated one by one."""
    tables = [weight(15_000, 64, name=f"table_{at}") for at in range(4)]
    bottom = [weight(13, 512), weight(512, 64)]
    top = [weight(64 + 10, 1024), weight(1024, 512), weight(512, 1)]

    def loss_of(numbers: Tensor, categories: Tensor, clicked: Tensor) -> Tensor:
        dense_part = tf.nn.relu(tf.nn.relu(numbers @ bottom[0]) @ bottom[1])
        rows = [tf.nn.embedding_lookup(one, categories[:, at]) for at, one in enumerate(tables)]
        features = tf.stack([dense_part, *rows], axis=1)
        products = tf.matmul(features, features, transpose_b=True)
        pairs = [products[:, first, second] for first in range(5) for second in range(first)]
        joined = tf.concat([dense_part, tf.stack(pairs, axis=1)], axis=1)
        logits = (tf.nn.relu(tf.nn.relu(joined @ top[0]) @ top[1]) @ top[2])[:, 0]
        found = tf.nn.sigmoid_cross_entropy_with_logits(labels=clicked, logits=logits)
        return tf.reduce_mean(found)

    optimizer = tf_keras.optimizers.legacy.Adagrad(0.01)
    return step_of(loss_of, [*tables, *bottom, *top], optimizer)


def two_towers() -> Step:
    """Users and items in one space; the other items of the batch are the wrong ones."""
    users, items = weight(12_000, 48), weight(6_000, 48)
    towers = [[weight(48, 256), weight(256, 64)] for _ in range(2)]

    def tower(x: Tensor, first: Any, second: Any) -> Tensor:
        return tf.math.l2_normalize(tf.nn.relu(x @ first) @ second, axis=1)

    def loss_of(history: Tensor, bought: Tensor) -> Tensor:
        user = tower(tf.reduce_mean(tf.gather(users, history), axis=1), *towers[0])
        item = tower(tf.gather(items, bought), *towers[1])
        scores = tf.matmul(user, item, transpose_b=True) / 0.07
        each = tf.range(tf.shape(scores)[0])
        return cross_entropy(each, scores) + cross_entropy(each, tf.transpose(scores))

    variables = [users, items, *towers[0], *towers[1]]
    return step_of(loss_of, variables, tf_keras.optimizers.legacy.Adam())


def graph_convolution() -> Step:
    """Messages along the edges of many small graphs that are one large one."""
    weights = [(weight(128, 256), weight(128, 256)), (weight(256, 256), weight(256, 256))]
    out = weight(256, 2)

    def loss_of(nodes: Tensor, sources: Tensor, targets: Tensor, y: Tensor) -> Tensor:
        x, count = nodes, tf.shape(nodes)[0]
        for alone, around in weights:
            sent = tf.gather(x, sources)
            got = tf.math.unsorted_segment_mean(sent, targets, count)
            x = tf.nn.relu(x @ alone + got @ around)
        graph_of = tf.range(count) // 40
        pooled = tf.math.segment_sum(x, graph_of)
        return cross_entropy(y, pooled @ out)

    variables = [*(one for pair in weights for one in pair), out]
    return step_of(loss_of, variables, tf_keras.optimizers.SGD(0.01, momentum=0.9))


# --- sequences


def gru_pooled() -> Step:
    tokens = layers.Input((40,), dtype="int32")
    states = layers.GRU(64, return_sequences=True)(layers.Embedding(2000, 48)(tokens))
    share = layers.Softmax(axis=1)(dense(states, 1))
    model = keras.Model(tokens, dense(layers.Flatten()(layers.Dot(axes=1)([share, states])), 5))
    return classified(model, keras.optimizers.Adam())


def lstm_language() -> Step:
    tokens = layers.Input((30,), dtype="int32")
    x = layers.Embedding(1500, 96)(tokens)
    for _ in range(2):
        x = layers.Dropout(0.2)(layers.LSTM(96, return_sequences=True)(x))
    return classified(keras.Model(tokens, dense(x, 1500)), keras.optimizers.SGD(1.0), clip=0.25)


def conv_lstm() -> Step:
    start = layers.Input((6, 24, 24, 1))
    x = layers.ConvLSTM2D(8, 3, padding="same", return_sequences=True)(start)
    x = layers.ConvLSTM2D(8, 3, padding="same")(layers.BatchNormalization()(x))
    model = keras.Model(start, layers.Conv2D(1, 3, padding="same")(x))

    def loss_of(frames: Tensor, following: Tensor) -> Tensor:
        return tf.reduce_mean(tf.abs(model(frames, training=True) - following))

    return step_of(loss_of, model.trainable_variables, keras.optimizers.Adam())


def mapped() -> Step:
    """Every sample on its own, in a loop: as many rounds as the batch has samples."""
    inner, outer = weight(48, 1024), weight(1024, 48)
    last = weight(48, 8)

    def one(sample: Tensor) -> Tensor:
        hidden = tf.nn.tanh(sample @ inner) @ outer
        near = tf.nn.softmax(tf.matmul(hidden, hidden, transpose_b=True))
        return tf.reduce_mean(near @ hidden, axis=0)

    def loss_of(x: Tensor, y: Tensor) -> Tensor:
        pooled = tf.map_fn(one, x, fn_output_signature=tf.TensorSpec([48], tf.float32))
        return cross_entropy(y, pooled @ last)

    return step_of(loss_of, [inner, outer, last], tf_keras.optimizers.Adam())


def wavenet() -> Step:
    start = layers.Input((512, 1))
    x = layers.Conv1D(32, 2, padding="causal")(start)
    skipped = []
    for rate in (1, 2, 4, 8, 16):
        gate, value = (
            layers.Conv1D(32, 2, padding="causal", dilation_rate=rate, activation=function)(x)
            for function in ("sigmoid", "tanh")
        )
        y = gate * value
        skipped.append(layers.Conv1D(48, 1)(y))
        x = x + layers.Conv1D(32, 1)(y)
    y = layers.ReLU()(layers.Add()(skipped))
    return classified(keras.Model(start, layers.Conv1D(64, 1)(y)), keras.optimizers.Adam())


# --- numbers in rows


def clipped_mlp() -> Step:
    x = start = layers.Input((200,))
    for units in (1024, 512, 256):
        x = layers.GaussianNoise(0.1)(layers.Dense(units, use_bias=False)(x))
        x = layers.Dropout(0.3)(layers.PReLU()(layers.BatchNormalization()(x)))
    optimizer = keras.optimizers.SGD(0.05, momentum=0.9, nesterov=True)
    return classified(keras.Model(start, dense(x, 10)), optimizer, clip=1.0)


def mixed_precision() -> Step:
    """Half precision, with a loss that is scaled: a step that overflows is left out."""
    half = keras.DTypePolicy("mixed_float16")
    model = keras.Sequential([
        layers.Input((300,)),
        layers.Dense(768, activation="relu", dtype=half),
        layers.LayerNormalization(dtype=half),
        layers.Dense(384, activation="relu", dtype=half),
        layers.Dense(10, dtype="float32"),
    ])  # fmt: skip
    optimizer = keras.optimizers.LossScaleOptimizer(keras.optimizers.Adam())
    variables = model.trainable_variables
    optimizer.build(variables)

    def step(x: Tensor, y: Tensor) -> Tensor:
        with tf.GradientTape() as tape:
            loss = cross_entropy(y, model(x, training=True))
            scaled = optimizer.scale_loss(loss)
        gradients = tape.gradient(scaled, [one.value for one in variables])
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return loss

    return step


# --- TensorFlow 1


def tf1_conv_adam() -> tuple[str, ...]:
    v1.get_variable_scope().set_use_resource(False)
    x, y = v1.placeholder(tf.float32, [None, 32, 32, 3], "x"), v1.placeholder(tf.int32, [None], "y")
    kept = x
    for at, (before, after) in enumerate(((3, 32), (32, 48))):
        kernel = v1.get_variable(f"kernel_{at}", [5, 5, before, after])
        bias = v1.get_variable(f"bias_{at}", [after])
        kept = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(kept, kernel, 1, "SAME"), bias))
        kept = tf.nn.max_pool2d(kept, 3, 2, "SAME")
        kept = tf.nn.local_response_normalization(kept, 4, 1.0, 0.001 / 9, 0.75)
    flat = tf.reshape(kept, [-1, 8 * 8 * 48])
    for at, (before, after) in enumerate(((8 * 8 * 48, 256), (256, 10))):
        weights = v1.get_variable(f"weights_{at}", [before, after])
        flat = tf.nn.dropout(tf.matmul(flat, weights), 0.2) if after == 256 else flat @ weights
    decay = tf.add_n([tf.nn.l2_loss(one) for one in v1.trainable_variables()])
    loss = tf.add(cross_entropy(y, flat), 1e-4 * decay, name="loss")
    counted = v1.train.get_or_create_global_step()
    rate = v1.train.exponential_decay(0.001, counted, 1000, 0.9)
    v1.train.AdamOptimizer(rate).minimize(loss, counted, name="train")
    return "loss:0", "train"


class TanhCell:
    """A cell of the old kind, as `dynamic_rnn` wants it."""

    output_size = state_size = 256

    def get_initial_state(self, batch_size: Tensor, **_: Any) -> Tensor:
        return tf.zeros([batch_size, self.state_size])

    def __call__(self, x: Tensor, state: Tensor, scope: Any = None) -> tuple[Tensor, Tensor]:
        with v1.variable_scope(scope or "cell", reuse=v1.AUTO_REUSE):
            joined = tf.concat([x, state], axis=1)
            kernel = v1.get_variable("kernel", [joined.shape[-1], 2 * self.state_size])
            gate, value = tf.split(joined @ kernel, 2, axis=1)
            share = tf.sigmoid(gate)
            new = share * state + (1 - share) * tf.tanh(value)
        return new, new


def tf1_dynamic_rnn() -> tuple[str, ...]:
    v1.disable_control_flow_v2()
    v1.get_variable_scope().set_use_resource(False)
    x, y = v1.placeholder(tf.float32, [None, 50, 40], "x"), v1.placeholder(tf.int32, [None], "y")
    outputs, _ = v1.nn.dynamic_rnn(TanhCell(), x, dtype=tf.float32)
    pooled = tf.reduce_max(outputs, axis=1)
    loss = cross_entropy(y, pooled @ v1.get_variable("out", [256, 6]))
    loss = tf.identity(loss, name="loss")
    v1.train.MomentumOptimizer(0.1, 0.9).minimize(loss, name="train")
    return "loss:0", "train"


def tf1_factorization() -> tuple[str, ...]:
    """A recommender of old: rows of two tables, whose updates are sparse."""
    user, item = (v1.placeholder(tf.int32, [None], name) for name in ("user", "item"))
    rating = v1.placeholder(tf.float32, [None], "rating")
    found = []
    for name, ids_, count in (("users", user, 20_000), ("items", item, 8_000)):
        factors = v1.get_variable(name, [count, 64])
        bias = v1.get_variable(f"{name}_bias", [count])
        found.append((tf.nn.embedding_lookup(factors, ids_), tf.nn.embedding_lookup(bias, ids_)))
    (left, left_bias), (right, right_bias) = found
    hidden = tf.nn.relu(tf.concat([left, right], 1) @ v1.get_variable("hidden", [128, 512]))
    deep = (hidden @ v1.get_variable("deep", [512, 1]))[:, 0]
    guess = tf.reduce_sum(left * right, axis=1) + left_bias + right_bias + deep
    loss = tf.reduce_mean(tf.square(guess - rating), name="loss")
    v1.train.AdamOptimizer().minimize(loss, name="train")
    return "loss:0", "train"


MODELS = {
    "unet_skip": Model(unet_skip, {"x": image(64), "mask": image(64, 1)}),
    "mobile_se": Model(mobile_se, {"x": image(64), "y": ids(10)}),
    "gpt_tied": Model(gpt_tied, {"tokens": ids(2000, 64), "following": ids(2000, 64)}),
    "two_towers": Model(two_towers, {"history": ids(12_000, 20), "bought": ids(6_000)}),
    "gru_pooled": Model(gru_pooled, {"x": ids(2000, 40), "y": ids(5)}),
    "tf1_conv_adam": Model(tf1_conv_adam, {"x": image(32), "y": ids(10)}, is_tf1=True),
    "vit": Model(vit, {"x": image(64), "y": ids(100)}),
    "gan_step": Model(gan_step, {"real": image(32)}),
    "dense_block": Model(dense_block, {"x": image(32), "y": ids(100)}),
    "inception": Model(inception, {"x": image(48), "y": ids(20)}),
    "convnext": Model(convnext, {"x": image(64), "y": ids(10)}),
    "fpn_focal": Model(fpn_focal, {"x": image(64), "boxes": Input((12_096, 5))}),
    "triplet": Model(
        triplet, {"anchor": image(40, 1), "same": image(40, 1), "other": image(40, 1)}
    ),
    "distilled": Model(distilled, {"x": image(32), "y": ids(10)}),
    "conv_vae": Model(conv_vae, {"x": image(32, 1)}),
    "video": Model(video, {"x": Input((8, 32, 32, 3)), "y": ids(12)}),
    "accumulated": Model(accumulated, {"x": image(32), "y": ids(10)}),
    "mixer": Model(mixer, {"x": image(48), "y": ids(100)}),
    "bert_masked": Model(
        bert_masked,
        {
            "tokens": ids(3000, 48),
            "segments": ids(2, 48),
            "masked": ids(48, 8),
            "words": ids(3000, 8),
        },
    ),
    "translator": Model(
        translator,
        {"source": ids(1500, 32), "target": ids(1500, 28), "following": ids(1500, 28)},
    ),
    "wide_and_deep": Model(
        wide_and_deep,
        {"numbers": Input((13,)), "categories": ids(20_000, 8), "clicked": Input()},
    ),
    "dlrm": Model(
        dlrm, {"numbers": Input((13,)), "categories": ids(15_000, 4), "clicked": Input()}
    ),
    "graph_convolution": Model(
        graph_convolution,
        {
            "nodes": Input((128,), each=40),
            "sources": Input((), 40, each=160),
            "targets": Input((), 40, each=160),
            "y": ids(2),
        },
    ),
    "lstm_language": Model(lstm_language, {"x": ids(1500, 30), "y": ids(1500, 30)}),
    "conv_lstm": Model(conv_lstm, {"frames": Input((6, 24, 24, 1)), "following": image(24, 1)}),
    "mapped": Model(mapped, {"x": Input((64, 48)), "y": ids(8)}),
    "wavenet": Model(wavenet, {"x": Input((512, 1)), "y": ids(64, 512)}),
    "clipped_mlp": Model(clipped_mlp, {"x": Input((200,)), "y": ids(10)}),
    "mixed_precision": Model(mixed_precision, {"x": Input((300,)), "y": ids(10)}),
    "tf1_dynamic_rnn": Model(tf1_dynamic_rnn, {"x": Input((50, 40)), "y": ids(6)}, is_tf1=True),
    "tf1_factorization": Model(
        tf1_factorization,
        {"user": ids(20_000), "item": ids(8_000), "rating": Input()},
        is_tf1=True,
    ),
}
