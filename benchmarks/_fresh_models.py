"""Eight small models more: those that came last, and that nothing was looked at with.

They were compared with no estimate until its margins stood. The form is that of `_wild_models.py`.
"""

from __future__ import annotations

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
import tensorflow as tf
import tf_keras
from keras import layers


def gated_columns() -> Step:
    """Columns of a table, of which each step attends to some."""
    start = layers.Input((40,))
    features, sums = layers.BatchNormalization()(start), []
    mask = None
    for _ in range(3):
        seen = features if mask is None else layers.Multiply()([features, mask])
        x = layers.BatchNormalization()(dense(seen, 96))
        x = layers.Multiply()([dense(x, 64), dense(x, 64, "sigmoid")])
        sums.append(layers.ReLU()(x))
        mask = layers.Softmax()(dense(x, 40))
    return classified(keras.Model(start, dense(layers.Add()(sums), 7)), keras.optimizers.Adam())


def squeezed() -> Step:
    """Few channels, then many of one pixel and of nine."""

    def fire(x: Tensor, few: int, many: int) -> Tensor:
        x = layers.Conv2D(few, 1, activation="relu")(x)
        one = layers.Conv2D(many, 1, activation="relu")(x)
        nine = layers.Conv2D(many, 3, padding="same", activation="relu")(x)
        return layers.Concatenate()([one, nine])

    start = layers.Input((40, 40, 3))
    x = layers.MaxPooling2D()(layers.Conv2D(24, 3, activation="relu")(start))
    x = layers.MaxPooling2D()(fire(fire(x, 8, 24), 8, 24))
    x = fire(fire(x, 12, 40), 12, 40)
    x = layers.GlobalAveragePooling2D()(layers.Conv2D(10, 1)(x))
    return classified(keras.Model(start, x), keras.optimizers.SGD(0.02, 0.9, nesterov=True))


def same_question() -> Step:
    """Two sentences through one reader, and how far apart they end."""
    tokens = layers.Input((22,), dtype="int32")
    x = layers.LSTM(56)(layers.Embedding(1500, 40)(tokens))
    reader = keras.Model(tokens, dense(x, 24))

    def loss_of(one: Tensor, other: Tensor, same: Tensor) -> Tensor:
        apart = reader(one, training=True) - reader(other, training=True)
        far = tf.sqrt(tf.reduce_sum(tf.square(apart), axis=-1) + 1e-6)
        return tf.reduce_mean(same * far**2 + (1.0 - same) * tf.nn.relu(1.0 - far) ** 2)

    return step_of(loss_of, reader.trainable_variables, keras.optimizers.Adam(), 1.0)


def kernel_attention() -> Step:
    """Attention without a table of all pairs: sums over keys are made once."""
    width, heads = 48, 4
    table, out = weight(900, width), weight(width, 900)
    made = [[weight(width, width) for _ in range(4)] for _ in range(3)]

    def split(x: Tensor) -> Tensor:
        return tf.reshape(x, [tf.shape(x)[0], -1, heads, width // heads])

    def loss_of(tokens: Tensor) -> Tensor:
        x = tf.gather(table, tokens[:, :-1])
        for query, key, value, back in made:
            asked, known = (tf.nn.elu(split(x @ one)) + 1.0 for one in (query, key))
            summed = tf.einsum("bthd,bthe->bhde", known, split(x @ value))
            total = tf.einsum("bthd,bhd->bth", asked, tf.reduce_sum(known, axis=1))
            found = tf.einsum("bthd,bhde->bthe", asked, summed) / (total[..., None] + 1e-6)
            x += tf.reshape(found, tf.shape(x)) @ back
        return cross_entropy(tokens[:, 1:], x @ out)

    variables = [table, out, *(one for row in made for one in row)]
    return step_of(loss_of, variables, tf_keras.optimizers.Adam())


def made_weights() -> Step:
    """A small network makes the weights of another, for each sample its own."""
    start = layers.Input((12,))
    maker = keras.Model(start, dense(dense(start, 64, "relu"), 16 * 32 + 32 * 4))

    def loss_of(about: Tensor, x: Tensor, y: Tensor) -> Tensor:
        flat = maker(about, training=True)
        first = tf.reshape(flat[:, : 16 * 32], [-1, 16, 32])
        last = tf.reshape(flat[:, 16 * 32 :], [-1, 32, 4])
        hidden = tf.nn.relu(tf.einsum("bni,bio->bno", x, first))
        return tf.reduce_mean(tf.square(tf.einsum("bno,boc->bnc", hidden, last) - y))

    return step_of(loss_of, maker.trainable_variables, keras.optimizers.RMSprop())


def liked_more() -> Step:
    """Of two things a person likes one more: rows of two tables, and a bias each."""
    people, things, bias = weight(6_000, 32), weight(4_000, 32), weight(4_000, 1)

    def loss_of(person: Tensor, more: Tensor, less: Tensor) -> Tensor:
        who = tf.nn.embedding_lookup(people, person)

        def liked(thing: Tensor) -> Tensor:
            rows = tf.nn.embedding_lookup(things, thing)
            return tf.reduce_sum(who * rows, -1) + tf.nn.embedding_lookup(bias, thing)[..., 0]

        return -tf.reduce_mean(tf.math.log_sigmoid(liked(more) - liked(less)))

    return step_of(loss_of, [people, things, bias], tf_keras.optimizers.SGD(0.05))


def leaky_units() -> Step:
    """Units that fill, fire and leak, over some moments of time."""
    inward, around, outward = weight(50, 72), weight(72, 72), weight(72, 5)

    def loss_of(x: Tensor, y: Tensor) -> Tensor:
        moments = 24
        by_time = tf.transpose(x, [1, 0, 2])
        zeros = tf.zeros([tf.shape(x)[0], 72])

        def moment(at: Tensor, filled: Tensor, fired: Tensor, summed: Tensor) -> list[Tensor]:
            filled = 0.9 * filled + by_time[at] @ inward + fired @ around
            fired = tf.sigmoid(4.0 * (filled - 1.0))
            return [at + 1, filled - fired, fired, summed + fired @ outward]

        start = [tf.constant(0), zeros, zeros, tf.zeros([tf.shape(x)[0], 5])]
        found = tf.while_loop(
            lambda at, *_: at < moments, moment, start, maximum_iterations=moments
        )
        return cross_entropy(y, found[-1] / moments)

    return step_of(loss_of, [inward, around, outward], tf_keras.optimizers.Adam())


def tf1_denoised() -> tuple[str, ...]:
    """A picture with noise, and without it again."""
    x = v1.placeholder(tf.float32, [None, 36, 36, 1], "x")
    flow = x + 0.1 * tf.random.normal(tf.shape(x))
    for number, (width, channels) in enumerate(((1, 16), (16, 24), (24, 16))):
        kernel = v1.get_variable(f"kernel_{number}", [3, 3, width, channels])
        bias = v1.get_variable(f"bias_{number}", [channels], initializer=v1.zeros_initializer())
        flow = tf.nn.leaky_relu(tf.nn.bias_add(tf.nn.conv2d(flow, kernel, 1, "SAME"), bias))
    last = v1.get_variable("last", [3, 3, 16, 1])
    loss = tf.reduce_mean(tf.square(tf.nn.conv2d(flow, last, 1, "SAME") - x), name="loss")
    v1.train.MomentumOptimizer(0.01, 0.9).minimize(loss, name="train")
    return loss.name, "train"


MODELS = {
    "gated_columns": Model(gated_columns, {"x": Input((40,)), "y": ids(7)}),
    "squeezed": Model(squeezed, {"x": image(40), "y": ids(10)}),
    "same_question": Model(
        same_question, {"one": ids(1500, 22), "other": ids(1500, 22), "same": Input()}
    ),
    "kernel_attention": Model(kernel_attention, {"tokens": ids(900, 49)}),
    "made_weights": Model(
        made_weights, {"about": Input((12,)), "x": Input((64, 16)), "y": Input((64, 4))}
    ),
    "liked_more": Model(liked_more, {"person": ids(6_000), "more": ids(4_000), "less": ids(4_000)}),
    "leaky_units": Model(leaky_units, {"x": Input((24, 50)), "y": ids(5)}),
    "tf1_denoised": Model(tf1_denoised, {"x": image(36, 1)}, is_tf1=True),
}
