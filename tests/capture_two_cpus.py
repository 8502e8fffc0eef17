"""How tests/data/two_cpus, tests/data/two_cpus_function and tests/logs were captured.

On two CPU devices of one machine. A training step of a session: the first layer asks for the first
CPU, the second for the other one, and the loss for a GPU that is not there, so that soft placement
puts it on a CPU. And a function of TensorFlow 2 that asks for the same, profiled. The log of where
ops were placed is kept of both. To capture them anew:

    python tests/capture_two_cpus.py FOLDER
"""

import gzip
import os
import subprocess
import sys
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "0"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"

import tensorflow as tf

v1 = tf.compat.v1

BATCH, INPUTS, HIDDEN, CLASSES = 32, 64, 256, 10
FETCHED = ["train", "loss/mean:0"]
FIRST, SECOND, ABSENT = "/cpu:0", "/cpu:1", "/gpu:0"
SESSION, FUNCTION = "two_cpus", "two_cpus_function"


def classifier():
    """Two dense layers, one on each CPU, trained by gradient descent with momentum."""
    with tf.Graph().as_default() as graph:
        images = v1.placeholder(tf.float32, [BATCH, INPUTS], name="images")
        labels = v1.placeholder(tf.int32, [BATCH], name="labels")
        with v1.device(FIRST):
            hidden = tf.nn.relu(_dense("first", images, HIDDEN))
        with v1.device(SECOND):
            logits = _dense("second", hidden, CLASSES)
        with v1.device(ABSENT), v1.name_scope("loss"):
            squashed = tf.tanh(logits)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, squashed)
            loss = tf.reduce_mean(losses, name="mean")
        v1.train.MomentumOptimizer(0.1, 0.9).minimize(loss, name="train")
        v1.global_variables_initializer()
    return graph


def _dense(name, values, units):
    with v1.variable_scope(name):
        kernel = v1.get_variable("kernel", [values.shape[1], units], use_resource=False)
        bias = v1.get_variable("bias", [units], use_resource=False)
        return tf.nn.bias_add(values @ kernel, bias)


def of_session(folder):
    """The run metadata of the second step; the first one sets up buffers."""
    graph = classifier()
    config = v1.ConfigProto(
        device_count={"CPU": 2}, allow_soft_placement=True, log_device_placement=True
    )
    feed = {"images:0": [[0.5] * INPUTS] * BATCH, "labels:0": [1] * BATCH}
    full = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE, output_partition_graphs=True)
    run_meta = v1.RunMetadata()
    with v1.Session(graph=graph, config=config) as session:
        session.run("init")
        session.run(FETCHED, feed)
        session.run(FETCHED, feed, options=full, run_metadata=run_meta)
    _write(folder / "graph.pb", graph.as_graph_def(add_shapes=True))
    _write(folder / "run_meta", run_meta)


def of_function(folder):
    """Three calls of a function, as TensorFlow 2's profiler records them."""
    (cpu,) = tf.config.list_physical_devices("CPU")
    two = [tf.config.LogicalDeviceConfiguration()] * 2
    tf.config.set_logical_device_configuration(cpu, two)
    tf.config.set_soft_device_placement(True)
    tf.debugging.set_log_device_placement(True)
    weights = tf.Variable(tf.random.normal([HIDDEN, HIDDEN]))

    @tf.function
    def layer(values):
        with tf.device(SECOND):
            product = values @ weights
        with tf.device(ABSENT):
            shown = tf.nn.relu(product)
        with tf.device(FIRST):
            return tf.reduce_sum(shown @ weights)

    values = tf.random.normal([BATCH, HIDDEN])
    layer(values)
    tf.profiler.experimental.start(str(folder))
    for _ in range(3):
        layer(values)
    tf.profiler.experimental.stop()
    (capture,) = folder.rglob("*.xplane.pb")
    packed = gzip.compress(capture.read_bytes(), 9, mtime=0)
    (folder / "host.xplane.pb.gz").write_bytes(packed)
    _write(
        folder / "graph.pb",
        layer.get_concrete_function(values).graph.as_graph_def(add_shapes=True),
    )


def _write(path, message):
    packed = gzip.compress(message.SerializeToString(deterministic=True), 9, mtime=0)
    path.with_name(f"{path.name}.gz").write_bytes(packed)


def main(folder):
    """Each in a process of its own, for the log."""
    for name in (SESSION, FUNCTION):
        (folder / name).mkdir(exist_ok=True)
        words = [sys.executable, __file__, str(folder / name), name]
        ran = subprocess.run(words, stderr=subprocess.PIPE, text=True, check=True)
        (folder / f"{name}.log").write_text(ran.stderr)


if __name__ == "__main__":
    if len(sys.argv) > 2:
        {SESSION: of_session, FUNCTION: of_function}[sys.argv[2]](Path(sys.argv[1]))
    else:
        main(Path(sys.argv[1]))
