"""Twenty models more, measured before anyone compared them with the estimate.

Those of `_wild_models.py` have shown what the estimate lacked, and it was mended with them; these
are to say how it does with what it has not seen. The form is the same.
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
    step_of,
    v1,
    weight,
)

# isort: split
import keras
import numpy as np
import tensorflow as tf
import tf_keras
from keras import layers

# --- pictures


def resnext() -> Step:
    """Convolutions in groups, made of a depthwise one as keras.applications did."""

    def conv(x: Tensor, filters: int, kernel: int, stride: int = 1) -> Tensor:
        x = layers.Conv2D(filters, kernel, stride, padding="same", use_bias=False)(x)
        return layers.BatchNormalization(epsilon=1.001e-5)(x)

    def grouped(x: Tensor, filters: int, groups: int, stride: int) -> Tensor:
        size = filters // groups
        x = layers.ZeroPadding2D(1)(x)
        x = layers.DepthwiseConv2D(3, stride, depth_multiplier=size, use_bias=False)(x)
        x = layers.Reshape((*x.shape[1:3], groups, size, size))(x)
        x = layers.Lambda(lambda one: tf.reduce_sum(one, axis=-2))(x)
        return layers.ReLU()(
            layers.BatchNormalization()(layers.Reshape((*x.shape[1:3], filters))(x))
        )

    start = layers.Input((48, 48, 3))
    x = layers.MaxPooling2D(3, 2, "same")(layers.ReLU()(conv(start, 32, 7, 2)))
    for filters, stride in ((32, 1), (64, 2), (64, 1)):
        is_same = stride == 1 and x.shape[-1] == 2 * filters
        past = x if is_same else conv(x, 2 * filters, 1, stride)
        y = grouped(layers.ReLU()(conv(x, filters, 1)), filters, 8, stride)
        x = layers.ReLU()(layers.Add()([past, conv(y, 2 * filters, 1)]))
    model = keras.Model(start, dense(layers.GlobalAveragePooling2D()(x), 40))
    return classified(model, keras.optimizers.SGD(0.1, momentum=0.9, weight_decay=5e-4))


class DropPath(layers.Layer):
    """Leaves a branch out, sample by sample."""

    def call(self, x: Tensor, *, training: bool = False) -> Tensor:
        if not training:
            return x
        kept = tf.floor(0.8 + tf.random.uniform([tf.shape(x)[0], 1, 1, 1]))
        return x / 0.8 * kept


def efficient_drop() -> Step:
    def normed(x: Tensor, *, is_active: bool = True) -> Tensor:
        x = layers.BatchNormalization(momentum=0.99)(x)
        return layers.Activation("swish")(x) if is_active else x

    def block(x: Tensor, filters: int, kernel: int, stride: int) -> Tensor:
        before = x.shape[-1]
        y = normed(layers.Conv2D(6 * before, 1, use_bias=False)(x))
        y = normed(layers.DepthwiseConv2D(kernel, stride, padding="same", use_bias=False)(y))
        excited = layers.Reshape((1, 1, 6 * before))(layers.GlobalAveragePooling2D()(y))
        excited = layers.Conv2D(before // 4, 1, activation="swish")(excited)
        y = layers.Multiply()([y, layers.Conv2D(6 * before, 1, activation="sigmoid")(excited)])
        y = normed(layers.Conv2D(filters, 1, use_bias=False)(y), is_active=False)
        return x + DropPath()(y) if stride == 1 and filters == before else y

    start = layers.Input((56, 56, 3))
    x = layers.Rescaling(2.0, -1.0)(start)
    x = normed(layers.Conv2D(16, 3, 2, padding="same", use_bias=False)(x))
    for filters, kernel, stride in ((16, 3, 1), (24, 3, 2), (24, 3, 1), (40, 5, 2), (40, 5, 1)):
        x = block(x, filters, kernel, stride)
    x = normed(layers.Conv2D(160, 1, use_bias=False)(x))
    x = layers.Dropout(0.2)(layers.GlobalAveragePooling2D()(x))
    model = keras.Model(start, dense(x, 100))

    def loss_of(x: Tensor, y: Tensor) -> Tensor:
        logits = model(x, training=True)
        smooth = tf.one_hot(y, 100) * 0.9 + 0.1 / 100
        return tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(smooth, logits))

    optimizer = keras.optimizers.RMSprop(0.016, rho=0.9, momentum=0.9, epsilon=1e-3)
    return step_of(loss_of, model.trainable_variables, optimizer)


def super_resolution() -> Step:
    start = layers.Input((32, 32, 3))
    x = first = layers.Conv2D(32, 3, padding="same")(start)
    for _ in range(4):
        y = layers.Conv2D(32, 3, padding="same", activation="relu")(x)
        x = x + 0.1 * layers.Conv2D(32, 3, padding="same")(y)
    x = first + layers.Conv2D(32, 3, padding="same")(x)
    x = layers.Conv2D(64, 3, padding="same")(x)
    x = layers.Lambda(lambda one: tf.nn.depth_to_space(one, 2))(x)
    model = keras.Model(start, layers.Conv2D(3, 3, padding="same")(x))

    def loss_of(small: Tensor, large: Tensor) -> Tensor:
        guess = model(small, training=True) + tf.image.resize(small, [64, 64], "bicubic")
        return tf.reduce_mean(tf.sqrt(tf.square(guess - large) + 1e-6))

    optimizer = keras.optimizers.Adam(1e-4, epsilon=1e-8)
    return step_of(loss_of, model.trainable_variables, optimizer)


def simclr() -> Step:
    """Two views of every picture in one batch; each has to find the other."""
    encoder = tf_keras.Sequential([tf_keras.layers.InputLayer((40, 40, 3))])
    for filters in (24, 48, 96):
        encoder.add(tf_keras.layers.Conv2D(filters, 3, 2, "same", use_bias=False))
        encoder.add(tf_keras.layers.BatchNormalization())
        encoder.add(tf_keras.layers.LeakyReLU())
    encoder.add(tf_keras.layers.GlobalAveragePooling2D())
    encoder.add(tf_keras.layers.Dense(96, "relu"))
    encoder.add(tf_keras.layers.Dense(48))

    def view(x: Tensor) -> Tensor:
        x = tf.image.random_flip_left_right(x)
        x = tf.image.random_contrast(tf.image.random_brightness(x, 0.3), 0.7, 1.3)
        return tf.image.random_crop(tf.pad(x, [[0, 0], [4, 4], [4, 4], [0, 0]]), tf.shape(x))

    def loss_of(x: Tensor) -> Tensor:
        both = tf.reshape(tf.concat([view(x), view(x)], axis=0), [-1, 40, 40, 3])
        found = tf.math.l2_normalize(encoder(both, training=True), axis=1)
        count = tf.shape(x)[0]
        scores = tf.matmul(found, found, transpose_b=True) / 0.5
        scores -= 1e9 * tf.eye(2 * count)
        others = tf.concat([tf.range(count) + count, tf.range(count)], axis=0)
        return cross_entropy(others, scores)

    optimizer = tf_keras.optimizers.legacy.SGD(0.3, momentum=0.9)
    return step_of(loss_of, encoder.trainable_variables, optimizer)


def fitted_heads() -> Step:
    """The step of `fit`: two outputs, their losses and metrics, weights that are held small."""
    small = keras.regularizers.L2(1e-4)
    start = x = layers.Input((48, 48, 3))
    for filters in (24, 48, 64):
        x = layers.Conv2D(filters, 3, padding="same", kernel_regularizer=small)(x)
        x = layers.SpatialDropout2D(0.1)(layers.MaxPooling2D()(layers.PReLU(shared_axes=[1, 2])(x)))
    x = layers.Flatten()(x)
    kind = layers.Dense(12, activation="softmax", name="kind")(dense(x, 128, "relu"))
    age = layers.Dense(1, name="age", kernel_regularizer=small)(dense(x, 64, "relu"))
    model = keras.Model(start, {"kind": kind, "age": age})
    model.compile(
        optimizer=keras.optimizers.RMSprop(centered=True),
        loss={"kind": keras.losses.CategoricalCrossentropy(label_smoothing=0.1), "age": "mse"},
        loss_weights={"kind": 1.0, "age": 0.2},
        metrics={"kind": ["accuracy"], "age": ["mae"]},
        jit_compile=False,
    )
    # metrics make their variables when they are first seen
    once = {"kind": np.eye(12, dtype=np.float32)[:2], "age": np.ones([2, 1], np.float32)}
    model.train_on_batch(np.zeros([2, 48, 48, 3], np.float32), once)

    def step(x: Tensor, kind: Tensor, age: Tensor) -> Tensor:
        found = model.train_step((x, {"kind": tf.one_hot(kind, 12), "age": age}))
        return found["loss"]

    return step


def voxel_net() -> Step:
    """Volumes down and up again, as scans of the body are segmented."""

    def conv(x: Tensor, filters: int, stride: int = 1) -> Tensor:
        x = layers.Conv3D(filters, 3, stride, padding="same", use_bias=False)(x)
        return layers.PReLU(shared_axes=[1, 2, 3])(layers.GroupNormalization(4)(x))

    start = layers.Input((16, 32, 32, 1))
    first = conv(start, 8)
    second = conv(conv(first, 16, 2), 16)
    x = conv(conv(second, 32, 2), 32)
    for filters, skipped in ((16, second), (8, first)):
        x = layers.Conv3DTranspose(filters, 2, 2)(x)
        x = conv(layers.Concatenate()([x, skipped]), filters)
    model = keras.Model(start, layers.Conv3D(3, 1, activation="softmax")(x))

    def loss_of(x: Tensor, labels: Tensor) -> Tensor:
        found, true = model(x, training=True), tf.one_hot(labels, 3)
        both = tf.reduce_sum(found * true, [1, 2, 3])
        either = tf.reduce_sum(found, [1, 2, 3]) + tf.reduce_sum(true, [1, 2, 3])
        return 1 - tf.reduce_mean((2 * both + 1) / (either + 1))

    optimizer = keras.optimizers.Adam(amsgrad=True)
    return step_of(loss_of, model.trainable_variables, optimizer)


# --- sound


def audio_stft() -> Step:
    """Spectra of a wave on the mel scale, then convolutions along the time."""
    x = start = layers.Input((97, 64))
    for filters, rate in ((96, 1), (96, 2), (128, 4)):
        x = layers.Conv1D(filters, 5, padding="same", dilation_rate=rate)(x)
        x = layers.LeakyReLU(negative_slope=0.1)(layers.GroupNormalization(8)(x))
        x = layers.MaxPooling1D(2)(x)
    pooled = layers.Concatenate()(
        [layers.GlobalAveragePooling1D()(x), layers.GlobalMaxPooling1D()(x)]
    )
    model = keras.Model(start, dense(layers.Dropout(0.3)(pooled), 35))

    def loss_of(wave: Tensor, y: Tensor) -> Tensor:
        spectra = tf.abs(tf.signal.stft(wave, 512, 160, 512)) ** 2
        mel = tf.signal.linear_to_mel_weight_matrix(64, 257, 16_000, 40.0, 7_600.0)
        loud = tf.math.log(tf.tensordot(spectra, mel, 1) + 1e-6)
        mean, variance = tf.nn.moments(loud, [1], keepdims=True)
        return cross_entropy(
            y, model((loud - mean) * tf.math.rsqrt(variance + 1e-6), training=True)
        )

    return step_of(loss_of, model.trainable_variables, keras.optimizers.Adadelta(1.0))


# --- attention


def heads_of(x: Tensor, heads: int) -> Tensor:
    length, width = x.shape[1:]
    return tf.transpose(tf.reshape(x, [-1, length, heads, width // heads]), [0, 2, 1, 3])


def joined(x: Tensor) -> Tensor:
    _, heads, length, width = x.shape
    return tf.reshape(tf.transpose(x, [0, 2, 1, 3]), [-1, length, heads * width])


def t5_like() -> Step:
    """Distances in buckets, norms without a mean, gates; one table for words in and out."""
    words, width, heads, buckets = 1500, 64, 4, 16
    table = weight(words, width)
    near = [weight(buckets, heads) for _ in range(2)]

    def attention() -> list[Any]:
        return [tf.Variable(tf.ones([width])), *(weight(width, width) for _ in range(4))]

    def gated() -> list[Any]:
        up = [weight(width, 160) for _ in range(2)]
        return [tf.Variable(tf.ones([width])), *up, weight(160, width)]

    encoder = [(attention(), gated()) for _ in range(2)]
    decoder = [(attention(), attention(), gated()) for _ in range(2)]

    def normed(x: Tensor, scale: Any) -> Tensor:
        return x * tf.math.rsqrt(tf.reduce_mean(tf.square(x), -1, keepdims=True) + 1e-6) * scale

    def attended(x: Tensor, weights: list[Any], other: Tensor = None, bias: Tensor = 0.0) -> Tensor:
        scale, *projections, out = weights
        here = normed(x, scale)
        there = here if other is None else other
        query, key, value = (
            heads_of(one @ by, heads)
            for one, by in zip((here, there, there), projections, strict=True)
        )
        share = tf.nn.softmax(tf.matmul(query, key, transpose_b=True) + bias)
        return x + tf.nn.dropout(joined(share @ value) @ out, 0.1)

    def fed(x: Tensor, weights: list[Any]) -> Tensor:
        scale, gate, up, down = weights
        here = normed(x, scale)
        return x + (tf.nn.gelu(here @ gate, approximate=True) * (here @ up)) @ down

    def distances(length: int, by: Any) -> Tensor:
        apart = np.arange(length)[None, :] - np.arange(length)[:, None]
        bucket = np.clip(apart, -buckets // 2, buckets // 2 - 1) + buckets // 2
        return tf.transpose(tf.gather(by, bucket.astype(np.int32)), [2, 0, 1])[None]

    def loss_of(source: Tensor, target: Tensor, following: Tensor) -> Tensor:
        x, bias = tf.gather(table, source), distances(40, near[0])
        for own, forward in encoder:
            x = fed(attended(x, own, bias=bias), forward)
        y, bias = tf.gather(table, target), distances(24, near[1])
        bias += np.triu(np.full([24, 24], -1e9, np.float32), 1)
        for own, cross, forward in decoder:
            y = fed(attended(attended(y, own, bias=bias), cross, x), forward)
        logits = tf.matmul(y * width**-0.5, table, transpose_b=True)
        return cross_entropy(following, logits)

    variables = tf.nest.flatten([table, near, encoder, decoder])
    return step_of(loss_of, variables, tf_keras.optimizers.Adafactor(0.01))


def recomputed() -> Step:
    """Blocks whose insides are computed once more when their gradients are."""
    length, width, heads, depth = 64, 96, 4, 3
    entry, out = weight(32, width), weight(width, 20)
    blocks = [
        [weight(width, 3 * width), weight(width, width), weight(2 * length - 1, width // heads),
         weight(width, 4 * width), weight(4 * width, width)]
        for _ in range(depth)
    ]  # fmt: skip
    apart = (np.arange(length)[None, :] - np.arange(length)[:, None] + length - 1).astype(np.int32)

    def normed(x: Tensor) -> Tensor:
        mean, variance = tf.nn.moments(x, [-1], keepdims=True)
        return (x - mean) * tf.math.rsqrt(variance + 1e-5)

    def block_of(joint: Any, last: Any, places: Any, up: Any, down: Any) -> Step:
        def block(x: Tensor) -> Tensor:
            parts = tf.split(normed(x) @ joint, 3, axis=-1)
            query, key, value = (heads_of(one, heads) for one in parts)
            # a vector for every distance, as in Shaw et al.
            scores = tf.matmul(query, key, transpose_b=True)
            scores += tf.einsum("bhqd,qkd->bhqk", query, tf.gather(places, apart))
            x += joined(tf.nn.softmax(scores * (width / heads) ** -0.5) @ value) @ last
            return x + tf.nn.relu(normed(x) @ up) @ down

        return tf.recompute_grad(block)

    steps = [block_of(*one) for one in blocks]

    def loss_of(x: Tensor, y: Tensor) -> Tensor:
        x = x @ entry
        for block in steps:
            x = tf.ensure_shape(block(x), [None, length, width])
        return cross_entropy(y, tf.reduce_mean(x, axis=1) @ out)

    variables = tf.nest.flatten([entry, blocks, out])
    return step_of(loss_of, variables, tf_keras.optimizers.AdamW(weight_decay=0.01))


def experts() -> Step:
    """Two of four experts for every word, each with so many places a sample."""
    words, length, width, hidden, count = 2000, 48, 96, 256, 4
    places = 2 * length * 5 // (4 * count)
    table, gate = weight(words, width), weight(width, count)
    up, down = weight(count, width, hidden), weight(count, hidden, width)
    out = weight(width, 30)

    def mixed(x: Tensor) -> tuple[Tensor, Tensor]:
        shares = tf.nn.softmax(x @ gate)
        best, which = tf.math.top_k(shares, 2)
        best /= tf.reduce_sum(best, -1, keepdims=True)
        chosen = tf.one_hot(which, count)
        # who comes too late for a place is left out
        flat = tf.reshape(tf.transpose(chosen, [0, 2, 1, 3]), [-1, 2 * length, count])
        at = tf.cumsum(flat, axis=1, exclusive=True) * flat
        at = tf.transpose(tf.reshape(at, [-1, 2, length, count]), [0, 2, 1, 3])
        taken = tf.one_hot(tf.cast(tf.reduce_sum(at * chosen, -1), tf.int32), places)
        weights = tf.einsum("blk,blke,blkp->blep", best, chosen, taken)
        sent = tf.einsum("blep,blw->ebpw", tf.cast(weights > 0, tf.float32), x)
        inside = tf.nn.gelu(tf.einsum("ebpw,ewh->ebph", sent, up))
        answers = tf.einsum("ebph,ehw->ebpw", inside, down)
        balance = tf.reduce_mean(shares, [0, 1]) * tf.reduce_mean(chosen[:, :, 0], [0, 1])
        return tf.einsum("blep,ebpw->blw", weights, answers), count * tf.reduce_sum(balance)

    def loss_of(tokens: Tensor, y: Tensor) -> Tensor:
        x = tf.gather(table, tokens)
        found, balance = mixed(x)
        return cross_entropy(y, tf.reduce_max(x + found, axis=1) @ out) + 0.01 * balance

    variables = [table, gate, up, down, out]
    return step_of(loss_of, variables, tf_keras.optimizers.legacy.Adam())


# --- sequences, in loops


def stacked_rnn() -> Step:
    """The next day of a series, out of four before it."""
    start = layers.Input((96, 8))
    x = layers.SimpleRNN(64, return_sequences=True)(start)
    x = layers.GRU(96, return_sequences=True)(layers.LayerNormalization()(x))
    x = layers.GRU(48, dropout=0.1)(x)
    model = keras.Model(start, dense(x, 24))

    def loss_of(past: Tensor, following: Tensor) -> Tensor:
        far = tf.abs(model(past, training=True) - following)
        return tf.reduce_mean(tf.where(far < 1, 0.5 * far * far, far - 0.5))

    optimizer = keras.optimizers.Nadam(clipnorm=1.0)
    return step_of(loss_of, model.trainable_variables, optimizer)


def bilstm_crf() -> Step:
    """Words that are tagged: both directions, then the likelihood of whole sequences."""
    tags = 9
    tokens = layers.Input((36,), dtype="int32")
    x = layers.Embedding(4000, 64, mask_zero=True)(tokens)
    x = layers.Bidirectional(layers.LSTM(80, return_sequences=True))(layers.Dropout(0.3)(x))
    model = keras.Model(tokens, layers.TimeDistributed(layers.Dense(tags))(x))
    turns = keras.Variable(np.zeros([tags, tags], np.float32))

    def loss_of(tokens: Tensor, y: Tensor) -> Tensor:
        scores, table = model(tokens, training=True), turns.value

        def forward(before: Tensor, here: Tensor) -> Tensor:
            return tf.reduce_logsumexp(before[:, :, None] + table, axis=1) + here

        by_time = tf.transpose(scores, [1, 0, 2])
        every = tf.scan(forward, by_time[1:], by_time[0])[-1]
        own = tf.reduce_sum(scores * tf.one_hot(y, tags), [1, 2])
        own += tf.reduce_sum(tf.gather_nd(table, tf.stack([y[:, :-1], y[:, 1:]], -1)), 1)
        return tf.reduce_mean(tf.reduce_logsumexp(every, axis=1) - own)

    variables = [*model.trainable_variables, turns]
    return step_of(loss_of, variables, keras.optimizers.Adam(), clip=5.0)


def seq2seq_attention() -> Step:
    """A reader and a writer that looks back at it, word by word."""
    words, width, read, written = 1200, 96, 30, 20
    tables = [weight(words, width) for _ in range(2)]
    cells = [(weight(2 * width, 2 * width), weight(2 * width, width)),
             (weight(3 * width, 2 * width), weight(3 * width, width))]  # fmt: skip
    looks = [weight(width, width), weight(width, width), weight(width, 1)]
    out = weight(2 * width, words)

    def moved(x: Tensor, state: Tensor, gates: Any, new: Any) -> Tensor:
        reset, update = tf.split(tf.sigmoid(tf.concat([x, state], 1) @ gates), 2, axis=1)
        fresh = tf.tanh(tf.concat([x, reset * state], 1) @ new)
        return update * state + (1 - update) * fresh

    def encoded(x: Tensor, state: Tensor) -> Tensor:
        def body(at: Tensor, state: Tensor, kept: Any) -> tuple[Tensor, Tensor, Any]:
            state = moved(x[:, at], state, *cells[0])
            return at + 1, state, kept.write(at, state)

        kept = tf.TensorArray(tf.float32, read, element_shape=[None, width])
        loop = (tf.constant(0), state, kept)
        _, state, kept = tf.while_loop(lambda at, *_: at < read, body, loop)
        return state, tf.transpose(kept.stack(), [1, 0, 2])

    def loss_of(source: Tensor, target: Tensor, following: Tensor) -> Tensor:
        x, y = tf.gather(tables[0], source), tf.gather(tables[1], target)
        state, memory = encoded(x, tf.zeros([tf.shape(x)[0], width]))
        keys = memory @ looks[0]

        def body(at: Tensor, state: Tensor, kept: Any) -> tuple[Tensor, Tensor, Any]:
            energy = tf.tanh(keys + (state @ looks[1])[:, None]) @ looks[2]
            found = tf.reduce_sum(tf.nn.softmax(energy, axis=1) * memory, axis=1)
            state = moved(tf.concat([y[:, at], found], 1), state, *cells[1])
            return at + 1, state, kept.write(at, tf.concat([state, found], 1) @ out)

        kept = tf.TensorArray(tf.float32, written, element_shape=[None, words])
        loop = (tf.constant(0), state, kept)
        _, _, kept = tf.while_loop(
            lambda at, *_: at < written, body, loop, maximum_iterations=written
        )
        each = tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=tf.transpose(following), logits=kept.stack()
        )
        counts = tf.cast(tf.transpose(following) > 0, tf.float32)
        return tf.reduce_sum(each * counts) / tf.reduce_sum(counts)

    variables = tf.nest.flatten([tables, cells, looks, out])
    return step_of(loss_of, variables, tf_keras.optimizers.legacy.RMSprop(), clip=5.0)


# --- tables of embeddings, gradients that are sparse


def deepfm() -> Step:
    """Products of every two features by the square of their sum, beside a deep part."""
    categories = layers.Input((20,), dtype="int32")
    first = layers.Embedding(30_000, 1)(categories)
    rows = layers.Embedding(30_000, 16)(categories)
    pairs = layers.Lambda(
        lambda x: 0.5 * (tf.reduce_sum(x, 1) ** 2 - tf.reduce_sum(x**2, 1))
    )(rows)  # fmt: skip
    deep = layers.Flatten()(rows)
    for _ in range(2):
        deep = layers.Dropout(0.2)(dense(deep, 400, "relu"))
    parts = layers.Concatenate()([layers.Flatten()(first), pairs, deep])
    model = keras.Model(categories, dense(parts, 1))

    def loss_of(categories: Tensor, clicked: Tensor) -> Tensor:
        logits = model(categories, training=True)[:, 0]
        found = tf.nn.sigmoid_cross_entropy_with_logits(labels=clicked, logits=logits)
        return tf.reduce_mean(found)

    return step_of(loss_of, model.trainable_variables, keras.optimizers.Adam())


def fast_text() -> Step:
    """The mean of the rows of a text's words and pairs of words, all texts in one list."""
    table, hidden, out = weight(40_000, 128), weight(128, 256), weight(256, 50)

    def loss_of(tokens: Tensor, y: Tensor) -> Tensor:
        text = tf.range(tf.shape(tokens)[0]) // 120
        pooled = tf.math.segment_mean(tf.nn.embedding_lookup(table, tokens), text)
        return cross_entropy(y, tf.nn.relu(pooled @ hidden) @ out)

    return step_of(loss_of, [table, hidden, out], tf_keras.optimizers.Adagrad(0.1))


# --- numbers in rows, and what is learned by acting


def nerf() -> Step:
    """Colours of rays, out of points along them."""
    points, width = 32, 128
    start, aside = layers.Input((63,)), layers.Input((27,))
    x = start
    for at in range(6):
        x = dense(x, width, "relu")
        if at == 2:
            x = layers.Concatenate()([start, x])
    thick = dense(x, 1)
    seen = layers.Concatenate()([dense(x, width), aside])
    model = keras.Model([start, aside], [dense(dense(seen, 64, "relu"), 3, "sigmoid"), thick])

    def waves(x: Tensor, count: int) -> Tensor:
        found = [x]
        for at in range(count):
            found += [tf.sin(2.0**at * x), tf.cos(2.0**at * x)]
        return tf.concat(found, axis=-1)

    def loss_of(origin: Tensor, direction: Tensor, colour: Tensor) -> Tensor:
        rays = tf.shape(origin)[0]
        ends = np.linspace(2.0, 6.0, points, dtype=np.float32)
        far = ends + tf.random.uniform([rays, points]) * (4.0 / points)
        where = origin[:, None] + direction[:, None] * far[..., None]
        unit = tf.math.l2_normalize(direction, axis=-1)
        aside = tf.broadcast_to(unit[:, None], tf.shape(where))
        entered = waves(tf.reshape(where, [-1, 3]), 10), waves(tf.reshape(aside, [-1, 3]), 4)
        shade, thick = model(entered, training=True)
        shade = tf.reshape(shade, [-1, points, 3])
        thick = tf.nn.relu(tf.reshape(thick, [-1, points]))
        apart = tf.concat([far[:, 1:] - far[:, :-1], tf.fill([rays, 1], 1e10)], axis=1)
        solid = 1 - tf.exp(-thick * apart)
        share = solid * tf.math.cumprod(1 - solid + 1e-10, axis=1, exclusive=True)
        found = tf.reduce_sum(share[..., None] * shade, axis=1)
        return tf.reduce_mean(tf.square(found - colour))

    rate = keras.optimizers.schedules.ExponentialDecay(5e-4, 250_000, 0.1)
    return step_of(loss_of, model.trainable_variables, keras.optimizers.Adam(rate))


def ppo() -> Step:
    """A clipped step of a policy and of the value of what it sees."""
    start = layers.Input((84, 84, 4))
    x = layers.Rescaling(1 / 255)(start)
    for filters, kernel, stride in ((32, 8, 4), (64, 4, 2), (64, 3, 1)):
        x = layers.Conv2D(filters, kernel, stride, activation="relu")(x)
    x = dense(layers.Flatten()(x), 256, "relu")
    model = keras.Model(start, [dense(x, 6), dense(x, 1)])

    def loss_of(seen: Tensor, done: Tensor, before: Tensor, gain: Tensor, back: Tensor) -> Tensor:
        logits, value = model(seen, training=True)
        every = tf.nn.log_softmax(logits)
        now = tf.reduce_sum(tf.one_hot(done, 6) * every, axis=1)
        mean, variance = tf.nn.moments(gain, [0])
        gain = (gain - mean) / (tf.sqrt(variance) + 1e-8)
        ratio = tf.exp(now - before)
        surrogate = tf.minimum(ratio * gain, tf.clip_by_value(ratio, 0.8, 1.2) * gain)
        entropy = -tf.reduce_sum(tf.exp(every) * every, axis=1)
        wrong = tf.reduce_mean(tf.square(back - value[:, 0]))
        return 0.5 * wrong - tf.reduce_mean(surrogate) - 0.01 * tf.reduce_mean(entropy)

    optimizer = keras.optimizers.Adam(2.5e-4, epsilon=1e-5)
    return step_of(loss_of, model.trainable_variables, optimizer, clip=0.5)


# --- TensorFlow 1


def tf1_resnet() -> tuple[str, ...]:
    """Batch norm whose averages are updated beside the training op."""
    v1.get_variable_scope().set_use_resource(False)
    x, y = v1.placeholder(tf.float32, [None, 32, 32, 3], "x"), v1.placeholder(tf.int32, [None], "y")

    def variable(name: str, shape: list[int], value: float, *, is_trained: bool = True) -> Any:
        start = v1.constant_initializer(value)
        return v1.get_variable(name, shape, initializer=start, trainable=is_trained)

    def conv(x: Tensor, filters: int, kernel: int, stride: int, name: str) -> Tensor:
        with v1.variable_scope(name):
            shape = [kernel, kernel, x.shape[-1], filters]
            x = tf.nn.conv2d(x, v1.get_variable("kernel", shape), stride, "SAME")
            scale, shift = variable("gamma", [filters], 1.0), variable("beta", [filters], 0.0)
            found, *now = v1.nn.fused_batch_norm(x, scale, shift, epsilon=1e-3)
            for at, (which, start) in enumerate((("mean", 0.0), ("variance", 1.0))):
                kept = variable(f"moving_{which}", [filters], start, is_trained=False)
                change = v1.assign_sub(kept, (kept - now[at]) * 0.01)
                v1.add_to_collection(v1.GraphKeys.UPDATE_OPS, change)
        return found

    kept = tf.nn.relu(conv(x, 16, 3, 1, "entry"))
    for at, (filters, stride) in enumerate(((16, 1), (32, 2), (64, 2))):
        past = conv(kept, filters, 1, stride, f"past_{at}") if stride > 1 else kept
        inside = tf.nn.relu(conv(kept, filters, 3, stride, f"first_{at}"))
        kept = tf.nn.relu(past + conv(inside, filters, 3, 1, f"second_{at}"))
    pooled = tf.reduce_mean(kept, axis=[1, 2])
    logits = pooled @ v1.get_variable("weights", [64, 10]) + variable("bias", [10], 0.0)
    decay = tf.add_n(
        [tf.nn.l2_loss(one) for one in v1.trainable_variables() if "kernel" in one.name]
    )
    loss = tf.add(cross_entropy(y, logits), 2e-4 * decay, name="loss")
    counted = v1.train.get_or_create_global_step()
    rate = v1.train.piecewise_constant(counted, [40_000, 60_000], [0.1, 0.01, 0.001])
    with tf.control_dependencies(v1.get_collection(v1.GraphKeys.UPDATE_OPS)):
        v1.train.MomentumOptimizer(rate, 0.9).minimize(loss, counted, name="train")
    return "loss:0", "train"


class OldLstm:
    """A cell of the old kind, whose state is of two parts."""

    def __init__(self, name: str, size: int) -> None:
        self.name, self.output_size, self.state_size = name, size, (size, size)

    def __call__(self, x: Tensor, state: Any) -> tuple[Tensor, Any]:
        cell, hidden = state
        with v1.variable_scope(self.name, reuse=v1.AUTO_REUSE):
            both = tf.concat([x, hidden], axis=1)
            kernel = v1.get_variable("kernel", [both.shape[-1], 4 * self.output_size])
            bias = v1.get_variable("bias", [4 * self.output_size])
            entry, new, forget, out = tf.split(tf.nn.bias_add(both @ kernel, bias), 4, axis=1)
        cell = cell * tf.sigmoid(forget + 1.0) + tf.sigmoid(entry) * tf.tanh(new)
        hidden = tf.tanh(cell) * tf.sigmoid(out)
        return hidden, (cell, hidden)


def tf1_static_lstm() -> tuple[str, ...]:
    """A language model of old: no loop, every step of the time has ops of its own."""
    v1.get_variable_scope().set_use_resource(False)
    words, size, length = 2000, 160, 20
    x, y = (v1.placeholder(tf.int32, [None, length], name) for name in ("x", "y"))
    table = v1.get_variable("table", [words, size])
    steps = tf.unstack(tf.nn.dropout(tf.nn.embedding_lookup(table, x), 0.2), axis=1)
    zeros = tf.zeros([tf.shape(x)[0], size])
    for at in range(2):
        cell, state = OldLstm(f"cell_{at}", size), (zeros, zeros)
        found = []
        for one in steps:
            output, state = cell(one, state)
            found.append(tf.nn.dropout(output, 0.2))
        steps = found
    flat = tf.reshape(tf.stack(steps, axis=1), [-1, size])
    logits = v1.nn.xw_plus_b(
        flat, v1.get_variable("weights", [size, words]), v1.get_variable("bias", [words])
    )
    loss = tf.identity(cross_entropy(tf.reshape(y, [-1]), logits) * length, name="loss")
    variables = v1.trainable_variables()
    gradients, _ = tf.clip_by_global_norm(tf.gradients(loss, variables), 5.0)
    optimizer = v1.train.GradientDescentOptimizer(1.0)
    optimizer.apply_gradients(zip(gradients, variables, strict=True), name="train")
    return "loss:0", "train"


def tf1_word2vec() -> tuple[str, ...]:
    """Words by their neighbours, against some that are drawn."""
    v1.get_variable_scope().set_use_resource(False)
    words, width = 20_000, 128
    centre = v1.placeholder(tf.int32, [None], "centre")
    around = v1.placeholder(tf.int32, [None, 1], "around")
    table = v1.get_variable("table", [words, width])
    out, bias = v1.get_variable("out", [words, width]), v1.get_variable("bias", [words])
    rows = tf.nn.embedding_lookup(table, centre)
    each = v1.nn.nce_loss(out, bias, around, rows, 512, words)
    loss = tf.reduce_mean(each, name="loss")
    v1.train.GradientDescentOptimizer(1.0).minimize(loss, name="train")
    return "loss:0", "train"


MODELS = {
    "resnext": Model(resnext, {"x": image(48), "y": ids(40)}),
    "efficient_drop": Model(efficient_drop, {"x": image(56), "y": ids(100)}),
    "super_resolution": Model(super_resolution, {"small": image(32), "large": image(64)}),
    "simclr": Model(simclr, {"x": image(40)}),
    "fitted_heads": Model(fitted_heads, {"x": image(48), "kind": ids(12), "age": Input((1,))}),
    "voxel_net": Model(voxel_net, {"x": Input((16, 32, 32, 1)), "labels": ids(3, 16, 32, 32)}),
    "audio_stft": Model(audio_stft, {"wave": Input((16_000,)), "y": ids(35)}),
    "t5_like": Model(
        t5_like,
        {"source": ids(1500, 40), "target": ids(1500, 24), "following": ids(1500, 24)},
    ),
    "recomputed": Model(recomputed, {"x": Input((64, 32)), "y": ids(20)}),
    "experts": Model(experts, {"tokens": ids(2000, 48), "y": ids(30)}),
    "stacked_rnn": Model(stacked_rnn, {"past": Input((96, 8)), "following": Input((24,))}),
    "bilstm_crf": Model(bilstm_crf, {"tokens": ids(4000, 36), "y": ids(9, 36)}),
    "seq2seq_attention": Model(
        seq2seq_attention,
        {"source": ids(1200, 30), "target": ids(1200, 20), "following": ids(1200, 20)},
    ),
    "deepfm": Model(deepfm, {"categories": ids(30_000, 20), "clicked": Input()}),
    "fast_text": Model(fast_text, {"tokens": Input((), 40_000, each=120), "y": ids(50)}),
    "nerf": Model(
        nerf,
        {name: Input((3,), each=16) for name in ("origin", "direction", "colour")},
    ),
    "ppo": Model(
        ppo,
        {
            "seen": image(84, 4),
            "done": ids(6),
            "before": Input(),
            "gain": Input(),
            "back": Input(),
        },
    ),
    "tf1_resnet": Model(tf1_resnet, {"x": image(32), "y": ids(10)}, is_tf1=True),
    "tf1_static_lstm": Model(
        tf1_static_lstm, {"x": ids(2000, 20), "y": ids(2000, 20)}, is_tf1=True
    ),
    "tf1_word2vec": Model(
        tf1_word2vec,
        {"centre": Input((), 20_000, each=32), "around": Input((1,), 20_000, each=32)},
        is_tf1=True,
    ),
}
