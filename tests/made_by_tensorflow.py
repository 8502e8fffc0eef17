"""Files that TensorFlow writes for the tests. Each function writes into a folder it is given."""

from pathlib import Path

import tensorflow as tf


def mobilenet_saved_model(folder: Path) -> Path:
    import keras

    keras.utils.set_random_seed(1)
    keras.applications.MobileNetV2(weights=None).export(folder, verbose=False)
    return folder


def small_mlp():
    import keras

    return keras.Sequential([
        keras.layers.Input((784,)),
        keras.layers.Dense(512, activation="relu", name="hidden"),
        keras.layers.Dense(10, name="out"),
    ])  # fmt: skip


def mlp_saved_model(folder: Path) -> Path:
    small_mlp().export(folder, verbose=False)
    return folder


def tf1_graph(optimizer=None):
    """A graph of the old kind: two dense layers, a counter, and a step if there is an optimizer."""
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [None, 8], name="x")
        hidden = v1.get_variable("hidden/kernel", [8, 4], use_resource=False)
        bias = v1.get_variable("hidden/bias", [4], use_resource=False)
        scale = v1.get_variable("scale", [4], trainable=False, use_resource=False)
        y = tf.identity(tf.nn.relu(tf.matmul(x, hidden) + bias) * scale, name="y")
        counter = v1.train.get_or_create_global_step()
        if optimizer is not None:
            loss = tf.reduce_mean(tf.square(y))
            optimizer().minimize(loss, global_step=counter, name="train")
        v1.global_variables_initializer()
    return graph


def tf1_saved_model(folder: Path) -> Path:
    v1 = tf.compat.v1
    graph = tf1_graph()
    with v1.Session(graph=graph) as session:
        session.run(graph.get_operation_by_name("init"))
        v1.saved_model.simple_save(
            session,
            str(folder),
            {"x": graph.get_tensor_by_name("x:0")},
            {"y": graph.get_tensor_by_name("y:0")},
        )
    return folder


def op_log(graph: bytes, flops=()) -> bytes:
    """An op log: FLOPs for some nodes, types and stacks for the trainable variables."""
    from tensorflow.core.profiler import tfprof_log_pb2

    log = tfprof_log_pb2.OpLogProto()
    log.id_to_string.update({1: "model.py", 2: "build", 3: "x = conv(x)"})
    for name, count in flops:
        log.log_entries.add(name=name, float_ops=count)
    for node in tf.compat.v1.GraphDef.FromString(graph).node:
        if node.op == "VariableV2" and "Adam" not in node.name and "beta" not in node.name:
            entry = log.log_entries.add(name=node.name, types=["_trainable_variables"])
            entry.code_def.traces.add(file_id=1, lineno=7, function_id=2, line_id=3)
    return log.SerializeToString()


def profile_proto(graph: bytes, runs: dict[int, bytes], log: bytes = b"") -> bytes:
    """What the original's engine saves of a graph and its steps."""
    from tensorflow.python.util import _pywrap_tfprof as engine

    engine.NewProfiler(graph, log)
    try:
        for step, run in runs.items():
            engine.AddStep(step, graph, run, log)
        return engine.SerializeToString()
    finally:
        engine.DeleteProfiler()


def eager_run_metadata() -> bytes:
    """Run metadata of TensorFlow 2: the graphs of a function that was called; no executions."""
    from tensorflow.python.eager import context

    weight = tf.Variable(tf.ones([4, 3]))

    @tf.function
    def step(x):
        return tf.reduce_sum(tf.nn.relu(x @ weight))

    context.enable_run_metadata()
    try:
        step(tf.ones([2, 4]))
        return context.export_run_metadata().SerializeToString()
    finally:
        context.disable_run_metadata()
