"""What a session of TensorFlow 1 adds to a graph, a saver above all, is no part of a step."""

import json

import pytest
from run_cli import run

from tfprof.wire import dtypes
from tfprof.wire.schema import message_class

FORWARD, TRAINING = 10 * 100 * 50, 2 * 10 * 100 * 50


def write(path, *, is_fed):
    """A product that is trained, of ones or of what is fed, with a saver, as in TensorFlow 1."""
    graph = message_class("GraphDef")()

    def node(name, op, *inputs, dtype=None, **sizes):
        made = graph.node.add(name=name, op=op, input=inputs)
        for key, kind in ({"T": dtypes.FLOAT} if dtype is None else {"dtype": dtype}).items():
            made.attr[key].type = kind
        for key, shape in sizes.items():
            made.attr[key].shape.SetInParent()
            for size in shape:
                made.attr[key].shape.dim.add(size=size)
        return made

    def ones(name, *shape):
        value = node(name, "Const", dtype=dtypes.FLOAT).attr["value"].tensor
        value.dtype = dtypes.FLOAT
        value.float_val.append(1.0)
        for size in shape:
            value.tensor_shape.dim.add(size=size)

    if is_fed:
        node("x", "Placeholder", dtype=dtypes.FLOAT, shape=(10, 100))
    else:
        ones("x", 10, 100)
    node("w", "VariableV2", dtype=dtypes.FLOAT, shape=(100, 50))
    node("w/read", "Identity", "w")
    node("y", "MatMul", "x", "w/read")
    node("loss", "Square", "y")
    node("gradients/y_grad/mul", "Mul", "y", "y")
    product = node("gradients/y_grad/MatMul_1", "MatMul", "x", "gradients/y_grad/mul")
    product.attr["transpose_a"].b = True
    ones("rate")
    node("update", "ApplyGradientDescent", "w", "rate", product.name)
    node("save/Const", "PlaceholderWithDefault", "save/name", dtype=dtypes.STRING, shape=())
    node("save/name", "Const", dtype=dtypes.STRING)
    node("save/tensors", "Const", dtype=dtypes.STRING)
    node("save/SaveV2", "SaveV2", "save/Const", "save/tensors", "save/tensors", "w")
    restored = node("save/RestoreV2", "RestoreV2", "save/Const", "save/tensors", "save/tensors")
    restored.attr["dtypes"].list.type.append(dtypes.FLOAT)
    node("save/Assign", "Assign", "w", "save/RestoreV2")
    node("asks", "IsVariableInitialized", "w")
    node("report/not", "LogicalNot", "asks")
    node("report/where", "Where", "report/not")
    path.write_bytes(graph.SerializeToString())
    return path


@pytest.fixture(params=[True, False], ids=["fed", "data in the graph"])
def graph(request, tmp_path):
    return write(tmp_path / "graph.pb", is_fed=request.param)


@pytest.mark.parametrize(
    ("mode", "macs", "what"),
    [("train", TRAINING, "one training step"), ("inference", FORWARD, "the forward pass")],
)
def test_work_of_a_step(graph, mode, macs, what):
    found = json.loads(run(graph, "--mode", mode, "--json").out)["data"]
    assert found["macs"] == macs
    assert what in run(graph, "--mode", mode).out


@pytest.mark.parametrize("mode", ["train", "inference"])
def test_memory_of_a_step_knows_nothing_of_the_saver(graph, mode):
    answer = json.loads(run("memory", graph, "--mode", mode, "--json").out)
    (device,) = answer["data"]["devices"].values()
    assert device["peak_bytes_kind"] == "estimated"
    assert not [text for text in answer["warnings"] if "save/" in text or "report/" in text]


def test_training_is_found_without_being_asked_for(graph):
    assert "one training step" in run("memory", graph).out
