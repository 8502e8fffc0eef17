"""One number of parameters: those that are trained, unless more is asked for."""

import pytest
import tensorflow as tf

import tfprof
from tfprof.errors import UsageError


def made(*, trains):
    """Weights, a bias that is not trained, a counter; a momentum where it trains."""
    v1 = tf.compat.v1
    graph = tf.Graph()
    with graph.as_default():
        x = v1.placeholder(tf.float32, [None, 8])
        weights = v1.get_variable("weights", [8, 4])
        bias = v1.get_variable("bias", [4], trainable=False)
        step = v1.train.get_or_create_global_step()
        loss = tf.reduce_mean(x @ weights + bias)
        if trains:
            v1.train.MomentumOptimizer(0.1, 0.9).minimize(loss, global_step=step)
    return graph


@pytest.mark.parametrize("trains", [False, True])
def test_a_live_graph_counts_what_is_trained(trains):
    graph = made(trains=trains)
    assert tfprof.parameter_count(graph) == 32
    assert tfprof.parameter_count(graph, which="all") == 32 + 4 + 1 + (32 if trains else 0)


def test_where_nothing_says_what_is_trained_a_counter_is_not():
    definition = made(trains=False).as_graph_def()
    assert tfprof.parameter_count(definition) == 32 + 4
    assert tfprof.parameter_count(definition, which="all") == 32 + 4 + 1


def test_other_parameters_are_asked_for_by_name(samples):
    graph = samples / "resnet32"
    counts = [tfprof.parameter_count(graph, which=one) for one in ("trainable", "model", "all")]
    assert counts == [464154, 464154 + 2272, 930581]
    with pytest.raises(UsageError, match="which="):
        tfprof.parameter_count(graph, which="every")
