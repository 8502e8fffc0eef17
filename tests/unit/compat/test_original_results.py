"""What a profile returns, without TensorFlow: fields, depth, nesting."""

import pytest

from tfprof import compat as original
from tfprof.wire.fields import varint
from tfprof.wire.schema import message_class, schema

Builder = original.ProfileOptionBuilder
SILENT = Builder().with_max_depth(10**6).with_empty_output().select(["params"]).build()
CPU = "/job:a/replica:0/task:0/device:CPU:0"


def _graph(*nodes):
    """GraphDef of (name, op, inputs, shape)."""
    graph = message_class("GraphDef")()
    for name, op, inputs, shape in nodes:
        node = graph.node.add(name=name, op=op, input=inputs)
        if shape is not None:
            node.attr["shape"].shape.SetInParent()
            for size in shape:
                node.attr["shape"].shape.dim.add(size=size)
                node.attr["_output_shapes"].list.SetInParent()
            stated = node.attr["_output_shapes"].list.shape.add()
            stated.CopyFrom(node.attr["shape"].shape)
    return graph


@pytest.fixture
def small():
    return _graph(
        ("layer/w", "VariableV2", [], [3, 4]),
        ("layer/b", "VariableV2", [], [4]),
        ("x", "Placeholder", [], None),
        ("layer/MatMul", "MatMul", ["x", "layer/w"], None),
        ("layer/add", "Add", ["layer/MatMul", "layer/b", "^x"], None),
    )


@pytest.fixture
def run():
    made = message_class("RunMetadata")()
    stats = made.step_stats.dev_stats.add(device=CPU).node_stats
    record = stats.add(node_name="layer/MatMul", all_start_micros=10, op_end_rel_micros=30)
    record.memory.add(allocator_name="cpu", total_bytes=100, peak_bytes=90, live_bytes=80)
    output = record.output.add().tensor_description.allocation_description
    output.requested_bytes = 64
    stats.add(node_name="layer/add", all_start_micros=50, op_end_rel_micros=5)
    return made


def test_a_tree_has_own_and_total_numbers_at_every_level(small):
    root = original.profile(small, options=SILENT)
    assert (root.name, root.parameters, root.total_parameters) == ("_TFProfRoot", 0, 16)
    (layer, x) = root.children
    assert (layer.name, layer.total_parameters, layer.total_definition_count) == ("layer", 16, 5)
    assert [child.name for child in layer.children] == [
        "layer/MatMul", "layer/add", "layer/b", "layer/w",
    ]  # fmt: skip
    assert layer.children[3].parameters == 12
    assert x.children == []
    assert [row.name for row in root.rows[:2]] == ["_TFProfRoot", "layer"]


def test_a_run_fills_time_memory_and_device(small, run):
    root = original.profile(small, run, options=SILENT)
    node = root.children[0].children[0]
    assert (node.exec_micros, node.cpu_exec_micros, node.accelerator_exec_micros) == (30, 30, 0)
    assert (node.requested_bytes, node.peak_bytes, node.residual_bytes) == (100, 90, 80)
    assert (node.output_bytes, node.run_count, node.total_run_count) == (64, 1, 1)
    assert node.devices == [CPU.lower()]
    assert node.device == CPU.lower()
    assert root.total_exec_micros == root.total_cpu_exec_micros == 35
    assert root.total_accelerator_exec_micros == 0
    assert root.total_requested_bytes == 100
    assert (root.total_peak_bytes, root.total_residual_bytes, root.total_output_bytes) == (
        90, 80, 64,
    )  # fmt: skip


def test_input_shapes_are_there_whether_selected_or_not(small):
    root = original.profile(small, options=SILENT)
    shapes = root.children[0].children[1].input_shapes
    assert shapes[0].unknown_rank
    assert [dim.size for dim in shapes[1].dim] == [4]
    assert sorted(shapes) == [0, 1, 2]


def test_what_the_original_never_fills_is_empty(small):
    root = original.profile(small, options=SILENT)
    assert root.shapes == []
    assert root.tensor_value.value_double == ()


def test_op_rows_are_a_chain_and_a_list(small):
    root = original.profile(small, cmd="op", options=SILENT)
    names = [row.name for row in root.rows]
    chain, node = [], root
    while node.children:
        (node,) = node.children
        chain.append(node.name)
    assert names == chain == ["Add", "MatMul", "Placeholder", "VariableV2"]
    assert root.total_parameters == 16
    last = root.rows[3]
    assert (last.parameters, last.total_parameters) == (16, 16)
    assert [inner.name for inner in last.graph_nodes] == ["layer/b", "layer/w"]
    assert [inner.parameters for inner in last.graph_nodes] == [4, 12]
    assert root.graph_nodes == []


def test_the_nodes_of_an_op_type_know_their_inputs(small):
    (matmul,) = original.profile(small, cmd="op", options=SILENT).rows[1].graph_nodes
    assert [dim.size for dim in matmul.input_shapes[1].dim] == [3, 4]
    assert matmul.children == []


def test_code_rows_hold_the_nodes_they_made(small):
    log = original.OpLogProto()
    log.id_to_string.update({1: "train.py", 2: "build"})
    for name, line in (("layer/w", 7), ("layer/MatMul", 8), ("layer/add", 8)):
        entry = log.log_entries.add(name=name)
        entry.code_def.traces.add(file_id=1, lineno=line, function_id=2)
    root = original.profile(small, op_log=log, cmd="code", options=SILENT)
    lines = {child.name: [n.name for n in child.graph_nodes] for child in root.children}
    assert lines == {
        "train.py:7:build": ["layer/w"],
        "train.py:8:build": ["layer/MatMul", "layer/add"],
    }
    assert root.total_parameters == 12


def test_a_hundred_thousand_levels_are_walked_without_recursion():
    count = 100_000
    nodes = [("n0", "VariableV2", [], [2])]
    nodes += [(f"n{at}", "NoOp", [f"n{at - 1}"], None) for at in range(1, count)]
    node = original.profile(_graph(*nodes), cmd="graph", options=SILENT)
    levels = 0
    while node.children:
        (node,) = node.children
        levels += 1
    assert levels == count
    assert (node.name, node.parameters) == ("n0", 2)


def _parsed(result):
    return message_class(type(result).__name__).FromString(result.SerializeToString())


def test_a_tree_is_a_message(small, run):
    root = original.profile(small, run, options=SILENT)
    message = _parsed(root)
    assert [child.name for child in message.children] == ["layer", "x"]
    node = message.children[0].children[0]
    assert (node.name, node.exec_micros, node.devices) == ("layer/MatMul", 30, [CPU.lower()])
    assert node.input_shapes == root.children[0].children[0].input_shapes
    assert _parsed(root.children[0]) == message.children[0]


def test_rows_of_op_types_are_a_message(small):
    message = _parsed(original.profile(small, cmd="op", options=SILENT))
    (add,) = message.children
    (matmul,) = add.children
    assert (add.name, add.graph_nodes[0].name) == ("Add", "layer/add")
    assert [dim.size for dim in matmul.graph_nodes[0].input_shapes[1].dim] == [3, 4]
    assert message.total_parameters == 16


def test_a_hundred_thousand_levels_become_bytes_without_recursion():
    count = 100_000
    nodes = [("n0", "VariableV2", [], [2])]
    nodes += [(f"n{at}", "NoOp", [f"n{at - 1}"], None) for at in range(1, count)]
    result = original.profile(_graph(*nodes), cmd="graph", options=SILENT)
    data, levels = result.SerializeToString(), -1
    assert 10 * count < len(data) < 100 * count
    fields = schema()["GraphNodeProto"].by_name
    inner, begin, end = [(0, len(data))], 0, len(data)
    while inner:  # protobuf itself reads a hundred levels
        levels += 1
        ((begin, end),) = inner
        inner = [
            (at, at + size)
            for number, at, size in _fields(data, begin, end)
            if number == fields["children"].number
        ]
    assert levels == count
    last = message_class("GraphNodeProto").FromString(data[begin:end])
    assert (last.name, last.parameters) == ("n0", 2)


def _fields(data, position, end):
    """Number, begin and size of each field."""
    while position < end:
        tag, position = varint(data, position)
        size, after = varint(data, position)
        if tag & 7 == 0:
            size, position = 0, after
        else:
            position = after
        yield tag >> 3, position, size
        position += size


def test_two_hundred_op_types_are_all_there():
    nodes = [(f"n{at}", f"Op{at:03}", [], None) for at in range(200)]
    root = original.profile(_graph(*nodes), cmd="op", options={**SILENT, "max_depth": 1000})
    assert len(root.rows) == 200


def test_an_empty_message_is_all_zero():
    for message in (original.GraphNodeProto(), original.MultiGraphNodeProto()):
        assert (message.name, message.total_parameters, message.children) == ("", 0, [])
        assert message.SerializeToString() == b""
    assert original.AdviceProto().checkers["any"].reports == []


def test_a_result_is_known_by_its_name(small):
    assert repr(original.profile(small, options=SILENT)) == "<GraphNodeProto _TFProfRoot>"
