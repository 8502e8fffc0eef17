"""Layers of a model find their scopes in a graph whose names have got numbers."""

import pytest

from tfprof.live.recording.layers import layers_of, place_layers


class Layer:
    """As much of a Keras layer as is looked at."""

    def __init__(self, name, *layers):
        self.name = name
        if layers:
            self.layers = list(layers)


def _placed(model, ops):
    told = layers_of(model)
    place_layers(told, ops)
    return [row["scope"] for row in told["layers"]]


@pytest.mark.parametrize(
    ("ops", "scopes"),
    [
        (["net/dense/MatMul", "net/dense_1/MatMul"], ["net/dense", "net/dense_1"]),
        (["net_1/dense_1/x/MatMul", "net_1/dense_1_1/Add"], ["net_1/dense_1", "net_1/dense_1_1"]),
        (["net_1/dense_1/MatMul", "net_1/dense_1_2/Add"], ["net_1/dense_1", "net_1/dense_1_2"]),
        (["while/net/dense/A", "while/net/dense_1/B"], ["while/net/dense", "while/net/dense_1"]),
        (["other/MatMul", "adam/mul"], ["net/dense", "net/dense_1"]),
        ([], ["net/dense", "net/dense_1"]),
    ],
)
def test_every_layer_has_the_scope_that_is_there(ops, scopes):
    assert _placed(Layer("net", Layer("dense"), Layer("dense_1")), ops) == scopes


def test_models_in_models():
    model = Layer("net", Layer("block", Layer("conv"), Layer("norm")), Layer("head"))
    ops = ["net_1/block_1/conv_1/Conv2D", "net_1/block_1/norm_1/Mul", "net_1/head_1/MatMul"]
    found = _placed(model, ops)
    assert found == [
        "net_1/block_1",
        "net_1/block_1/conv_1",
        "net_1/block_1/norm_1",
        "net_1/head_1",
    ]


def test_a_model_whose_parts_are_called_one_by_one_has_no_scope():
    model = Layer("gan", Layer("generator", Layer("conv")), Layer("critic", Layer("conv_1")))
    ops = [
        "random/normal", "generator_1/conv_1/Conv2D", "critic_1/conv_1_1/Conv2D",
        "gradient_tape/generator_1/conv_1/Conv2DBackpropInput", "generator_3/conv_1/Conv2D",
    ]  # fmt: skip
    assert _placed(model, ops) == [
        "generator_1",
        "generator_1/conv_1",
        "critic_1",
        "critic_1/conv_1_1",
    ]


def test_a_chain_of_a_thousand_models_is_walked():
    model = Layer("last", Layer("dense"))
    for number in range(1000):
        model = Layer(f"m{number}", model)
    assert len(layers_of(model)["layers"]) == 1001


def test_a_layer_that_is_used_twice_is_listed_once():
    shared = Layer("shared")
    told = layers_of(Layer("net", shared, Layer("block", shared)))
    assert [row["name"] for row in told["layers"]] == ["shared", "block"]
