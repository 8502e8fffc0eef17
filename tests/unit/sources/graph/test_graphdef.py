"""Graphs as columns against TensorFlow's own parse of the same files."""

import numpy as np
import pytest
import tensorflow as tf
from google.protobuf import text_format

from tfprof.model.graph import CONTROL, MISSING
from tfprof.sources.find.load import Request, choose, read

BINARY = [
    "keras_mlp_fwd.graph.pb",
    "keras_mlp_train.graph.pb",
    "keras_lstm_fwd.graph.pb",
    "keras_lstm_train.graph.pb",
    "keras_bert_base_fwd.graph.pb",
    "keras_MobileNetV2_train.graph.pb",
    "resnet32/graph.pb",
]
IN_BOTH = ["keras_mlp_fwd.graph", "keras_mlp_train.graph", "keras_lstm_fwd.graph"]


def load(*paths):
    (selection,) = choose(Request(list(paths))).selections
    return read(selection)


def graph_of(path):
    data = load(path)
    assert data.warnings == ()
    return data.graph


def _attributes(mapping):
    """By name, as TensorFlow would write them."""
    attr_value = type(tf.compat.v1.NodeDef().attr["x"])
    return {
        name: attr_value.FromString(value.SerializeToString()).SerializeToString(deterministic=True)
        for name, value in mapping.items()
    }


def _edge(index, text):
    """What an input string says: the node's row, the output's index and its name."""
    if text.startswith("^"):
        return index.get(text[1:], MISSING), CONTROL, ""
    name, *output = text.split(":")
    port = int(output[-1]) if output else 0
    return index.get(name, MISSING), port, output[0] if len(output) == 2 else ""


def assert_same_nodes(graph, nodes, first=0):
    """The rows of the graph from `first` on are these NodeDefs."""
    assert graph.names[first:] == [node.name for node in nodes]
    index = {}
    for row, name in enumerate(graph.names):
        index.setdefault(name, row)
    for row, node in enumerate(nodes, first):
        ours = graph.node(row)
        assert ours.op == node.op
        assert ours.device == node.device
        edges = graph.edges
        span = range(int(edges.offsets[row]), int(edges.offsets[row + 1]))
        found = [(int(edges.node[e]), int(edges.port[e]), edges.label.get(e, "")) for e in span]
        assert found == [_edge(index, text) for text in node.input], node.name
        assert _attributes(ours.attributes) == _attributes(node.attr), node.name
    assert len(graph.edges.node) == sum(len(node.input) for node in nodes)


@pytest.mark.parametrize("sample", BINARY)
def test_nodes_edges_and_attributes_are_tensorflows(samples, sample):
    theirs = tf.compat.v1.GraphDef.FromString((samples / sample).read_bytes())
    graph = graph_of(samples / sample)
    assert_same_nodes(graph, theirs.node)
    assert graph.producer == theirs.versions.producer


@pytest.mark.parametrize("sample", BINARY)
def test_functions_are_tensorflows(samples, sample):
    theirs = tf.compat.v1.GraphDef.FromString((samples / sample).read_bytes()).library.function
    ours = graph_of(samples / sample).functions
    assert list(ours) == [f.signature.name for f in theirs]
    for function in theirs:
        mine = ours[function.signature.name]
        assert [(a.name, a.dtype) for a in mine.arguments] == [
            (a.name, a.type) for a in function.signature.input_arg
        ]
        assert dict(mine.results) == dict(function.ret)
        arguments = len(mine.arguments)
        assert mine.body.names[:arguments] == [a.name for a in function.signature.input_arg]
        assert {mine.body.ops[row] for row in range(arguments)} <= {"_Arg"}
        assert_same_nodes(mine.body, function.node_def, arguments)


def test_samples_have_functions_control_inputs_and_later_outputs(samples):
    """Or the comparisons above would not say much."""
    graph = graph_of(samples / "keras_lstm_fwd.graph.pb")
    assert len(graph.functions) == 2
    assert any(f.body.edges.label for f in graph.functions.values())
    train = graph_of(samples / "keras_MobileNetV2_train.graph.pb")
    assert (train.edges.port == CONTROL).any()
    assert (train.edges.port > 0).any()


def _columns(graph):
    return {
        "names": graph.names,
        "ops": [graph.ops[row] for row in range(len(graph))],
        "devices": [graph.devices[row] for row in range(len(graph))],
        "offsets": graph.edges.offsets.tolist(),
        "sources": graph.edges.node.tolist(),
        "ports": graph.edges.port.tolist(),
        "labels": dict(graph.edges.label),
        "attributes": [_attributes(graph.attributes.of(row)) for row in range(len(graph))],
        "producer": graph.producer,
    }


def _assert_same(one, other):
    assert _columns(one) == _columns(other)
    assert list(one.functions) == list(other.functions)
    for name, function in one.functions.items():
        twin = other.functions[name]
        assert list(function.arguments) == list(twin.arguments)
        assert dict(function.results) == dict(twin.results)
        assert _columns(function.body) == _columns(twin.body)


@pytest.mark.parametrize("sample", IN_BOTH)
def test_text_and_binary_of_one_graph_are_the_same_columns(samples, sample):
    _assert_same(graph_of(samples / f"{sample}.pb"), graph_of(samples / f"{sample}.pbtxt"))


@pytest.mark.parametrize("layout", [{}, {"as_one_line": True}, {"pointy_brackets": True}])
def test_a_graph_printed_in_another_layout_is_the_same_columns(samples, tmp_path, layout):
    path = samples / "keras_lstm_fwd.graph.pb"
    theirs = tf.compat.v1.GraphDef.FromString(path.read_bytes())
    text = tmp_path / "graph.pbtxt"
    text.write_text(text_format.MessageToString(theirs, **layout), encoding="utf-8")
    _assert_same(graph_of(path), graph_of(text))


def _written(folder, *nodes, **fields):
    graph = tf.compat.v1.GraphDef(**fields)
    for name, op, inputs in nodes:
        graph.node.add(name=name, op=op, input=inputs)
    path = folder / "graph.pb"
    path.write_bytes(graph.SerializeToString())
    return path


def test_of_nodes_with_one_name_the_first_is_meant(tmp_path):
    graph = graph_of(_written(tmp_path, ("a", "Const", []), ("a", "NoOp", []), ("b", "Neg", ["a"])))
    assert graph.names == ["a", "a", "b"]
    assert graph.find("a").op == "Const"
    assert graph.node(2).inputs == [0]
    assert graph.find("c") is None


def test_an_input_without_a_node_is_missing_not_an_error(tmp_path):
    graph = graph_of(_written(tmp_path, ("b", "Neg", ["gone:1", "^away"]), ("c", "Neg", ["b"])))
    assert graph.edges.node.tolist() == [MISSING, MISSING, 0]
    assert graph.edges.port.tolist() == [1, CONTROL, 0]


def test_a_node_that_reads_itself_and_names_beyond_ascii_are_fine(tmp_path):
    graph = graph_of(_written(tmp_path, ("schicht_ä/日本", "Merge", ["schicht_ä/日本:1"])))
    assert graph.names == ["schicht_ä/日本"]
    assert graph.node(0).inputs == [0]


def test_readers_of_a_node_come_with_the_input_they_read_it_as(tmp_path):
    nodes = [
        ("a", "Const", []),
        ("b", "Add", ["a", "a"]),
        ("c", "Sub", ["b", "a:1"]),
        ("d", "NoOp", ["^a"]),
    ]
    graph = graph_of(_written(tmp_path, *nodes))
    readers = [(node.name, position) for node, position in graph.find("a").readers()]
    assert sorted(readers) == [("b", 0), ("b", 1), ("c", 1)]


def test_nodes_of_a_type_are_found_in_graph_order(samples):
    theirs = tf.compat.v1.GraphDef.FromString((samples / "keras_mlp_fwd.graph.pb").read_bytes())
    graph = graph_of(samples / "keras_mlp_fwd.graph.pb")
    found = [node.name for node in graph.of_type("MatMul", "Placeholder")]
    assert found == [n.name for n in theirs.node if n.op in ("MatMul", "Placeholder")]
    assert list(graph.of_type("NoSuchOp")) == []


def test_shapes_know_unknown_dimensions_and_ranks(tmp_path):
    with tf.Graph().as_default() as made:
        tf.compat.v1.placeholder(tf.float32, [None, 3], name="partly")
        tf.compat.v1.placeholder(tf.int64, [], name="scalar")
        tf.compat.v1.placeholder(tf.bool, name="anything")
    path = tmp_path / "graph.pb"
    path.write_bytes(made.as_graph_def(add_shapes=True).SerializeToString())
    graph = graph_of(path)
    shapes = {node.name: node.shape_attribute() for node in graph.of_type("Placeholder")}
    assert shapes == {"partly": (None, 3), "scalar": (), "anything": None}
    outputs = {node.name: node.output_shapes() for node in graph.of_type("Placeholder")}
    assert outputs == {"partly": [(None, 3)], "scalar": [()], "anything": [None]}
    types = {node.name: node.type_attribute("dtype") for node in graph.of_type("Placeholder")}
    assert types == {"partly": 1, "scalar": 9, "anything": 10}


def test_a_long_chain_loads_and_keeps_its_edges(tmp_path):
    count = 100_000
    nodes = [("n0", "Const", []), *((f"n{i}", "Neg", [f"n{i - 1}"]) for i in range(1, count))]
    graph = graph_of(_written(tmp_path, *nodes))
    assert len(graph) == count
    assert np.array_equal(graph.edges.node, np.arange(count - 1))
