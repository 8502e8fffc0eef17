"""Costs of Keras models from their files: Keras' own shapes and parameters, MACs by hand."""

import json
import math
import zipfile

import keras
import numpy as np
import pytest
from keras.src.applications import convnext
from keras_models import ATTENTION, LAYERS, OPERATIONS, PAIRS, encoder, one_layer

from tfprof.analyses.keras.keras_costs import keras_costs
from tfprof.keras_layers.rule import layer_rules
from tfprof.model.dims import at, symbol
from tfprof.model.keras_model import Ref
from tfprof.sources.keras.calls import calls_of, tensors_in
from tfprof.sources.keras.file import read_h5, read_keras

L = keras.layers
ops = keras.ops
B, S = symbol("B"), symbol("S")
SIZES = {"B": 3, "S": 8, "S2": 8, "H": 12, "W": 12, "D": 6}


def written(model, path):
    """The model as a file without weights."""
    config = json.dumps(keras.saving.serialize_keras_object(model))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("config.json", config)
        archive.writestr("metadata.json", json.dumps({"keras_version": keras.__version__}))
    return read_keras(path, 0, None).keras


def costs(model, tmp_path):
    return keras_costs(written(model, tmp_path / "model.keras"))


def counted(weights):
    return sum(math.prod(weight.shape) for weight in weights)


def check(model, tmp_path):
    """Shapes of all outputs at some sizes, and parameters, are those that Keras gives."""
    model.save(tmp_path / "model.keras")
    read = read_keras(tmp_path / "model.keras", 0, None).keras
    found = keras_costs(read)
    assert [call.reason for call in found.calls] == [""] * len(found.calls)
    assert found.differs == ()
    assert found == costs(model, tmp_path)
    assert found.total("trainable").value == counted(model.trainable_weights)
    assert found.total("non_trainable").value == counted(model.non_trainable_weights)
    data = [
        np.zeros(
            [SIZES["B"] if not axis else size or _open(tensor.shape, axis)
             for axis, size in enumerate(tensor.shape)],
            tensor.dtype,
        )
        for tensor in model.inputs
    ]  # fmt: skip
    wanted = keras.tree.flatten(model(data[0] if len(data) == 1 else data))
    given = [found.calls[ref.call].outputs[ref.output] for ref in read.flow.outputs]
    assert [tuple(at(size, SIZES) for size in shape) for shape in given] == [
        tuple(one.shape) for one in wanted
    ]
    return found


def _open(shape, axis):
    letters = {2: "S", 3: "SC", 4: "HWC", 5: "DHWC"}[len(shape)]
    return SIZES[letters[axis - 1]]


@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_has_the_shape_and_parameters_of_keras(name, tmp_path):
    shape, layer, *dtype = LAYERS[name]
    model = one_layer(layer(), shape, *dtype)
    found = check(model, tmp_path)
    assert found.calls[-1].class_name == name.partition(",")[0]
    # not of whatever layer comes first
    assert found.calls[-1].activation_bytes is not None


@pytest.mark.parametrize("name", PAIRS)
def test_a_layer_of_two_tensors(name, tmp_path):
    one, other = keras.Input((6, 4)), keras.Input((6, 4))
    found = check(keras.Model([one, other], PAIRS[name]()([one, other])), tmp_path)
    assert found.calls[-1].class_name == name.partition(",")[0]


@pytest.mark.parametrize("name", ATTENTION)
def test_attention(name, tmp_path):
    one, other = keras.Input((6, 4)), keras.Input((5, 4))
    check(keras.Model([one, other], ATTENTION[name](one, other)), tmp_path)


def test_attention_over_two_axes(tmp_path):
    x = keras.Input((3, 6, 4))
    found = check(keras.Model(x, L.MultiHeadAttention(2, 3, attention_axes=2)(x, x)), tmp_path)
    # projections of 18 places, scores among 6 for each of 3
    assert found.calls[-1].macs == B * (18 * 4 * 4 * 6 + 3 * 2 * 36 * (3 + 3))


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations_between_layers(name, tmp_path):
    x = keras.Input((4, 6))
    check(keras.Model(x, OPERATIONS[name](x)), tmp_path)


def test_open_slices_are_formulas(tmp_path):
    x = keras.Input((None, 6))
    found = check(keras.Model(x, [x[:, 1:], x[:, :-2], x[:, ::2], x[:, -3:]]), tmp_path)
    lengths = [call.outputs[0][1] for call in found.calls[1:]]
    assert lengths == [S - 1, S - 2, (S + 1) // 2, 3]


MACS = {
    "Dense": ((None, 5), lambda: L.Dense(7), B * S * 35),
    "Conv2D": ((8, 8, 4), lambda: L.Conv2D(6, 3, groups=2), B * (36 * 6 * 9 * 2)),
    "DepthwiseConv2D": ((8, 8, 4), lambda: L.DepthwiseConv2D(3), B * (36 * 4 * 9)),
    "SeparableConv2D": (
        (8, 8, 4), lambda: L.SeparableConv2D(5, 3), B * (36 * 4 * 9 + 36 * 4 * 5),
    ),
    "Conv2DTranspose": ((8, 8, 4), lambda: L.Conv2DTranspose(5, 3), B * (64 * 4 * 9 * 5)),
    "LSTM": ((10, 5), lambda: L.LSTM(4), B * (10 * 4 * 4 * (5 + 4))),
    "GRU": ((None, 5), lambda: L.GRU(4), B * S * (3 * 4 * (5 + 4))),
    "Bidirectional": ((10, 5), lambda: L.Bidirectional(L.LSTM(4)), B * (2 * 10 * 4 * 4 * 9)),
    "TimeDistributed": ((6, 9), lambda: L.TimeDistributed(L.Dense(3)), B * (6 * 27)),
    "ConvLSTM2D": ((6, 9, 9, 2), lambda: L.ConvLSTM2D(3, 3), B * (6 * 49 * 12 * 9 * 5)),
    "EinsumDense": ((4, 6), lambda: L.EinsumDense("abc,cd->abd", (None, 9)), B * (4 * 6 * 9)),
    "Embedding": ((7,), lambda: L.Embedding(11, 6), 0),
    "MaxPooling2D": ((8, 8, 4), L.MaxPooling2D, 0),
}  # fmt: skip


@pytest.mark.parametrize("name", MACS)
def test_macs_by_hand(name, tmp_path):
    shape, layer, wanted = MACS[name]
    assert costs(one_layer(layer(), shape), tmp_path).total("macs").value == wanted


def test_attention_macs_grow_with_the_square_of_the_length(tmp_path):
    x = keras.Input((None, 12))
    found = costs(keras.Model(x, L.MultiHeadAttention(3, 4)(x, x)), tmp_path)
    assert found.total("macs").value == B * S * (4 * 12 * 12) + B * S * S * (2 * 12)


def test_other_work_by_hand(tmp_path):
    def work(layer, shape):
        return costs(one_layer(layer, shape), tmp_path).total("work").value

    assert work(L.Dense(7, activation="sigmoid"), (5,)) == B * (7 + 4 * 7)
    assert work(L.Dense(7, use_bias=False, activation="softmax"), (5,)) == B * (5 * 7)
    # two for each element, six for each channel
    assert work(L.BatchNormalization(), (5,)) == B * 10 + 30
    # comparisons in a window of four: one less than there are elements
    assert work(L.MaxPooling2D(), (8, 8, 4)) == B * (16 * 3 * 4)
    assert work(L.Flatten(), (8, 8, 4)) == 0


@pytest.mark.parametrize(
    ("policy", "size"), [("float32", 4), ("float16", 2), ("mixed_bfloat16", 2), ("float64", 8)]
)
def test_activation_bytes_follow_the_policy(policy, size, tmp_path):
    found = costs(one_layer(L.Dense(7, dtype=policy), (5,)), tmp_path)
    assert found.calls[-1].activation_bytes == B * (7 * size)
    # inputs are apart
    assert found.total("activation_bytes").value == B * (7 * size)
    assert found.input_bytes.value == B * (5 * 4)


def test_whole_numbers_stay_whole_when_moved(tmp_path):
    found = costs(one_layer(L.Reshape((2, 4)), (8,), "int8"), tmp_path)
    assert found.calls[-1].activation_bytes == B * 8


def test_layers_of_the_applications(tmp_path):
    x = keras.Input((4, 4, 6))
    scaled = convnext.LayerScale(0.5, 6)(x)
    found = check(keras.Model(x, convnext.StochasticDepth(0.1)(scaled)), tmp_path)
    assert found.calls[1].params == 6


def test_a_size_beyond_all_tensors_is_unknown(tmp_path):
    found = costs(one_layer(L.Dense(1, name="d"), (4,)), tmp_path)
    assert found.calls[1].reason == ""
    model = keras_2_model()
    model["config"]["layers"][1]["config"]["units"] = 1 << 70
    assert "no size" in _read(model, tmp_path / "big.keras").calls[1].reason


# --- whole models

APPLICATIONS = {
    "VGG16": 15_470_264_320,
    "ResNet50": 3_857_973_248,
    "ResNet50V2": 3_482_255_360,
    "MobileNetV2": 300_774_272,
    "InceptionV3": 5_713_216_096,
}


@pytest.mark.parametrize("name", APPLICATIONS)
def test_an_application(name, tmp_path):
    model = getattr(keras.applications, name)(weights=None)
    found = costs(model, tmp_path)
    assert [call.reason for call in found.calls if call.reason] == []
    assert found.total("macs").value == B * APPLICATIONS[name]
    assert found.total("trainable").value == counted(model.trainable_weights)
    assert found.total("non_trainable").value == counted(model.non_trainable_weights)
    # each call: its shape is the one that Keras has
    for call in found.calls:
        tensor = model.get_layer(call.layer).output
        assert call.outputs == ((B, *tensor.shape[1:]),)


def test_a_model_like_bert_has_one_length(tmp_path):
    model = encoder()
    found = costs(model, tmp_path)
    assert [call.reason for call in found.calls if call.reason] == []
    assert found.total("params").value == model.count_params()
    layer = B * S * (4 * 16 * 16 + 2 * 16 * 64) + B * S * S * (2 * 16)
    assert found.total("macs").value == layer * 2 + B * 256
    # the other inputs turned out to be as long as the first
    lengths = {call.outputs for call in found.calls if call.class_name == "InputLayer"}
    assert lengths == {((B, S),)}


def test_an_lstm_is_steps_times_one_step(tmp_path):
    def macs(length):
        x = keras.Input((length, 8))
        return costs(keras.Model(x, L.LSTM(16)(x)), tmp_path).total("macs").value

    assert macs(1) == B * (4 * 16 * (8 + 16))
    assert macs(30) == macs(1) * 30
    assert macs(None) == macs(1) * S


def test_two_open_lengths_stay_two(tmp_path):
    one, other = keras.Input((None, 4)), keras.Input((None, 4))
    found = costs(keras.Model([one, other], L.MultiHeadAttention(1, 4)(one, other)), tmp_path)
    assert found.calls[-1].outputs == ((B, S, 4),)
    other_length = symbol("S2")
    assert found.total("macs").value == (
        B * S * 32 + B * other_length * 32 + B * S * other_length * 8
    )


def test_a_shared_layer_is_called_twice_and_counted_once(tmp_path):
    one, other = keras.Input((4,)), keras.Input((4,))
    shared = L.Dense(3, name="shared")
    model = keras.Model([one, other], L.Add()([shared(one), shared(other)]))
    found = costs(model, tmp_path)
    rows = [call for call in found.calls if call.layer == "shared"]
    assert [(row.call, row.params, row.macs) for row in rows] == [(0, 15, B * 12), (1, 15, B * 12)]
    assert found.total("params").value == 15
    assert found.total("macs").value == B * 24


def nested():
    inner = keras.Sequential(
        [keras.Input((4,)), L.Dense(4, name="dense"), L.BatchNormalization(name="bn")], name="inner"
    )
    x, y = keras.Input((4,)), keras.Input((4,))
    pair = keras.Model([x, y], [L.Add()([x, y]), L.Subtract(name="sub")([x, y])], name="pair")
    z = keras.Input((4,))
    left, right = pair([inner(z), inner(L.Dense(4, name="dense")(z))])
    return keras.Model(z, [left, L.Concatenate()([left, right])])


def test_models_inside_models(tmp_path):
    model = nested()
    found = check(model, tmp_path)
    assert [call.layer for call in found.calls if call.class_name == "Dense"] == [
        "dense", "inner/dense", "inner/dense",
    ]  # fmt: skip
    assert found.total("params").value == model.count_params()
    assert found.total("macs").value == B * (3 * 16)
    assert "pair/sub" in {call.layer for call in found.calls}


def test_a_frozen_model_inside(tmp_path):
    model = nested()
    model.get_layer("inner").trainable = False
    found = check(model, tmp_path)
    assert found.total("trainable").value == 20


def test_a_model_called_with_names(tmp_path):
    a, b = keras.Input((3,), name="b"), keras.Input((5,), name="a")
    inner = keras.Model({"b": a, "a": b}, L.Concatenate()([L.Dense(2)(a), L.Dense(2)(b)]))
    x, y = keras.Input((3,)), keras.Input((5,))
    found = check(keras.Model([x, y], inner({"b": x, "a": y})), tmp_path)
    assert found.total("macs").value == B * 16


def test_a_chain_without_an_input_layer_knows_what_it_was_built_for(tmp_path):
    model = keras.Sequential([L.Dense(3), L.Dense(2)])
    assert "shape of the input" in costs(model, tmp_path).total("macs").reason
    model.build((None, 4))
    assert costs(model, tmp_path).total("macs").value == B * 18


def test_stored_weights_agree(tmp_path):
    model = nested()
    model.save(tmp_path / "stored.keras")
    found = keras_costs(read_keras(tmp_path / "stored.keras", 0, None).keras)
    assert found.differs == ()
    assert found.total("params").value == model.count_params()


@pytest.mark.filterwarnings("ignore")
def test_hdf5_leaves_out_the_modules(tmp_path):
    x = keras.Input((4, 6))
    y = ops.reshape(ops.mean(L.Dense(6)(x) + 2.0 * x, axis=1)[:, 1:5], (-1, 2, 2))
    model = keras.Model(x, L.Add()([y, L.Reshape((2, 2))(y)]))
    model.save(tmp_path / "model.h5")
    found = keras_costs(read_h5(tmp_path / "model.h5", 0, None).keras)
    assert [call.reason for call in found.calls if call.reason] == []
    assert found.total("macs").value == B * (4 * 36)
    assert (found.calls[-1].outputs, found.differs) == (((B, 2, 2),), ())


def test_stored_weights_that_differ_are_reported(tmp_path):
    small, large = (
        keras.Sequential([keras.Input((4,)), L.Dense(units, name="dense")]) for units in (3, 5)
    )
    small.save(tmp_path / "small.keras")
    large.save(tmp_path / "large.keras")
    with zipfile.ZipFile(tmp_path / "mixed.keras", "w") as mixed:
        for name, parts in (
            ("small", ["config.json", "metadata.json"]),
            ("large", ["model.weights.h5"]),
        ):
            with zipfile.ZipFile(tmp_path / f"{name}.keras") as archive:
                for part in parts:
                    mixed.writestr(part, archive.read(part))
    found = keras_costs(read_keras(tmp_path / "mixed.keras", 0, None).keras)
    assert found.differs == ("dense: 25 weights are stored, its config asks for 15",)


# --- what is not known


@keras.saving.register_keras_serializable("tests")
class Dense(L.Layer):
    """A layer of our own with a name of Keras."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.kernel = self.add_weight(shape=(4, 4))

    def call(self, x):
        return x @ self.kernel


def with_a_strange_layer():
    x = keras.Input((4,))
    y = L.Dense(4, name="before")(x)
    y = Dense(name="strange")(y)
    y = L.Dense(2, name="after")(y)
    return keras.Model(x, L.Dense(1, name="last")(y))


def test_a_class_we_do_not_know_is_named_and_so_is_the_cause_of_what_follows(tmp_path):
    found = costs(with_a_strange_layer(), tmp_path)
    rows = {call.layer: call for call in found.calls}
    assert rows["before"].macs == B * 16
    assert rows["strange"].reason == "Unknown layer class Dense"
    assert (rows["strange"].macs, rows["strange"].params, rows["strange"].outputs) == (None,) * 3
    for name in ("after", "last"):
        assert rows[name].reason == "after strange: Unknown layer class Dense"
        assert (rows[name].macs, rows[name].outputs, rows[name].activation_bytes) == (None,) * 3
    # what they were built for is in the file
    assert [rows[name].params for name in ("after", "last")] == [10, 3]
    total = found.total("macs")
    assert (total.value, total.known, total.missing) == (None, B * 16, 3)
    assert total.reason == "Unknown layer class Dense"
    assert found.unknown_classes == ("Dense",)


def test_stored_weights_stand_in_for_a_class_we_do_not_know(tmp_path):
    model = with_a_strange_layer()
    model.save(tmp_path / "stored.keras")
    found = keras_costs(read_keras(tmp_path / "stored.keras", 0, None).keras)
    assert found.total("params").value == model.count_params()
    assert found.total("macs").value is None


def test_a_lambda_is_not_known(tmp_path):
    x = keras.Input((4,))
    found = costs(keras.Model(x, L.Lambda(lambda t: t, name="mine")(x)), tmp_path)
    assert found.unknown_classes == ("Lambda",)


def test_an_unknown_activation_leaves_the_rest(tmp_path):
    keras.saving.get_custom_objects()["tests>odd"] = odd = lambda t: t * t
    odd.__name__ = "odd"
    found = costs(one_layer(L.Dense(3, activation=odd), (4,)), tmp_path)
    row = found.calls[-1]
    assert (row.macs, row.params, row.work) == (B * 12, 15, None)
    assert row.reason.startswith("Unknown activation ")


# --- Keras 2 and damaged files


def _entry(class_name, inbound=(), **config):
    return {
        "class_name": class_name,
        "config": config,
        "name": config["name"],
        "inbound_nodes": list(inbound),
    }


def keras_2_model():
    return {
        "class_name": "Functional",
        "config": {
            "name": "model",
            "layers": [
                _entry("InputLayer", name="in", batch_input_shape=[None, 4], dtype="float32"),
                _entry("Dense", [[["in", 0, 0, {}]], [["dense", 0, 0, {}]]], name="dense", units=4),
                _entry("Add", [[["dense", 0, 0, {}], ["dense", 1, 0, {}]]], name="add"),
                _entry(
                    "MultiHeadAttention",
                    [[["wide", 0, 0, {"value": ["wide", 0, 0]}]]],
                    name="attention", num_heads=1, key_dim=2,
                ),
                _entry("RepeatVector", [[["add", 0, 0, {}]]], name="wide", n=3),
            ],
            "input_layers": [["in", 0, 0]],
            "output_layers": [["attention", 0, 0]],
        },
    }  # fmt: skip


def _read(config, path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("config.json", json.dumps(config))
    return keras_costs(read_keras(path, 0, None).keras)


def test_the_lists_of_keras_2(tmp_path):
    found = _read(keras_2_model(), tmp_path / "two.keras")
    assert [(call.layer, call.call) for call in found.calls] == [
        ("in", 0), ("dense", 0), ("dense", 1), ("add", 0), ("wide", 0), ("attention", 0),
    ]  # fmt: skip
    assert [call.reason for call in found.calls] == [""] * 6
    assert found.calls[-1].outputs == ((B, 3, 4),)
    assert found.total("params").value == 20 + 3 * (4 * 2 + 2) + 2 * 4 + 4
    assert found.calls[2].macs == B * 16


def test_operations_of_keras_2(tmp_path):
    model = keras_2_model()
    layers = model["config"]["layers"]
    layers[2] = _entry(
        "TFOpLambda", [["dense", 0, 0, {"y": ["dense", 1, 0]}]], name="add", function="math.add"
    )
    found = _read(model, tmp_path / "two.keras")
    assert [call.reason for call in found.calls] == [""] * 6
    assert (found.calls[3].work, found.calls[3].outputs) == (B * 4, ((B, 4),))
    layers[2]["config"]["function"] = "math.strange"
    assert _read(model, tmp_path / "two.keras").calls[3].reason == "Unknown operation math.strange"


def test_models_of_keras_2_count_their_first_call(tmp_path):
    """A functional model called twice: nodes 1 and 2, as node 0 is that of its making."""
    inner = keras_2_model()
    inner["config"]["name"] = inner["name"] = "inner"
    inner["config"]["output_layers"] = [["add", 0, 0]]
    inner["config"]["layers"] = inner["config"]["layers"][:3]
    inner["inbound_nodes"] = [[["in", 0, 0, {}]], [["inner", 1, 0, {}]]]
    outer = {
        "class_name": "Functional",
        "config": {
            "name": "outer",
            "layers": [_entry("InputLayer", name="in", batch_input_shape=[None, 4]), inner,
                       _entry("Activation", [[["inner", 2, 0, {}]]], name="a", activation="relu")],
            "input_layers": [["in", 0, 0]],
            "output_layers": [["a", 0, 0], ["inner", 2, 0]],
        },
    }  # fmt: skip
    found = _read(outer, tmp_path / "two.keras")
    assert [call.layer for call in found.calls] == [
        "in", *["inner/dense", "inner/dense", "inner/add"] * 2, "a",
    ]  # fmt: skip
    assert found.total("macs").value == B * 64
    assert found.total("params").value == 20


def test_a_keras_2_chain_has_its_shape_in_the_first_layer(tmp_path):
    layers = [
        {"class_name": "Dense", "config": {"name": "a", "units": 3, "batch_input_shape": [None, 5]}}
    ]
    config = {"class_name": "Sequential", "config": {"name": "s", "layers": layers}}
    assert _read(config, tmp_path / "two.keras").total("macs").value == B * 15


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        ({"units": "many"}, "Dense has no whole number 'units'"),
        ({"units": None}, "Dense has no whole number 'units'"),
        ({"units": -3}, "kernel is -12, which is not a number of its own"),
    ],
)
def test_a_damaged_config_is_unknown(damage, reason, tmp_path):
    model = keras_2_model()
    model["config"]["layers"][1]["config"].update(damage)
    found = _read(model, tmp_path / "bad.keras")
    assert found.calls[1].reason == reason
    assert found.total("macs").value is None


@pytest.mark.parametrize("node", [None, {}, "x", [[None]], [["gone", 0, 0]], [[["in", 0, 7, {}]]]])
def test_damaged_connections_are_unknown(node, tmp_path):
    model = keras_2_model()
    model["config"]["layers"][1]["inbound_nodes"][0] = node
    found = _read(model, tmp_path / "bad.keras")
    assert found.total("macs").value is None
    assert found.total("macs").reason


def test_a_circle_ends(tmp_path):
    model = keras_2_model()
    model["config"]["layers"][1]["inbound_nodes"] = [[["add", 0, 0, {}]], [["dense", 0, 0, {}]]]
    found = _read(model, tmp_path / "bad.keras")
    assert len(found.calls) == 6
    assert found.total("macs").value is None


def test_models_that_call_each_other_twice_are_not_opened_forever(tmp_path):
    model = {
        "class_name": "Functional",
        "config": {
            "name": "m0",
            "layers": [_entry("InputLayer", name="in", batch_input_shape=[None, 4])],
            "input_layers": [["in", 0, 0]],
            "output_layers": [["in", 0, 0]],
        },
    }
    for depth in range(1, 30):
        inner = dict(model, name=model["config"]["name"])
        name = inner["name"]
        inner["inbound_nodes"] = [[["in", 0, 0, {}]], [[name, 0, 0, {}]]]
        model = {
            "class_name": "Functional",
            "config": {
                "name": f"m{depth}",
                "layers": [_entry("InputLayer", name="in", batch_input_shape=[None, 4]), inner],
                "input_layers": [["in", 0, 0]],
                "output_layers": [[name, 1, 0]],
            },
        }
    assert "more than" in _read(model, tmp_path / "deep.keras").total("macs").reason


def test_a_subclassed_model_does_not_say_how_it_is_connected(tmp_path):
    found = _read({"class_name": "Mine", "config": {"name": "m"}}, tmp_path / "sub.keras")
    assert found.calls == ()
    assert found.total("macs").value is None
    assert "connected" in found.total("macs").reason


def test_calls_are_in_an_order_that_can_run():
    flow = calls_of(json.loads(json.dumps(keras.saving.serialize_keras_object(nested()))))
    refs = [(row, ref) for row, call in enumerate(flow.calls) for ref in tensors_in(call.args, Ref)]
    assert len(refs) == 11
    assert all(0 <= ref.call < row for row, ref in refs)


def test_every_layer_of_keras_is_known_or_listed_here():
    unknown = {
        "AutoContrast", "ContrastLimitedAdaptiveHistogramEqualization", "Equalization",
        "FlaxLayer", "InputLayer", "JaxLayer", "Lambda", "Layer", "MaxNumBoundingBoxes",
        "MelSpectrogram", "Pipeline", "STFTSpectrogram", "Solarization", "TFSMLayer",
        "TorchModuleWrapper", "Wrapper", "InputSpec",
    }  # fmt: skip
    classes = {name for name in dir(L) if isinstance(getattr(L, name), type)}
    assert classes - set(layer_rules()) == unknown
    assert np.all([callable(rule) for rule in layer_rules().values()])
