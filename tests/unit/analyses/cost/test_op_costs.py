"""What models compute before they run: the known numbers, functions, loops, branches."""

import keras
import numpy as np
import pytest
import tensorflow as tf

import tfprof
from tfprof.analyses.cost.op_costs import op_costs
from tfprof.analyses.graph.subgraph import phases, subgraph
from tfprof.analyses.inference.sites import Given
from tfprof.api.anything import data_of
from tfprof.errors import UsageError
from tfprof.model.dims import symbol
from tfprof.sources.find.load import Request, read_one

B = symbol("B")


def costs(model, given=None, **part):
    data = data_of(model)
    return op_costs(data, subgraph(data, **part), given)


def traced(function, *specs):
    return tf.function(function).get_concrete_function(*specs)


def spec(*shape, dtype=tf.float32):
    return tf.TensorSpec(shape, dtype)


# --- the table of design/anchors.md 11.2: what the original counts wrong


def test_a_matrix_product():
    made = costs(traced(tf.matmul, spec(100, 100), spec(100, 100)))
    assert made.total.flops == 2_000_000


def test_a_batch_of_matrix_products():
    made = costs(traced(tf.matmul, spec(4, 100, 100), spec(4, 100, 100)))
    assert made.total.flops == 8_000_000


def test_a_convolution_of_volumes():
    image, kernel = spec(1, 12, 12, 12, 3), spec(3, 3, 3, 3, 5)
    made = costs(traced(lambda x, k: tf.nn.conv3d(x, k, [1] * 5, "VALID"), image, kernel))
    assert made.total.flops == 2 * 10 * 10 * 10 * 5 * 27 * 3


def test_a_product_inside_a_branch_is_counted_once():
    def either(pick, x):
        return tf.cond(pick, lambda: tf.matmul(x, x), lambda: x)

    made = costs(traced(either, spec(dtype=tf.bool), spec(100, 100)))
    assert made.total.flops == 2_000_000
    assert any("branches" in note for note in made.inferred.notes)


def test_an_einsum():
    product = traced(
        lambda a, b: tf.einsum("bij,bjk->bik", a, b), spec(4, 100, 100), spec(4, 100, 100)
    )
    assert costs(product).total.flops == 8_000_000


def test_an_open_batch_is_a_formula():
    filters = tf.constant(np.zeros((3, 3, 3, 16), np.float32))
    made = costs(traced(lambda x: tf.nn.conv2d(x, filters, 1, "SAME"), spec(None, 32, 32, 3)))
    assert made.total.flops == B * 884_736
    assert made.symbols == ["B"]


def test_every_round_of_a_recurrent_layer_counts():
    model = keras.Sequential([keras.Input((20, 16)), keras.layers.LSTM(32)])
    assert tfprof.flops(model) == B * (2 * 20 * (16 + 32) * 4 * 32)


def test_attention_counts_both_contractions():
    x = keras.Input((32, 64))
    model = keras.Model(x, keras.layers.MultiHeadAttention(4, 16)(x, x))
    projections, contractions = 4 * 32 * 64 * 64, 2 * 32 * 32 * 64
    assert tfprof.flops(model) == B * 2 * (projections + contractions)


# --- models


@pytest.mark.parametrize(
    ("sample", "macs"),
    [
        ("keras_MobileNetV2_fwd", 300_774_272),
        ("keras_ResNet50_fwd", 3_857_973_248),
        ("keras_bert_base_fwd", 11_173_627_392),
        ("keras_mlp_fwd", 406_528),
        ("keras_lstm_fwd", 100 * 49_152 + 128),
    ],
)
def test_macs_are_those_of_the_references(samples, sample, macs):
    made = costs(samples / f"{sample}.graph.pb")
    assert made.total.macs == B * macs
    assert made.uncounted == []


def test_a_training_step_is_forward_and_twice_that(samples):
    made = costs(samples / "keras_lstm_train.graph.pb")
    assert made.part.mode == "train"
    assert made.of_phase("forward").macs == B * (100 * 49_152 + 128)
    assert made.of_phase("backward").macs == made.of_phase("forward").macs * 2
    assert made.of_phase("update").macs == 0
    assert made.uncounted == []


def test_unet_from_the_graph_alone(unet):
    path = unet / "graph.pb"
    given = Given({"H": 572, "W": 572})
    assert costs(path, given).total.macs == B * 451_285_273_344
    assert costs(path, given, mode="inference").total.macs == B * 150_428_424_448


def test_a_run_tells_the_sizes(unet):
    made = costs(read_one(Request([unet / "graph.pb", unet / "run_meta"])))
    assert made.total.macs == 451_285_273_344


# --- which part is computed


def test_initializers_and_savers_are_not_computed(unet):
    made = costs(unet / "graph.pb", mode="inference")
    names = [op.site.name for op in made.ops]
    assert not [name for name in names if "Initializer" in name or name.startswith("save")]


def test_a_fetched_node_needs_only_what_is_before_it(unet):
    first = "model/left0/conv0/conv2d/Conv2D"
    made = costs(unet / "graph.pb", Given({"H": 572, "W": 572}), fetch=[first])
    assert made.total.macs == B * (570 * 570 * 64 * 9)


def test_what_cannot_train_is_refused(samples):
    with pytest.raises(UsageError, match="nothing in this graph trains"):
        costs(samples / "keras_mlp_fwd.graph.pb", mode="train")


def test_an_unknown_fetch_is_named(samples):
    with pytest.raises(UsageError, match="no node is called 'nowhere'"):
        costs(samples / "keras_mlp_fwd.graph.pb", fetch=["nowhere"])


def test_every_node_is_in_one_phase(samples):
    graph = data_of(samples / "keras_mlp_train.graph.pb").graph
    found = phases(graph)
    by_name = dict(zip(graph.names, found.tolist(), strict=True))
    assert by_name["functional_1/dense_1/MatMul"] == 0
    assert by_name["gradient_tape/functional_1/dense_1/MatMul/MatMul"] == 1
    assert {op for op, phase in zip(graph.names, found, strict=True) if phase == 2}


# --- loops


def test_rounds_of_a_loop_are_found():
    def repeated(x):
        return tf.while_loop(lambda i, _: i < 7, lambda i, y: (i + 2, tf.matmul(y, x)), (1, x))[1]

    assert costs(traced(repeated, spec(10, 10))).total.macs == 3 * 1_000


def test_rounds_that_depend_on_data_are_a_symbol():
    def until_large(x):
        small = lambda y: tf.reduce_sum(y) < 9.0  # noqa: E731
        return tf.while_loop(small, lambda y: [tf.matmul(y, x)], [x])[0]

    function = traced(until_large, spec(10, 10))
    made = costs(function)
    assert made.total.macs == symbol("T") * 1_000
    assert any("--dim T=N" in note for note in made.inferred.notes)
    assert costs(function, Given({"T": 5})).total.macs == 5_000


def test_loops_of_the_early_kind_are_counted(tmp_path):
    v1 = tf.compat.v1
    graph = tf.Graph()
    with graph.as_default():
        v1.disable_control_flow_v2()
        x = v1.placeholder(tf.float32, [10, 10], name="x")
        tf.while_loop(lambda i, _: i < 6, lambda i, y: (i + 1, tf.matmul(y, x)), (0, x))
        v1.enable_control_flow_v2()
    path = tmp_path / "graph.pb"
    path.write_bytes(graph.as_graph_def().SerializeToString())
    assert costs(path).total.macs == 6_000


def test_calls_are_gone_into_under_their_names():
    @tf.function
    def inner(x):
        return tf.matmul(x, x, name="product")

    made = costs(traced(lambda x: inner(inner(x)), spec(10, 10)))
    assert made.total.macs == 2_000
    names = [op.site.name for op in made.ops if op.site.op == "MatMul"]
    assert len(set(names)) == 2
    assert all(name.endswith("/product") and "PartitionedCall" in name for name in names)


# --- what is not known is said


def test_an_op_without_a_rule_is_listed_and_never_counts(tmp_path):
    from tfprof.wire.schema import message_class

    message = message_class("GraphDef")()
    message.versions.producer = 1882
    x = message.node.add(name="x", op="Placeholder")
    x.attr["dtype"].type = 1
    x.attr["shape"].shape.dim.add(size=4)
    message.node.add(name="mine", op="MyOwnOp", input=["x"])
    message.node.add(name="after", op="Relu", input=["mine"])
    path = tmp_path / "graph.pb"
    path.write_bytes(message.SerializeToString())
    made = costs(path)
    reasons = {(one.op, one.reason) for one in made.uncounted}
    assert reasons == {("MyOwnOp", "no rule"), ("Relu", "mine (MyOwnOp) has no rule")}
    assert made.total.flops_all == 0


def test_variables_that_are_gone_are_known_by_their_handles():
    def build():
        weights = tf.Variable(tf.zeros((4, 7)))
        return traced(lambda x: tf.matmul(x, weights), spec(None, 4))

    assert tfprof.flops(build()) == B * (2 * 4 * 7)
