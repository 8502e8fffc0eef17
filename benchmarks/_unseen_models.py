"""Ten models more, for the intervals that were calibrated with all the others.

They were measured first, and compared with no estimate until the calibration stood; none is used
for it. So they say whether the intervals hold. The form is that of `_wild_models.py`.
"""

from __future__ import annotations

from typing import Any

# first: it sets what has to be set before TensorFlow is loaded
from _wild_models import (
    Input,
    Model,
    Step,
    Tensor,
    classified,
    cross_entropy,
    dense,
    ids,
    image,
    prepare,
    step_of,
    v1,
    weight,
)

# isort: split
import keras
import tensorflow as tf
import tf_keras
from keras import layers

# --- pictures


def diffusion() -> Step:
    """The noise of a picture at a time that is drawn: groups are normed, the middle attends."""

    def normed(x: Tensor) -> Tensor:
        return layers.Activation("silu")(layers.GroupNormalization(4)(x))

    def block(x: Tensor, filters: int, when: Tensor) -> Tensor:
        past = x if x.shape[-1] == filters else layers.Conv2D(filters, 1)(x)
        y = layers.Conv2D(filters, 3, padding="same")(normed(x))
        y = y + layers.Reshape((1, 1, filters))(dense(when, filters))
        return past + layers.Conv2D(filters, 3, padding="same")(normed(y))

    def attended(x: Tensor) -> Tensor:
        flat = layers.Reshape((-1, x.shape[-1]))(layers.GroupNormalization(4)(x))
        found = layers.MultiHeadAttention(2, x.shape[-1] // 2)(flat, flat)
        return x + layers.Reshape(x.shape[1:])(found)

    start, time = layers.Input((32, 32, 3)), layers.Input((32,))
    when = dense(dense(time, 64, "silu"), 64, "silu")
    x, skipped = layers.Conv2D(16, 3, padding="same")(start), []
    for filters in (16, 32):
        x = block(x, filters, when)
        skipped.append(x)
        x = layers.Conv2D(filters, 3, 2, padding="same")(x)
    x = block(attended(block(x, 48, when)), 48, when)
    for filters in (32, 16):
        x = layers.Conv2D(filters, 3, padding="same")(layers.UpSampling2D()(x))
        x = block(layers.Concatenate()([x, skipped.pop()]), filters, when)
    model = keras.Model([start, time], layers.Conv2D(3, 3, padding="same")(normed(x)))

    def loss_of(x: Tensor, time: Tensor) -> Tensor:
        noise = tf.random.normal(tf.shape(x))
        kept = tf.exp(-4.0 * time)[:, None, None, None]
        waves = time[:, None] * tf.exp(tf.linspace(0.0, 6.0, 16))
        when = tf.concat([tf.sin(waves), tf.cos(waves)], axis=-1)
        guess = model([tf.sqrt(kept) * x + tf.sqrt(1.0 - kept) * noise, when], training=True)
        return tf.reduce_mean(tf.square(guess - noise))

    return step_of(loss_of, model.trainable_variables, keras.optimizers.AdamW(2e-4), 1.0)


def capsules() -> Step:
    """Votes of many small vectors, in three rounds that are written out."""
    convolve = tf_keras.layers.Conv2D(64, 9, activation="relu")
    primary = tf_keras.layers.Conv2D(64, 9, 2)
    convolve.build((None, 28, 28, 1))
    primary.build((None, 20, 20, 64))
    votes = weight(288, 10, 16, 8)

    def squashed(x: Tensor) -> Tensor:
        square = tf.reduce_sum(tf.square(x), axis=-1, keepdims=True)
        return x * tf.sqrt(square + 1e-7) / (1.0 + square)

    def loss_of(x: Tensor, y: Tensor) -> Tensor:
        small = squashed(tf.reshape(primary(convolve(x)), [-1, 288, 8]))
        guess = tf.einsum("nkoi,bni->bnko", votes, small)
        agreed, routed = tf.zeros_like(guess[..., 0]), guess[:, 0]
        for _ in range(3):
            share = tf.nn.softmax(agreed, axis=-1)
            routed = squashed(tf.reduce_sum(share[..., None] * guess, axis=1))
            agreed += tf.reduce_sum(guess * routed[:, None], axis=-1)
        length, wanted = tf.norm(routed + 1e-7, axis=-1), tf.one_hot(y, 10)
        there = wanted * tf.square(tf.nn.relu(0.9 - length))
        absent = 0.5 * (1.0 - wanted) * tf.square(tf.nn.relu(length - 0.1))
        return tf.reduce_mean(tf.reduce_sum(there + absent, axis=-1))

    variables = [*convolve.trainable_variables, *primary.trainable_variables, votes]
    return step_of(loss_of, variables, tf_keras.optimizers.Adam())


def codebook() -> Step:
    """A picture in vectors of a small table, which follows them as an average that moves."""
    start = layers.Input((32, 32, 3))
    x = layers.Conv2D(32, 4, 2, padding="same", activation="relu")(start)
    x = layers.Conv2D(64, 4, 2, padding="same", activation="relu")(x)
    encoder = keras.Model(start, layers.Conv2D(32, 1)(x))
    code = layers.Input((8, 8, 32))
    x = layers.Conv2DTranspose(64, 4, 2, padding="same", activation="relu")(code)
    decoder = keras.Model(code, layers.Conv2DTranspose(3, 4, 2, padding="same")(x))
    table = tf.Variable(tf.random.normal([32, 256]), trainable=False)
    counts = tf.Variable(tf.ones([256]), trainable=False)

    def loss_of(x: Tensor) -> Tensor:
        found = encoder(x, training=True)
        flat = tf.reshape(found, [-1, 32])
        values = tf.convert_to_tensor(table)
        apart = (
            tf.reduce_sum(flat**2, 1, keepdims=True)
            - 2 * flat @ values
            + tf.reduce_sum(values**2, 0, keepdims=True)
        )
        chosen = tf.argmin(apart, axis=1)
        near = tf.reshape(tf.gather(tf.transpose(values), chosen), tf.shape(found))
        which = tf.one_hot(chosen, 256)
        counts.assign(0.99 * counts + 0.01 * tf.reduce_sum(which, axis=0))
        summed = tf.matmul(tf.stop_gradient(flat), which, transpose_a=True)
        table.assign(0.99 * table + 0.01 * summed / (counts + 1e-5))
        passed = found + tf.stop_gradient(near - found)
        again = decoder(passed, training=True)
        bound = tf.reduce_mean(tf.square(tf.stop_gradient(near) - found))
        return tf.reduce_mean(tf.square(again - x)) + 0.25 * bound

    variables = [*encoder.trainable_variables, *decoder.trainable_variables]
    return step_of(loss_of, variables, keras.optimizers.Adam(3e-4))


def points() -> Step:
    """Points in space in no order: turned as is learned, then the most of each feature."""

    def shared(x: Tensor, units: int) -> Tensor:
        x = layers.Conv1D(units, 1, use_bias=False)(x)
        return layers.ReLU()(layers.BatchNormalization(momentum=0.5)(x))

    def turned(x: Tensor, size: int) -> Tensor:
        y = layers.GlobalMaxPooling1D()(shared(shared(x, 32), 128))
        turn = layers.Reshape((size, size))(dense(dense(y, 64, "relu"), size * size))
        return layers.Dot(axes=(2, 1))([x, turn])

    start = layers.Input((512, 3))
    x = shared(shared(turned(start, 3), 32), 32)
    x = layers.GlobalMaxPooling1D()(shared(shared(turned(x, 32), 64), 256))
    x = layers.Dropout(0.3)(dense(dense(x, 128, "relu"), 64, "relu"))
    return classified(keras.Model(start, dense(x, 10)), keras.optimizers.Adam(1e-3))


# --- text and sound


def perceiver() -> Step:
    """A few vectors look at many words, twice with the same weights."""
    width, latents, heads = 96, 24, 4
    table, start = weight(1200, width), weight(latents, width)
    places = weight(160, width)
    asked = [weight(width, width) for _ in range(4)]
    own = [weight(width, width) for _ in range(4)]
    wide, narrow, out = weight(width, 4 * width), weight(4 * width, width), weight(width, 15)

    def split(x: Tensor) -> Tensor:
        shape = tf.shape(x)
        x = tf.reshape(x, [shape[0], shape[1], heads, width // heads])
        return tf.transpose(x, [0, 2, 1, 3])

    def attend(x: Tensor, other: Tensor, by: list[Any]) -> Tensor:
        query, key, value = (
            split(tf.einsum("bti,io->bto", one, part))
            for one, part in zip((x, other, other), by, strict=False)
        )
        near = tf.nn.softmax(tf.matmul(query, key, transpose_b=True) / (width / heads) ** 0.5)
        joined = tf.transpose(near @ value, [0, 2, 1, 3])
        joined = tf.reshape(joined, [tf.shape(x)[0], latents, width])
        return x + tf.einsum("bti,io->bto", joined, by[3])

    def loss_of(tokens: Tensor, y: Tensor) -> Tensor:
        words = tf.nn.embedding_lookup(table, tokens) + places
        x = tf.tile(start[None], [tf.shape(tokens)[0], 1, 1])
        for _ in range(2):
            x = attend(attend(x, words, asked), x, own)
            x += tf.einsum("bti,io->bto", tf.nn.gelu(tf.einsum("bti,io->bto", x, wide)), narrow)
        return cross_entropy(y, tf.reduce_mean(x, axis=1) @ out)

    variables = [table, start, places, *asked, *own, wide, narrow, out]
    return step_of(loss_of, variables, tf_keras.optimizers.Adam(1e-3), 1.0)


def read_lines() -> Step:
    """A line of writing: convolutions, both directions in time, any alignment of the letters."""
    start = layers.Input((32, 96, 1))
    x = start
    for filters, pool in ((16, (2, 2)), (32, (2, 2)), (48, (2, 1))):
        x = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
        x = layers.MaxPooling2D(pool)(x)
    x = layers.Permute((2, 1, 3))(x)
    x = layers.Reshape((24, 4 * 48))(x)
    x = layers.Bidirectional(layers.GRU(32, return_sequences=True))(x)
    model = keras.Model(start, dense(x, 30))

    def loss_of(x: Tensor, letters: Tensor) -> Tensor:
        logits, rows = model(x, training=True), tf.shape(x)[0]
        found = tf.nn.ctc_loss(
            letters + 1, logits, tf.fill([rows], 8), tf.fill([rows], 24), logits_time_major=False
        )
        return tf.reduce_mean(found)

    return step_of(loss_of, model.trainable_variables, keras.optimizers.RMSprop(1e-3))


# --- numbers in rows


def flow() -> Step:
    """A curve that is followed in forty small steps: a loop whose gradient goes back through it."""
    first, second = weight(64, 128), weight(128, 64)
    enter, out = weight(10, 64), weight(64, 4)

    def slope(x: Tensor) -> Tensor:
        return tf.tanh(x @ first) @ second

    def loss_of(x: Tensor, y: Tensor) -> Tensor:
        def moved(at: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
            one = slope(state)
            two = slope(state + 0.5 * 0.025 * one)
            return at + 1, state + 0.025 * two

        _, state = tf.while_loop(lambda at, _: at < 40, moved, (0, x @ enter))
        return cross_entropy(y, state @ out)

    return step_of(loss_of, [first, second, enter, out], tf_keras.optimizers.SGD(0.01, 0.9))


def crossed() -> Step:
    """Features multiplied with each other layer by layer, rows of tables with Adagrad."""
    given, numbers = layers.Input((12,), dtype="int32"), layers.Input((13,))
    rows = layers.Flatten()(layers.Embedding(15_000, 12)(given))
    x = first = layers.Concatenate()([rows, layers.BatchNormalization()(numbers)])
    for _ in range(3):
        x = x + first * dense(dense(x, 32), first.shape[-1])
    deep = dense(dense(first, 256, "relu"), 128, "relu")
    model = keras.Model([given, numbers], dense(layers.Concatenate()([x, deep]), 1))

    def loss_of(given: Tensor, numbers: Tensor, clicked: Tensor) -> Tensor:
        logits = model([given, numbers], training=True)[:, 0]
        found = tf.nn.sigmoid_cross_entropy_with_logits(labels=clicked, logits=logits)
        return tf.reduce_mean(found)

    return step_of(loss_of, model.trainable_variables, keras.optimizers.Adagrad(0.05))


def learned_start() -> Step:
    """Weights from which one step of descent does well: the gradient of a gradient."""
    weights = [weight(3, 3, 3, 24), weight(3, 3, 24, 24), weight(24 * 36, 5)]
    optimizer = tf_keras.optimizers.Adam(1e-3)
    prepare(optimizer, weights)

    def logits_of(x: Tensor, by: list[Any]) -> Tensor:
        for one in by[:2]:
            x = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, one, 1, "SAME")), 2, 2, "SAME")
        return tf.reshape(x, [-1, 24 * 36]) @ by[2]

    def step(x: Tensor, y: Tensor) -> Tensor:
        # what is given is one half to learn from, one half to try
        half = tf.shape(x)[0] // 2
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                learned = cross_entropy(y[:half], logits_of(x[:half], weights))
            moved = [
                one - 0.1 * change
                for one, change in zip(weights, inner.gradient(learned, weights), strict=True)
            ]
            loss = cross_entropy(y[half:], logits_of(x[half:], moved))
        gradients = outer.gradient(loss, weights)
        optimizer.apply_gradients(zip(gradients, weights, strict=True))
        return loss

    return step


# --- TensorFlow 1


def tf1_text_cnn() -> tuple[str, ...]:
    """Windows of several widths over the words, side by side; the most of each."""
    v1.get_variable_scope().set_use_resource(True)
    x = v1.placeholder(tf.int32, [None, 56], "x")
    y = v1.placeholder(tf.int32, [None], "y")
    table = v1.get_variable("table", [5_000, 100])
    rows = tf.expand_dims(tf.nn.embedding_lookup(table, x), -1)
    found = []
    for width in (3, 4, 5):
        with v1.variable_scope(f"width_{width}"):
            kernel = v1.get_variable("kernel", [width, 100, 1, 64])
            bias = v1.get_variable("bias", [64], initializer=v1.zeros_initializer())
            windows = tf.nn.relu(
                tf.nn.bias_add(tf.nn.conv2d(rows, kernel, [1, 1, 1, 1], "VALID"), bias)
            )
            found.append(tf.nn.max_pool2d(windows, [1, 57 - width, 1, 1], 1, "VALID"))
    flat = tf.nn.dropout(tf.reshape(tf.concat(found, 3), [-1, 192]), 0.5)
    logits = v1.nn.xw_plus_b(
        flat, v1.get_variable("weights", [192, 6]), v1.get_variable("bias", [6])
    )
    loss = tf.identity(cross_entropy(y, logits), name="loss")
    optimizer = v1.train.RMSPropOptimizer(1e-3)
    gradients = optimizer.compute_gradients(loss)
    optimizer.apply_gradients(gradients, name="train")
    return "loss:0", "train"


MODELS = {
    "diffusion": Model(diffusion, {"x": image(32), "time": Input()}),
    "capsules": Model(capsules, {"x": image(28, 1), "y": ids(10)}),
    "codebook": Model(codebook, {"x": image(32)}),
    "points": Model(points, {"x": Input((512, 3)), "y": ids(10)}),
    "perceiver": Model(perceiver, {"tokens": ids(1200, 160), "y": ids(15)}),
    "read_lines": Model(read_lines, {"x": Input((32, 96, 1)), "letters": ids(28, 8)}),
    "flow": Model(flow, {"x": Input((10,)), "y": ids(4)}),
    "crossed": Model(
        crossed, {"given": ids(15_000, 12), "numbers": Input((13,)), "clicked": Input()}
    ),
    "learned_start": Model(
        learned_start, {"x": Input((24, 24, 3), each=2), "y": Input((), 5, each=2)}
    ),
    "tf1_text_cnn": Model(tf1_text_cnn, {"x": ids(5_000, 56), "y": ids(6)}, is_tf1=True),
}
