"""A Profiler that was saved answers as the live one does."""

import numpy as np
import pytest
import tensorflow as tf

import tfprof
from tfprof.compat import ProfileOptionBuilder, Profiler

V1 = tf.compat.v1
SELECTED = ["device", "input_shapes", "op_types", "micros", "bytes", "occurrence", "params"]


@pytest.fixture(scope="module")
def profiler():
    """Control edges, several outputs of one op, and a device that is not there."""
    with tf.Graph().as_default() as graph:
        x = V1.placeholder(tf.float32, [None, 8], name="x")
        left, right = tf.split(x, [2, 6], axis=1, name="halves")
        weight = V1.get_variable("w", [8, 8])
        with tf.device("/gpu:0"):
            y = tf.nn.relu(tf.concat([right, left], axis=1) @ weight)
        train = V1.train.AdamOptimizer(0.1).minimize(tf.reduce_mean(y**2))
        made = Profiler(graph)
        options = V1.RunOptions(trace_level=V1.RunOptions.FULL_TRACE)
        with V1.Session(config=V1.ConfigProto(allow_soft_placement=True)) as session:
            session.run(V1.global_variables_initializer())
            for step in (3, 7):
                metadata = V1.RunMetadata()
                feed = {x: np.ones((4, 8), np.float32)}
                session.run(train, feed, options=options, run_metadata=metadata)
                made.add_step(step, metadata)
    return made


@pytest.fixture(scope="module")
def saved(profiler, tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "profile_7"
    path.write_bytes(profiler.serialize_to_string())
    return tfprof.load(path)


@pytest.mark.parametrize("view", ["scope", "graph", "op", "code"])
def test_the_four_views_are_the_same(profiler, saved, view, tmp_path):
    texts = []
    for name, data in (("live", profiler._data(with_code=True)), ("saved", saved.data)):
        path = tmp_path / name
        chosen = ProfileOptionBuilder(ProfileOptionBuilder.time_and_memory())
        options = chosen.select(SELECTED).with_file_output(str(path)).build()
        options |= {"min_micros": 0, "min_bytes": 0}
        tfprof.compat.show.show(data, view, *tfprof.compat.options.as_options(options))
        texts.append(path.read_text())
    assert texts[0] == texts[1]


def _data(answer):
    return answer.to_dict()["data"]


def test_devices_that_were_asked_for_are_kept(profiler, saved):
    live = profiler._data(with_code=True).graph
    assert list(saved.data.graph.devices) == list(live.devices)
    assert saved.data.graph.edges.port.tolist() == live.edges.port.tolist()
    asked = {(one["op"], one["asked"]) for one in _data(saved.placement())["soft_placed"]}
    assert ("Relu", "/gpu:0") in asked
