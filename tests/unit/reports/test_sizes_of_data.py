"""Sizes that hang on the data: at most so much, or no batch, and the op that is to blame."""

import pytest
import tensorflow as tf

import tfprof

BUDGET = 1_000_000


@pytest.fixture
def memory(tmp_path):
    def asked(function, *specs):
        weight = tf.Variable(tf.zeros([64, 32]))
        traced = tf.function(lambda *given: function(*given) @ weight)
        graph = traced.get_concrete_function(*specs).graph
        path = tmp_path / "graph.pb"
        path.write_bytes(graph.as_graph_def(add_shapes=True).SerializeToString())
        return tfprof.load(path).memory(device_memory=BUDGET).to_dict()

    return asked


def test_of_what_is_chosen_all_may_be(memory):
    rows = tf.TensorSpec([None, 64])
    found = memory(lambda x: tf.boolean_mask(x, x[:, 0] > 0), rows)
    device = found["data"]["devices"]["/cpu:0"]
    assert device["peak_bytes"] >= 4 * (64 + 32)
    assert found["data"]["safe_batch"] * 4 * (64 + 32) <= BUDGET
    assert any("chosen by boolean_mask/Where" in one for one in found["warnings"])


def test_no_batch_fits_where_a_size_is_open_and_the_op_is_named(memory):
    def in_python(x):
        return tf.reshape(tf.numpy_function(lambda one: one, [x], tf.float32), [-1, 64])

    found = memory(in_python, tf.TensorSpec([None, 64]))
    assert found["data"]["max_batch"] is None
    assert found["data"]["safe_batch"] is None
    (said,) = (one for one in found["warnings"] if one.startswith("max_batch"))
    assert "(PyFunc) has no rule" in said
    assert "op_rule" in said
