"""Loops that do not say how often they go round: the run knows."""

import numpy as np
import pytest
import tensorflow as tf

import tfprof

ROUNDS, MACS = 12, 4 * 32 * 32


def traced(folder, *, nested=1, functions):
    """A session that goes round as often as it is told to; with a loop inside, `nested` times."""
    v1 = tf.compat.v1
    was = v1.control_flow_v2_enabled()
    (v1.enable_control_flow_v2 if functions else v1.disable_control_flow_v2)()
    try:
        graph, run = tf.Graph(), v1.RunMetadata()
        with graph.as_default():
            x = v1.placeholder(tf.float32, [4, 32], name="x")
            count, inner = (v1.placeholder(tf.int32, [], name=name) for name in ("n", "m"))
            weights = v1.get_variable("weights", [32, 32])

            def step(i, state):
                return i + 1, tf.tanh(state @ weights)

            def outer(i, state):
                return i + 1, v1.while_loop(lambda j, _: j < inner, step, [0, state], name="in")[1]

            body = step if nested == 1 else outer
            out = v1.while_loop(lambda i, _: i < count, body, [0, x], name="rnn")[1]
            total = tf.reduce_sum(out)
            with v1.Session() as session:
                session.run(v1.global_variables_initializer())
                fed = {x: np.ones((4, 32)), count: ROUNDS, inner: nested}
                options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
                session.run(total, fed, options=options, run_metadata=run)
        (folder / "graph.pb").write_bytes(graph.as_graph_def().SerializeToString())
        (folder / "run_meta").write_bytes(run.SerializeToString())
    finally:
        (v1.enable_control_flow_v2 if was else v1.disable_control_flow_v2)()
    return folder


@pytest.mark.parametrize("functions", [False, True])
def test_the_run_tells_how_often_a_loop_goes_round(tmp_path, functions):
    profile = tfprof.load(traced(tmp_path, functions=functions))
    for answer in (
        profile.summary().to_dict(),
        {"data": profile.layers().to_dict()["data"]["total"]},
    ):
        assert answer["data"]["macs"] == ROUNDS * MACS
    assert any("went 12 times in the run: T = 12" in one for one in profile.summary().warnings)
    assert profile.layers(dims={"T": 5}).to_dict()["data"]["total"]["macs"] == 5 * MACS
    alone = tfprof.load(tmp_path / "graph.pb").summary().to_dict()["data"]
    assert alone["macs_formula"]["text"] == f"{MACS}*T"


def test_of_a_loop_in_a_loop_each_knows_its_own(tmp_path):
    profile = tfprof.load(traced(tmp_path, nested=3, functions=False))
    assert profile.summary().to_dict()["data"]["macs"] == ROUNDS * 3 * MACS
