"""Shapes of freshly traced Keras models, forward and training, against TensorFlow's inference."""

import keras
import pytest
from keras import layers
from keras_oracle import differ_in_a_run, exported, forward, tally, training

from tfprof.analyses.cost.op_costs import op_costs
from tfprof.model.dims import Dim, symbol

B, S = symbol("B"), symbol("S")
BATCH, OPEN = 3, 7
LENGTH, WIDTH, HEADS, WORDS = 12, 16, 2, 50


def known_in_full(function):
    """The exported graph, with every shape found and as TensorFlow has it, and all work counted."""
    made = exported(function)
    found = tally(made.data)
    assert found.tensors
    assert found.without_rule == []
    assert found.differ == []
    assert found.open == []
    costs = op_costs(made.data)
    assert costs.uncounted == []
    return made, costs


def macs(function):
    return op_costs(exported(function).data).total.macs


# --- keras.applications


@pytest.mark.parametrize("name", ["MobileNetV3Small", "DenseNet121", "ConvNeXtTiny"])
def test_forward_of_an_application(name):
    model = getattr(keras.applications, name)(weights=None)
    known_in_full(forward(model))


def test_training_of_an_application():
    """Height and width are open, too; they are large enough that no tensor has one of size 1."""
    model = keras.applications.MobileNetV3Small(weights=None)
    made, _ = known_in_full(training(model))
    assert differ_in_a_run(made, {"B": BATCH, "H": 67, "W": 101}) == []


# --- layers


def block(x, *, causal):
    attended = layers.MultiHeadAttention(HEADS, WIDTH // HEADS, dropout=0.1)(
        x, x, use_causal_mask=causal
    )
    x = layers.LayerNormalization(epsilon=1e-6)(x + layers.Dropout(0.1)(attended))
    inner = layers.Dense(4 * WIDTH, activation="gelu")(x)
    return layers.LayerNormalization()(x + layers.Dense(WIDTH)(inner))


class Embedded(layers.Layer):
    """Words and their places, for any length."""

    def __init__(self):
        super().__init__()
        self.words, self.places = layers.Embedding(WORDS, WIDTH), layers.Embedding(64, WIDTH)

    def call(self, ids):
        return self.words(ids) + self.places(keras.ops.arange(keras.ops.shape(ids)[1]))


def bert(length=LENGTH):
    """A block that looks both ways, and a class from the first word."""
    ids = keras.Input((length,), dtype="int32")
    x = block(Embedded()(ids), causal=False)
    return keras.Model(ids, layers.Dense(3)(layers.Dense(WIDTH, activation="tanh")(x[:, 0])))


def gpt(length=LENGTH):
    """A block that looks back only, and the next word for each."""
    ids = keras.Input((length,), dtype="int32")
    x = block(Embedded()(ids), causal=True)
    return keras.Model(ids, layers.Dense(WORDS)(x))


def chain(shape, *made):
    return keras.Sequential([keras.Input(shape), *made])


def attention(kind):
    query, value = keras.Input((LENGTH, WIDTH)), keras.Input((5, WIDTH))
    return keras.Model([query, value], layers.Dense(2)(kind()([query, value])))


def masked():
    ids = keras.Input((LENGTH,), dtype="int32")
    x = layers.Embedding(WORDS, WIDTH, mask_zero=True)(ids)
    return keras.Model(ids, layers.Dense(2)(layers.LSTM(8)(x)))


MODELS = {
    "bert": bert,
    "gpt2": gpt,
    "lstm": lambda: chain((20, 6), layers.LSTM(8, return_sequences=True), layers.LSTM(4)),
    "masked lstm": masked,
    "gru": lambda: chain((20, 6), layers.GRU(8)),
    "bidirectional gru": lambda: chain(
        (20, 6), layers.Bidirectional(layers.GRU(8, return_sequences=True)), layers.Dense(2)
    ),
    "conv3d": lambda: chain(
        (9, 10, 11, 2),
        layers.Conv3D(4, 3, activation="relu"),
        layers.BatchNormalization(),
        layers.MaxPooling3D(2),
        layers.Conv3D(3, 2, strides=2, padding="same"),
        layers.GlobalAveragePooling3D(),
    ),
    "conv2d transpose": lambda: chain(
        (7, 9, 3),
        layers.Conv2DTranspose(4, 3, strides=2, padding="same", activation="relu"),
        layers.Conv2DTranspose(2, 4, strides=3, padding="valid"),
    ),
    "separable conv2d": lambda: chain(
        (15, 17, 3),
        layers.SeparableConv2D(8, 3, depth_multiplier=2, strides=2, padding="same"),
        layers.DepthwiseConv2D(3),
        layers.AveragePooling2D(2),
        layers.Flatten(),
        layers.Dense(2),
    ),
    "attention": lambda: attention(layers.Attention),
    "additive attention": lambda: attention(layers.AdditiveAttention),
    "conv1d": lambda: chain(
        (30, 4),
        layers.Conv1D(8, 5, dilation_rate=2, padding="causal"),
        layers.MaxPooling1D(3),
        layers.GroupNormalization(4),
        layers.UpSampling1D(2),
        layers.GlobalMaxPooling1D(),
    ),
}

# where the batch is open Keras makes zeros like the output of a step: so it computes one
ONE_STEP_MORE = {"masked lstm": (WIDTH + 8) * 4 * 8}


@pytest.mark.parametrize("kind", [forward, training], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("name", MODELS)
def test_small_model(name, kind):
    model = MODELS[name]()
    made, costs = known_in_full(kind(model))
    more = BATCH * ONE_STEP_MORE.get(name, 0)
    assert costs.total.macs.at({"B": BATCH}) == macs(kind(model, batch=BATCH)) + more
    assert differ_in_a_run(made, {"B": BATCH}) == []


# --- lengths that are open


@pytest.mark.parametrize("kind", [forward, training], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("build", [bert, gpt])
def test_open_length_of_a_transformer_is_a_square(build, kind):
    model = build(length=None)
    made, costs = known_in_full(kind(model))
    total = costs.total.macs
    assert isinstance(total, Dim)
    assert total.symbols() == {"B", "S"}
    assert powers(total, "S") == ({1, 2} if build is gpt else {0, 1, 2})
    assert powers(total, "B") == {1}
    sizes = {"B": BATCH, "S": OPEN}
    assert total.at(sizes) == macs(kind(model, batch=BATCH, open=OPEN))
    assert differ_in_a_run(made, sizes) == []


def test_attention_scores_are_the_square():
    """Both contractions; all else goes with the length."""
    total = macs(forward(gpt(length=None)))
    squares = B * S * S * (2 * WIDTH)
    projections = B * S * (4 * WIDTH * WIDTH + 2 * 4 * WIDTH * WIDTH)
    assert total == squares + projections + B * S * (WIDTH * WORDS)


@pytest.mark.parametrize("kind", [forward, training], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("layer", [layers.LSTM, layers.GRU])
def test_open_length_of_a_recurrent_layer_is_how_often_it_runs(layer, kind):
    model = chain((None, 6), layer(8))
    made, costs = known_in_full(kind(model))
    assert costs.symbols == ["B", "S"]
    sizes = {"B": BATCH, "S": OPEN}
    assert costs.total.macs.at(sizes) == macs(kind(model, batch=BATCH, open=OPEN))
    assert differ_in_a_run(made, sizes) == []


def powers(size, name):
    """The powers a symbol has in the terms of a formula."""
    return {dict(monomial).get(name, 0) for monomial in size.terms}
