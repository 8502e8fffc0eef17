"""`for x in dataset` inside a tf.function: how often that runs is not known, nor its work."""

import json

import pytest
from run_cli import run

from tfprof.wire import dtypes
from tfprof.wire.schema import message_class


@pytest.fixture
def graph(tmp_path):
    """As AutoGraph writes a loop: the step stands in a function that ReduceDataset names."""
    made = message_class("GraphDef")()
    made.node.add(name="ds", op="Placeholder").attr["dtype"].type = dtypes.VARIANT
    made.node.add(name="state", op="Const").attr["dtype"].type = dtypes.FLOAT
    loop = made.node.add(name="loop", op="ReduceDataset", input=["ds", "state"])
    loop.attr["f"].func.name = "body"
    loop.attr["output_types"].list.type.append(dtypes.FLOAT)
    loop.attr["output_shapes"].list.shape.add()
    body = made.library.function.add()
    body.signature.name = "body"
    for name in ("state", "x"):
        body.signature.input_arg.add(name=name, type=dtypes.FLOAT)
    body.signature.output_arg.add(name="out", type=dtypes.FLOAT)
    body.node_def.add(name="product", op="MatMul", input=["state", "x"])
    body.ret["out"] = "product:product:0"
    path = tmp_path / "graph.pb"
    path.write_bytes(made.SerializeToString())
    return path


def test_work_and_memory_are_not_known(graph):
    answer = json.loads(run(graph, "--json").out)
    assert answer["data"]["macs"] is None
    assert answer["data"]["flops"] is None
    assert answer["data"]["peak_memory"] is None
    said = "loop loops over a dataset, and how often is not known before it runs"
    assert any(said in text for text in answer["warnings"])
    assert f"? {said}" in " ".join(run(graph).out.split())


def test_memory_says_why(graph):
    ran = run("memory", graph)
    assert ran.code == 3
    assert "the peak is not known: loop loops over a dataset" in ran.err


def test_a_budget_is_not_kept_by_it(graph):
    assert run("check", graph, "--max-flops", "1G").code == 1
    assert run("check", graph, "--max-flops", "1G", "--allow-unknown").code == 0
