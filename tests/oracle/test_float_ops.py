"""FLOPs against the registry of TensorFlow, which the original tool takes them from."""

import pytest
import tensorflow as tf
from tensorflow.python.framework import ops
from tensorflow.python.profiler.internal import flops_registry  # noqa: F401  (registers)

from tfprof.analyses.cost.float_ops import count_float_ops
from tfprof.ops.rule import rules
from tfprof.sources.find.load import Request, choose, read

v1 = tf.compat.v1
COUNTED = {op for op, rule in rules().items() if callable(rule.float_ops)}


def load(*paths):
    (selection,) = choose(Request(list(paths))).selections
    return read(selection)


def counted(*paths):
    return count_float_ops(load(*paths))


def count_in(graph, folder):
    path = folder / "graph.pb"
    path.write_bytes(graph.as_graph_def(add_shapes=True).SerializeToString())
    return counted(path)


def theirs(graph):
    """What the registry says by node, and the nodes that it refuses."""
    found, refused = {}, set()
    for op in graph.get_operations():
        try:
            value = ops.get_stats_for_node_def(graph, op.node_def, "flops").value
        except ValueError:
            refused.add(op.name)
            continue
        if value:
            found[op.name] = int(value)
    return found, refused


def variable(name, shape):
    return v1.get_variable(name, shape, use_resource=False)


def conv_net():
    x = v1.placeholder(tf.float32, [4, 29, 31, 3])
    x = tf.nn.conv2d(x, variable("f", [3, 5, 3, 8]), strides=[1, 2, 2, 1], padding="SAME")
    x = tf.nn.bias_add(x, variable("b", [8]))
    x = tf.nn.max_pool2d(x, 3, 2, "VALID")
    x = tf.nn.conv2d(x, variable("g", [3, 3, 8, 6]), 1, "VALID", dilations=2)
    x = tf.nn.avg_pool2d(tf.nn.relu(x), 2, 1, "SAME")
    x = tf.reshape(x, [4, -1])
    x = tf.matmul(x, variable("w", [int(x.shape[1]), 10])) + variable("c", [10])
    labels = v1.placeholder(tf.float32, [4, 10])
    loss = tf.nn.softmax_cross_entropy_with_logits(labels, x)
    loss = tf.reduce_mean(loss) + tf.nn.l2_loss(x)
    v1.train.MomentumOptimizer(0.1, 0.9).minimize(loss)


def other_convolutions():
    x = v1.placeholder(tf.float32, [2, 9, 9, 4])
    tf.nn.conv2d(x, variable("f", [3, 3, 2, 16]), 1, "VALID")
    first = v1.placeholder(tf.float32, [2, 4, 9, 9])
    tf.nn.conv2d(first, variable("h", [3, 3, 4, 5]), 1, "SAME", data_format="NCHW")
    tf.nn.depthwise_conv2d(x, variable("d", [3, 3, 4, 2]), [1, 2, 2, 1], "SAME")
    volume = v1.placeholder(tf.float32, [1, 4, 8, 8, 3])
    tf.nn.conv3d(volume, variable("v", [3, 3, 3, 3, 5]), [1, 1, 1, 1, 1], "SAME")
    tf.nn.dilation2d(x, variable("e", [3, 3, 4]), [1, 1, 1, 1], "SAME", "NHWC", [1, 1, 1, 1])
    tf.nn.conv2d_transpose(x, variable("t", [3, 3, 7, 4]), [2, 18, 18, 7], 2)


def products():
    a, b = v1.placeholder(tf.float32, [2, 3]), v1.placeholder(tf.float32, [3, 4])
    tf.matmul(a, b)
    tf.matmul(b, a, transpose_a=True, transpose_b=True)
    x, y = v1.placeholder(tf.float32, [5, 2, 3]), v1.placeholder(tf.float32, [5, 3, 4])
    tf.matmul(x, y)
    tf.raw_ops.BatchMatMul(x=x, y=y)
    tf.raw_ops.BatchMatMulV3(x=x, y=y, Tout=tf.float32)
    tf.matmul(x, tf.transpose(y, [0, 2, 1]), adjoint_b=True)
    tf.matmul(x, v1.placeholder(tf.float32, [7, 1, 3, 4]))


def elementwise():
    x = v1.placeholder(tf.float32, [3, 1, 4])
    y = v1.placeholder(tf.float32, [5, 4])
    for op in (tf.raw_ops.Reciprocal, tf.square, tf.math.log, tf.negative, tf.math.rsqrt):
        op(x=x)
    for op in (tf.raw_ops.Add, tf.raw_ops.AddV2, tf.subtract, tf.multiply, tf.raw_ops.RealDiv,
               tf.maximum, tf.minimum, tf.pow, tf.greater_equal, tf.greater, tf.less_equal,
               tf.less, tf.raw_ops.Equal, tf.raw_ops.NotEqual,
               tf.math.squared_difference):  # fmt: skip
        op(x=x, y=y)
    tf.raw_ops.RsqrtGrad(y=y, dy=y)
    tf.nn.softmax(x)
    tf.add_n([x, x, x])
    tf.add_n([x])
    v1.assign_add(variable("a", [6]), tf.ones([6]))
    v1.assign_sub(variable("s", [6]), tf.ones([6]))
    tf.square(tf.split(v1.placeholder(tf.float32, [5, 3]), [1, 4])[1])


def reductions():
    x = v1.placeholder(tf.float32, [4, 5, 6])
    for axis in (0, [1, 2], None):
        tf.reduce_sum(x, axis)
        tf.reduce_mean(x, axis, keepdims=True)
    tf.argmax(x, 1)
    tf.argmin(x, 2)
    tf.raw_ops.BiasAddGrad(out_backprop=x)
    tf.nn.l2_loss(x)


def unknown_shapes():
    x = v1.placeholder(tf.float32, [None, 8])
    y = tf.nn.relu(tf.matmul(x, variable("w", [8, 4])) + variable("b", [4]))
    v1.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(tf.square(y)))


BUILDERS = [conv_net, other_convolutions, products, elementwise, reductions, unknown_shapes]


@pytest.mark.parametrize("build", BUILDERS, ids=lambda build: build.__name__)
def test_nodes_count_what_the_registry_says(build, tmp_path):
    with tf.Graph().as_default() as graph:
        build()
    expected, refused = theirs(graph)
    ours = count_in(graph, tmp_path)
    assert {name: n for name, n in ours.by_node.items() if name not in refused} == expected
    assert {name for names in ours.unknown.values() for name in names} <= refused


def test_every_registered_op_is_met_above():
    met = set()
    for build in BUILDERS:
        with tf.Graph().as_default() as graph:
            build()
        met |= {op.type for op in graph.get_operations()}
    assert COUNTED - met == set()


def test_registered_ops_are_the_registrys():
    listed = {key.partition(",")[0] for key in ops._stats_registry.list()}
    assert listed == COUNTED


# --- where ours is right and theirs is not


def test_adjoint_of_the_left_factor(tmp_path):
    with tf.Graph().as_default() as graph:
        x, y = v1.placeholder(tf.float32, [5, 3, 2]), v1.placeholder(tf.float32, [5, 3, 4])
        tf.linalg.matmul(x, y, adjoint_a=True, name="product")
    assert theirs(graph)[0]["product"] == 160
    assert count_in(graph, tmp_path).by_node == {"product": 240}


def test_channels_first(tmp_path):
    with tf.Graph().as_default() as graph:
        image, small = tf.zeros([2, 3, 8, 8]), tf.zeros([2, 16, 4, 4])
        kernel, raw = tf.zeros([3, 3, 3, 16]), tf.raw_ops
        conv = {"strides": [1, 1, 2, 2], "padding": "SAME", "data_format": "NCHW"}
        pool = {**conv, "ksize": [1, 1, 2, 2]}
        half = raw.MaxPool(input=image, name="max", **pool)
        raw.AvgPool(value=image, name="average", **pool)
        raw.MaxPoolGrad(orig_input=image, orig_output=half, grad=half, name="max_grad", **pool)
        raw.AvgPoolGrad(orig_input_shape=[2, 3, 8, 8], grad=half, name="average_grad", **pool)
        raw.Conv2DBackpropInput(
            input_sizes=[2, 3, 8, 8], filter=kernel, out_backprop=small, name="to_input", **conv
        )
        raw.Conv2DBackpropFilter(
            input=image, filter_sizes=[3, 3, 3, 16], out_backprop=small, name="to_filter", **conv
        )
    expected = {
        "max": 384, "average": 384, "max_grad": 480, "average_grad": 768,
        "to_input": 27648, "to_filter": 27648,
    }  # fmt: skip
    assert theirs(graph) == ({}, set(expected))
    assert count_in(graph, tmp_path).by_node == expected


def test_control_inputs_are_not_added(tmp_path):
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [4])
        with tf.control_dependencies([tf.no_op()]):
            tf.add_n([x, x], name="sum")
    assert theirs(graph)[0] == {"sum": 8}
    assert count_in(graph, tmp_path).by_node == {"sum": 4}


# --- runs


def test_a_run_completes_what_a_fed_placeholder_leaves_open(tmp_path):
    with tf.Graph().as_default() as graph:
        unknown_shapes()
        run = v1.RunMetadata()
        with v1.Session(graph=graph) as session:
            session.run(v1.global_variables_initializer())
            session.run(
                graph.get_operation_by_name("GradientDescent"),
                {"Placeholder:0": [[1.0] * 8] * 3},
                v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE),
                run,
            )
    (tmp_path / "run_meta").write_bytes(run.SerializeToString())
    (tmp_path / "graph.pb").write_bytes(graph.as_graph_def(add_shapes=True).SerializeToString())
    ours = counted(tmp_path / "graph.pb", tmp_path / "run_meta").by_node
    assert ours["MatMul"] == 2 * 3 * 8 * 4
    assert ours["add"] == 12
    assert ours["gradients/MatMul_grad/MatMul_1"] == 2 * 3 * 8 * 4
    with tf.Graph().as_default() as fixed:
        tf.import_graph_def(
            graph.as_graph_def(), {"Placeholder:0": v1.placeholder(tf.float32, [3, 8])}, name=""
        )
    expected, _ = theirs(fixed)
    assert ours.items() <= expected.items()


def test_resnet32_counts_what_its_log_says(samples):
    graph, log = samples / "resnet32/graph.pb", samples / "resnet32/tfprof_log"
    ours = counted(graph)
    assert len(ours.by_node) > 1000
    assert ours.by_node == load(log).oplog.float_ops
    assert ours.unknown == {}
    assert counted(graph, log).by_node == ours.by_node


def test_unet_needs_its_run(unet):
    first = "model/left0/conv0/conv2d/Conv2D"
    assert first in counted(unet / "graph.pb").unknown["Conv2D"]
    ours = counted(unet / "graph.pb", unet / "run_meta")
    # a 572 × 572 image, 3 × 3 filters without padding: 570 × 570 results in 64 channels
    assert ours.by_node[first] == 2 * 570 * 570 * 64 * 9
    # also the gradient of the image itself, which is in the graph, yet nothing runs it
    assert ours.unknown == {}
