"""What we make of a step against what Grappler makes of it: the same ops, and the same peak."""

from collections import Counter

import pytest
import tensorflow as tf
from tensorflow.core.protobuf import config_pb2, device_properties_pb2
from tensorflow.python.grappler import cluster, item, tf_optimizer

import tfprof
from tfprof.analyses.optimised.optimise import optimised
from tfprof.reports.memory.asked_steps import estimator_of
from tfprof.reports.memory.query import Query

v1 = tf.compat.v1
CPU = "/device:CPU:0"
# what is heavy, what passes on, and what Grappler fuses
LOOKED_AT = ("Conv2D", "MatMul", "BiasAdd", "FusedBatchNormV3", "IdentityN", "StopGradient")
FUSED = {"_FusedConv2D": "Conv2D", "_FusedMatMul": "MatMul"}


def grappler(graph, fetches):
    """The graph that a default session would run."""
    for name in fetches:
        graph.add_to_collection("train_op", graph.get_operation_by_name(name))
    with graph.as_default():
        exported = v1.train.export_meta_graph(graph=graph)
    for node in exported.graph_def.node:
        node.device = CPU
    made = tf_optimizer.OptimizeGraph(config_pb2.ConfigProto(), exported)
    for node in made.node:
        node.device = ""
    return made


def imported(path):
    read = path.read_bytes()
    is_meta = path.suffix == ".meta"
    definition = v1.MetaGraphDef.FromString(read).graph_def if is_meta else None
    with tf.Graph().as_default() as graph:
        tf.graph_util.import_graph_def(definition or v1.GraphDef.FromString(read), name="")
    return graph


def ours(data, batch):
    """What is computed while the step runs: what is folded reads nothing any more."""
    made = optimised(estimator_of(data, Query()).program(batch))
    return Counter(step.op.site.op for step in made.steps if any(step.reads))


def theirs(graph):
    return Counter(FUSED.get(node.op, node.op) for node in graph.node if node.input)


CASES = {
    "resnet50_infer_b1.meta": ("logits",),
    "keras_mlp_train.graph.pb": (),
    "keras_MobileNetV2_train.graph.pb": (),
}


def rewritten(path, fetches):
    graph = imported(path)
    writes = [op.name for op in graph.get_operations() if op.type.startswith("Assign")]
    return grappler(graph, fetches or ("Identity", *writes))


@pytest.mark.parametrize("name", CASES)
def test_the_ops_that_are_left(samples, name):
    counts = ours(tfprof.load(samples / name).data, 8)
    expected = theirs(rewritten(samples / name, CASES[name]))
    assert {op: counts[op] for op in LOOKED_AT} == {op: expected[op] for op in LOOKED_AT}


@pytest.mark.parametrize(
    ("name", "asked", "table"),
    [
        ("resnet50_infer_b1.meta", {}, None),
        ("keras_mlp_train.graph.pb", {"batch": 8}, "keras_mlp_train_vars.json"),
    ],
)
def test_the_peak_is_that_of_its_graph(samples, tmp_path, name, asked, table):
    path = tmp_path / "grappler.pb"
    path.write_bytes(rewritten(samples / name, CASES[name]).SerializeToString())
    variables = table and samples / table
    peaks = [
        tfprof.load(file, vars=variables).memory(as_=form, **asked).to_dict()["data"]["devices"]
        for file, form in ((samples / name, "optimised"), (path, "written"))
    ]
    one, other = (found["/cpu:0"]["peak_bytes"] for found in peaks)
    assert one == pytest.approx(other, rel=0.01)


def variable(name, *shape):
    return v1.placeholder(tf.float32, shape, name=name)


def biased(made, name, then=lambda one: one):
    return then(tf.nn.bias_add(made, variable(name, made.shape[-1]), name=f"{name}_added"))


def convolved(then):
    image = v1.placeholder(tf.float32, [None, 8, 8, 4], name="x")
    made = tf.nn.conv2d(image, variable("w", 3, 3, 4, 8), 1, "SAME")
    return tf.reduce_max(biased(made, "b", then), 0)


def multiplied(then):
    rows = v1.placeholder(tf.float32, [None, 8], name="x")
    return tf.reduce_max(biased(tf.matmul(rows, variable("w", 8, 8)), "b", then), 0)


def volumes(then):
    image = v1.placeholder(tf.float32, [None, 8, 8, 8, 4], name="x")
    made = tf.nn.conv3d(image, variable("w", 3, 3, 3, 4, 8), [1] * 5, "SAME")
    return tf.reduce_max(biased(made, "b", then), 0)


def constants(then):
    rows = v1.placeholder(tf.float32, [None, 300], name="x")
    large = tf.sqrt(tf.fill([300, 300], 2.0)) * 3.0
    return tf.reduce_max(then(tf.matmul(rows, large)), 0)


@pytest.mark.parametrize("then", [tf.nn.relu, tf.nn.relu6, tf.nn.leaky_relu, tf.tanh])
@pytest.mark.parametrize("build", [convolved, multiplied, volumes, constants])
def test_what_is_fused_and_folded(tmp_path, build, then):
    with tf.Graph().as_default() as graph:
        end = tf.identity(build(then), name="end")
    path = tmp_path / "graph.pb"
    path.write_bytes(graph.as_graph_def().SerializeToString())
    left = ours(tfprof.load(path).data, 4)
    expected = theirs(grappler(graph, [end.op.name]))
    assert left == expected


def grappler_own_peak(graph, fetches):
    """What its simulation says before anything is fed, on two cores."""
    device = device_properties_pb2.NamedDevice(name="/job:localhost/replica:0/task:0/device:CPU:0")
    device.properties.type = "CPU"
    device.properties.frequency, device.properties.num_cores = 2_000, 2
    device.properties.memory_size = 1 << 40
    for one in fetches:
        graph.add_to_collection("train_op", one)
    with graph.as_default():
        asked = item.Item(v1.train.export_meta_graph())
    virtual = cluster.Cluster(devices=[device])
    return max(peak for peak, _ in virtual.DeterminePeakMemoryUsage(asked).values())


def convolutional_step(batch):
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [batch, 64, 64, 3], name="x")
        for filters in (16, 32):
            kernel = v1.get_variable(f"kernel{filters}", [3, 3, x.shape[-1], filters])
            x = tf.nn.relu(tf.nn.conv2d(x, kernel, 1, "SAME"))
        loss = tf.reduce_mean(x, name="loss")
        return graph, [loss, v1.train.GradientDescentOptimizer(0.1).minimize(loss)]


def swapped(graph, path, **asked):
    path.write_bytes(graph.as_graph_def().SerializeToString())
    (found,) = tfprof.load(path).memory(swap=16, **asked).to_dict()["data"]["what_if"]
    return found["grappler"]


def test_the_peak_that_its_swapping_goes_by_takes_an_open_batch_for_one(tmp_path):
    graph, fetches = convolutional_step(None)
    told = swapped(graph, tmp_path / "graph.pb", batch=32)
    assert told["open_sizes"] == ["B"]
    assert told["peak_bytes"] == pytest.approx(grappler_own_peak(graph, fetches), rel=0.02)


def test_what_leaves_nothing_open_needs_no_second_peak(tmp_path):
    assert swapped(convolutional_step(4)[0], tmp_path / "graph.pb") is None
