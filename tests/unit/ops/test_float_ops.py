"""The original's counts one by one, without TensorFlow: shapes in, a count out."""

from pathlib import Path

import numpy as np
import pytest

from tfprof.analyses.cost.float_ops import FloatOps, count_float_ops
from tfprof.model.hosts import Hosts
from tfprof.model.interned import Interned
from tfprof.model.oplog import OpLog
from tfprof.model.profile import ProfileData
from tfprof.model.trace import Executions, Trace
from tfprof.ops.rule import Call, Tensor, rules
from tfprof.ops.run_shapes import RunShapes, completed
from tfprof.sources.graph.graphdef import FileBytes, read_graph
from tfprof.wire.schema import message_class

COUNTED = sorted(op for op, rule in rules().items() if callable(rule.float_ops))


def attribute(value):
    made = message_class("AttrValue")()
    if isinstance(value, bool):
        made.b = value
    elif isinstance(value, bytes):
        made.s = value
    else:
        made.list.i.extend(value)
    return made


def count(op, inputs, outputs=(), **attributes):
    given = {name: attribute(value) for name, value in attributes.items()}
    call = Call("op", op, [Tensor(shape) for shape in inputs], lambda: given)
    call.outputs = [Tensor(shape) for shape in outputs]
    return rules()[op].float_ops(call)


IMAGE, SMALL, FILTER = (2, 8, 8, 3), (2, 4, 4, 16), (3, 3, 3, 16)
HALVED = {"strides": [1, 2, 2, 1], "data_format": b"NHWC"}


# the vectors of the specification, which the original's registry gave
@pytest.mark.parametrize(
    ("op", "inputs", "outputs", "attributes", "expected"),
    [
        ("Conv2D", [IMAGE, FILTER], [SMALL], HALVED, 27648),
        ("Conv2DBackpropInput", [(4,), FILTER, SMALL], [IMAGE], HALVED, 27648),
        ("Conv2DBackpropFilter", [IMAGE, (4,), SMALL], [FILTER], HALVED, 27648),
        ("Conv2D", [(2, 3, 8, 8), FILTER], [(2, 16, 8, 8)], {"data_format": b"NCHW"}, 110592),
        ("Conv2D", [(2, 8, 8, 4), (3, 3, 2, 16)], [(2, 6, 6, 16)], {}, 41472),
        ("DepthwiseConv2dNative", [IMAGE, (3, 3, 3, 2)], [(2, 8, 8, 6)], {}, 13824),
        ("Conv3D", [(1, 4, 8, 8, 3), (3, 3, 3, 3, 5)], [(1, 4, 8, 8, 5)], {}, 207360),
        ("MaxPool", [IMAGE], [(2, 4, 4, 3)], {"ksize": [1, 2, 2, 1]}, 384),
        ("MatMul", [(2, 3), (3, 4)], [(2, 4)], {}, 48),
        ("BatchMatMulV2", [(5, 2, 3), (5, 3, 4)], [(5, 2, 4)], {}, 240),
        ("AddN", [(4,)] * 3, [(4,)], {}, 8),
        ("Mean", [(4, 5), ()], [(5,)], {}, 20),
        ("Sum", [(4, 5), ()], [(4,)], {}, 16),
        ("L2Loss", [(10,)], [()], {}, 29),
        ("Softmax", [(10,)], [(10,)], {}, 50),
    ],
)
def test_golden_vectors(op, inputs, outputs, attributes, expected):
    assert count(op, inputs, outputs, **attributes) == expected


def test_a_transposed_product_sums_over_the_other_dimension():
    assert count("MatMul", [(3, 2), (3, 4)], [(2, 4)], transpose_a=True) == 48
    assert count("MatMul", [(2, 3), (4, 3)], [(2, 4)], transpose_b=True) == 48


@pytest.mark.parametrize("op", ["BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"])
def test_an_adjoint_product_is_counted_right(op):
    # the original looks for `transpose_a`, which these ops do not have, and says 160
    assert count(op, [(5, 3, 2), (5, 3, 4)], [(5, 2, 4)], adj_x=True) == 240
    assert count(op, [(5, 2, 3), (5, 4, 3)], [(5, 2, 4)], adj_y=True) == 240


def test_the_right_factor_tells_what_the_left_does_not():
    assert count("MatMul", [None, (3, 4)], [(2, 4)]) == 48
    assert count("MatMul", [(2, None), (4, 3)], [(2, 4)], transpose_b=True) == 48
    assert count("BatchMatMulV2", [None, (5, 4, 3)], [(5, 2, 4)], adj_y=True) == 240


def test_channels_first_counts_as_channels_last():
    first = {"strides": [1, 1, 2, 2], "data_format": b"NCHW"}
    image, small = (2, 3, 8, 8), (2, 16, 4, 4)
    assert count("Conv2DBackpropInput", [(4,), FILTER, small], [image], **first) == 27648
    assert count("Conv2DBackpropFilter", [image, (4,), small], [FILTER], **first) == 27648
    window = {"ksize": [1, 1, 2, 2], "data_format": b"NCHW"}
    pooled = (2, 3, 4, 4)
    assert count("MaxPool", [image], [pooled], **window) == 4 * 96
    assert count("AvgPool", [image], [pooled], **window) == 4 * 96
    assert count("AvgPoolGrad", [(4,), pooled], [image], **window) == 2 * 4 * 96
    assert count("MaxPoolGrad", [image, pooled, pooled], [image], **window) == 5 * 96


def test_layout_is_channels_last_unless_said():
    made = count("Conv2DBackpropFilter", [IMAGE, (4,), SMALL], [FILTER], strides=[1, 2, 2, 1])
    assert made == 27648


def test_counts_are_never_below_zero():
    assert count("L2Loss", [(0,)], [()]) == 0
    assert count("Sum", [(0, 5), ()], [(5,)]) == 0
    assert count("BiasAddGrad", [(0, 5)], [(5,)]) == 0
    assert count("AddN", []) == 0
    assert count("Conv2DBackpropInput", [(4,), (3, 3, 0, 8)], [(2, 8, 8, 0)], **HALVED) == 0


@pytest.mark.parametrize("op", COUNTED)
def test_nothing_known_is_unknown(op):
    shapes = [None] * 3
    assert count(op, shapes, shapes, ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1]) is None


@pytest.mark.parametrize("op", sorted({*COUNTED} - {"AddN"}))
def test_one_unknown_dimension_of_every_tensor_is_unknown(op):
    shapes = [(None, None, None, None)] * 3
    assert count(op, shapes, shapes, ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1]) is None


@pytest.mark.parametrize("shapes", [[], [()], [(2,)] * 3, [(2, 2)] * 3])
@pytest.mark.parametrize("numbers", [[], [1], [1, 0, 0, 1]])
def test_damaged_graphs_do_no_harm(shapes, numbers):
    for op in COUNTED:
        made = count(op, shapes, shapes, ksize=numbers, strides=numbers, data_format=b"\xff")
        assert made is None or made >= 0


def test_big_counts_are_exact():
    side = 1 << 21
    assert count("MatMul", [(side, side), (side, side)], [(side, side)]) == 1 << 64


def test_a_filter_of_another_rank_tells_nothing():
    assert count("Conv2D", [IMAGE, (*FILTER, 2)], [SMALL], **HALVED) is None
    assert count("DepthwiseConv2dNative", [IMAGE, (3, 3)], [SMALL], **HALVED) is None


def test_a_window_without_sizes_tells_nothing():
    assert count("MaxPool", [IMAGE], [(2, 4, 4, 3)], ksize=[]) is None


# --- shapes


@pytest.mark.parametrize(
    ("stated", "met", "expected"),
    [
        (None, None, None),
        (None, (2, 3), (2, 3)),
        ((None, 3), None, (None, 3)),
        ((None, 3), (2, 3), (2, 3)),
        ((None, 3), (None, 3), (None, 3)),
        ((None, None, 3), (2, None, None), (2, None, 3)),
        ((None, 3), (2, 4), (None, 3)),
        ((None, 3), (2, 3, 1), (None, 3)),
        # a GPU ran it with channels first, and the other way round
        ((None, 28, None, 3), (8, 3, 28, 32), (8, 28, 32, 3)),
        ((None, 3, None, 28), (8, 32, 28, 3), (8, 3, 32, 28)),
        ((None, 9, 28, None, 3), (8, 3, 9, 28, 32), (8, 9, 28, 32, 3)),
    ],
)
def test_completed(stated, met, expected):
    assert completed(stated, met) == expected


def record(**outputs):
    """`record(_0=(2, 3))` is an execution with one output."""
    made = message_class("NodeExecStats")()
    for slot, shape in outputs.items():
        output = made.output.add(slot=int(slot.strip("_")))
        output.tensor_description.shape.SetInParent()
        for size in shape:
            output.tensor_description.shape.dim.add(size=size)
    return made


def trace_of(*runs):
    """Executions of (name, step, record)."""
    count = len(runs)
    zeros = {name: np.zeros(count, np.int64) for name in Executions.__slots__}
    zeros["node"] = Interned.of([name for name, _, _ in runs])
    zeros["device"] = Interned.of(["/cpu:0"] * count)
    zeros["step"] = np.array([step for _, step, _ in runs], np.int64)
    return Trace(Executions(**zeros), (0,), record=lambda row: runs[row][2])


def test_the_first_step_with_outputs_counts():
    run = RunShapes(
        trace_of(
            ("x", 7, record(_0=(9,))),
            ("x", 3, record()),
            ("x:MatMul", 4, record(_0=(2, 3), _1=())),
        )
    )
    assert run.of("x", 0) == (2, 3)
    assert run.of("x", 1) == ()
    assert run.of("x", 2) is None
    assert run.of("y", 0) is None


def test_fed_tensors_run_under_names_of_their_own():
    run = RunShapes(
        trace_of(
            ("_arg_a/x_1_0_0", 0, record(_0=(1,))),
            ("_arg_split_2_1", 0, record(_0=(2,))),
            ("_recv_y_0", 0, record(_0=(3,))),
        )
    )
    assert run.of("a/x_1", 0) == (1,)
    assert run.of("a/x", 1) is None
    assert run.of("split", 2) == (2,)
    assert run.of("split", 0) is None
    assert run.of("y", 0) == (3,)


def test_a_trace_without_records_tells_nothing():
    assert RunShapes(Trace(trace_of(("x", 0, None)).executions, (0,))).of("x", 0) is None
    assert RunShapes(trace_of(("x", 0, None))).of("x", 0) is None


# --- graphs


def graph_of(*nodes):
    """Nodes of (name, op, inputs, output shapes); None leaves the shapes out."""
    message = message_class("GraphDef")()
    for name, op, inputs, shapes in nodes:
        node = message.node.add(name=name, op=op, input=inputs)
        for shape in shapes or ():
            made = node.attr["_output_shapes"].list.shape.add(unknown_rank=shape is None)
            for size in shape or ():
                made.dim.add(size=-1 if size is None else size)
    source = FileBytes(message.SerializeToString(), Path("graph.pb"))
    ends = np.array([len(source.data)], np.int64)
    return read_graph(source, source.split(np.zeros(1, np.int64), ends))


def counted(*nodes, trace=None, **parts):
    hosts = Hosts.of(trace)
    return count_float_ops(ProfileData("", graph=graph_of(*nodes), hosts=hosts, **parts))


def test_edges_follow_the_output_they_read():
    made = counted(
        ("split", "Split", [], [(2,), (3,), None]),
        ("a", "Square", ["split:1"], [(3,)]),
        ("b", "Square", ["split"], [None]),
        ("c", "Square", ["split:2"], [None]),
        ("d", "Square", ["split:7"], [None]),
    )
    assert made == FloatOps({"a": 3, "b": 2}, {"Square": ["c", "d"]}, {})
    assert made.total == 5


def test_control_inputs_are_no_summands():
    made = counted(
        ("x", "Placeholder", [], [(4,)]),
        ("sum", "AddN", ["x", "x", "^x"], [(4,)]),
        ("one", "AddN", ["x", "^x", "^x"], [(4,)]),
    )
    assert made.by_node == {"sum": 4}


def test_the_op_log_has_the_last_word():
    log = OpLog({}, {"a": 7, "relu": 5, "zero": 0, "elsewhere": 9, "only_ran": 3})
    made = counted(
        ("x", "Placeholder", [], [(None,)]),
        ("a", "Square", ["x"], [(None,)]),
        ("b", "Square", ["x"], [(None,)]),
        ("y", "Placeholder", [], [(2,)]),
        ("zero", "Add", ["y", "y"], [(2,)]),
        ("relu", "Relu", ["x"], [(None,)]),
        ("relu_1", "Relu", ["x"], [(None,)]),
        oplog=log,
        trace=trace_of(("only_ran", 0, record())),
    )
    assert made.by_node == {"a": 7, "relu": 5, "only_ran": 3, "zero": 2}
    assert made.unknown == {"Square": ["b"]}
    assert made.uncounted == {"Relu": 1}


def test_a_log_alone_is_taken_at_its_word():
    data = ProfileData("", oplog=OpLog({}, {"a": 7, "b": 0}))
    assert count_float_ops(data) == FloatOps({"a": 7})
    assert count_float_ops(ProfileData("")) == FloatOps()


def test_fused_ops_are_shaped_like_what_ran():
    nodes = [
        ("x", "Placeholder", [], [(None, 3)]),
        ("w", "Const", [], [(3, 4)]),
        ("dot", "MatMul", ["x", "w"], [(None, 4)]),
        ("biased", "BiasAdd", ["dot", "b"], [(None, 4)]),
        ("relu", "Relu", ["biased"], [(None, 4)]),
        ("next", "MatMul", ["relu", "v"], [None]),
    ]
    assert counted(*nodes).unknown == {"MatMul": ["dot", "next"], "BiasAdd": ["biased"]}
    ran = trace_of(("_arg_x_0_0", 0, record(_0=(2, 3))), ("relu", 0, record(_0=(2, 4))))
    made = counted(*nodes, trace=ran)
    assert made.by_node == {"dot": 2 * 3 * 8, "biased": 8}
    assert made.unknown == {"MatMul": ["next"]}


def test_a_fed_placeholder_is_as_large_as_its_feed():
    made = counted(
        ("in/x", "Placeholder", [], [None]),
        ("square", "Square", ["in/x"], [None]),
        trace=trace_of(("_arg_in/x_0_0", 0, record(_0=(5, 3)))),
    )
    assert made == FloatOps({"square": 15})


def test_of_nodes_with_one_name_the_first_counts():
    made = counted(("a", "Add", [], [(2,)]), ("a", "Add", [], [(3,)]))
    assert made.by_node == {"a": 2}


def test_inputs_that_are_not_there_are_unknown():
    made = counted(("a", "Square", ["gone"], [None]), ("b", "Square", ["^a"], None))
    assert made.unknown == {"Square": ["a", "b"]}


def test_long_chains_need_no_stack():
    chain = [("n0", "Placeholder", [], [(None,)])]
    chain += [(f"n{i}", "Neg", [f"n{i - 1}"], [(None,)]) for i in range(1, 20_000)]
    assert len(counted(*chain).unknown["Neg"]) == 19_999
    ran = trace_of(("n19999", 0, record(_0=(6,))))
    assert counted(*chain, trace=ran).by_node["n1"] == 6


def test_declared_shapes_do_where_none_are_written_down():
    message = message_class("GraphDef")()
    variable = message.node.add(name="v", op="VariableV2")
    variable.attr["shape"].shape.dim.add(size=3)
    constant = message.node.add(name="c", op="Const")
    constant.attr["value"].tensor.tensor_shape.dim.add(size=4)
    old = message.node.add(name="p", op="Placeholder")
    old.attr["shape"].shape.SetInParent()
    for source in "vcp":
        message.node.add(name=f"square_{source}", op="Square", input=[source])
    source = FileBytes(message.SerializeToString(), Path("graph.pb"))
    ends = np.array([len(source.data)], np.int64)
    graph = read_graph(source, source.split(np.zeros(1, np.int64), ends))
    made = count_float_ops(ProfileData("", graph=graph))
    assert made == FloatOps({"square_v": 3, "square_c": 4}, {"Square": ["square_p"]})
