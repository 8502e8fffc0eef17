"""Small TensorFlow 1 models for the tests, built and run the way users of the original do."""

from contextlib import contextmanager

import tensorflow as tf

v1 = tf.compat.v1
LOOPS = 4


def convolutions():
    """Two convolutions of zeros, and a scalar that nothing uses."""
    image = tf.zeros([2, 8, 8, 3])
    v1.get_variable("scalar", [])
    first = v1.get_variable("first", [3, 3, 3, 4])
    x = tf.nn.conv2d(image, first, [1, 2, 2, 1], "SAME", name="Conv_a")
    second = v1.get_variable("second", [2, 2, 4, 6])
    return tf.nn.conv2d(x, second, [1, 2, 2, 1], "SAME", name="Conv_b")


def recurrent():
    """A training step: four small branches, a loop over their join, and its gradients."""
    seen = []
    for branch in range(4):
        with v1.variable_scope(f"branch_{branch}"):
            seen.append(tf.reshape(convolutions(), [2, -1]))
    start = tf.concat(seen, axis=1)
    weight = v1.get_variable("cell/weight", [96, 96])

    def again(at, state):
        return at + 1, tf.tanh(tf.matmul(state, weight, name="product"))

    _, state = v1.while_loop(lambda at, _: at < LOOPS, again, [0, start], name="loop")
    loss = tf.reduce_mean(tf.square(state - 1.0), name="loss")
    return v1.train.GradientDescentOptimizer(0.01).minimize(loss, name="descend")


@contextmanager
def old_loops():
    """Loops as nodes of the graph, as TensorFlow 1 built them, and not as functions."""
    v1.disable_control_flow_v2()
    try:
        yield
    finally:
        v1.enable_control_flow_v2()


class Live:
    """A graph, its session, and runs that are traced."""

    def __init__(self, build):
        with old_loops(), tf.Graph().as_default() as self.graph:
            self.fetch = build()
            self.initialize = v1.global_variables_initializer()
        config = v1.ConfigProto()
        # what the graph says is what runs: nothing folded, fused or moved
        config.graph_options.rewrite_options.disable_meta_optimizer = True
        config.graph_options.optimizer_options.opt_level = v1.OptimizerOptions.L0
        self.session = v1.Session(graph=self.graph, config=config)
        self.initialized = self.run(self.initialize)

    def run(self, fetch=None, level="FULL_TRACE"):
        """The run metadata of one run."""
        run_meta = v1.RunMetadata()
        options = v1.RunOptions(trace_level=getattr(v1.RunOptions, level))
        self.session.run(self.fetch if fetch is None else fetch, None, options, run_meta)
        return run_meta


def found(root, name):
    """The row of this name, or None."""
    return next((row for row in root.rows if row.name == name), None)
