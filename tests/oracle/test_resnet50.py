"""`--compat original` against TensorFlow's engine on ResNet-50: no view of any set differs."""

import keras
import pytest
import tensorflow as tf
from engine import _captured as captured
from engine import engine_text, our_text
from tensorflow.core.profiler import tfprof_log_pb2

v1 = tf.compat.v1
VIEWS = ["scope", "graph", "op", "code"]
EVERYTHING = {
    "max_depth": 10_000,
    "step": -1,
    "order_by": "name",
    "account_type_regexes": [".*"],
    "start_name_regexes": [".*"],
    "show_name_regexes": [".*"],
    "select": ["params", "float_ops", "bytes", "micros", "device"],
}
OPTIONS = {
    "everything": {},
    "time": {"order_by": "micros", "min_micros": 1000, "select": ["micros", "cpu_micros"]},
    "memory": {
        "order_by": "peak_bytes",
        "min_bytes": 100_000,
        "select": ["bytes", "peak_bytes", "residual_bytes", "output_bytes"],
    },
    "one_step": {"step": 0, "order_by": "bytes", "max_depth": 4},
    "trained": {
        "account_type_regexes": ["_trainable_variables"],
        "account_displayed_op_only": True,
        "order_by": "params",
        "select": ["params"],
    },
    "convolutions": {
        "account_type_regexes": ["Conv2D.*"],
        "order_by": "float_ops",
        "min_float_ops": 1_000_000,
        "select": ["float_ops", "occurrence", "op_types", "input_shapes"],
    },
    "names": {
        "start_name_regexes": ["gradients.*", "conv1.*", "Conv.*", ".*py:.*"],
        "trim_name_regexes": [".*/bn.*"],
        "hide_name_regexes": [".*Initializer.*"],
        "show_name_regexes": [".*conv.*", ".*Conv.*", ".*py:.*"],
        "select": ["params", "micros"],
    },
}


def _logged(graph, folder, run_meta=None, *, add_trace):
    """The op log that TensorFlow writes."""
    captured(lambda: v1.profiler.write_op_log(graph, str(folder), None, run_meta, add_trace))
    return tfprof_log_pb2.OpLogProto.FromString((folder / "tfprof_log").read_bytes())


def _with_stacks(log, graph):
    """A call of its own for every layer, and in it a line for every op type."""
    strings = ["resnet.py", "train", "loss = model(x)", "layer", "return op(x)", "op"]
    log.id_to_string.update(enumerate(strings))
    layers, ops = {}, {}
    entries = {entry.name: entry for entry in log.log_entries}
    for node in graph.node:
        if not node.name.startswith("gradients/"):
            entry = entries.get(node.name) or log.log_entries.add(name=node.name)
            layer = layers.setdefault(node.name.split("/")[0], 100 + len(layers))
            op = ops.setdefault(node.op, 1 + len(ops))
            for line, function, text in ((layer, 1, 2), (op, 3, 4)):
                entry.code_def.traces.add(
                    file_id=0, lineno=line, function_id=function, line_id=text
                )
    return log


@pytest.fixture(scope="module")
def trained(samples, tmp_path_factory):
    """A training step of TensorFlow 1: its graph, its run, and a log with FLOPs and stacks."""
    graph = (samples / "resnet50_train_b1.graph.pb").read_bytes()
    run = (samples / "resnet50_train_b1.runmeta.pb").read_bytes()
    definition = v1.GraphDef.FromString(graph)
    with tf.Graph().as_default() as live:
        tf.import_graph_def(definition, name="")
    folder = tmp_path_factory.mktemp("log")
    log = _logged(live, folder, v1.RunMetadata.FromString(run), add_trace=False)
    for node in definition.node:
        if node.op == "VariableV2" and "/Momentum" not in node.name and "/moving" not in node.name:
            log.log_entries.add(name=node.name, types=["_trainable_variables"])
    log = _with_stacks(log, definition)
    return graph, [(0, run)], log.SerializeToString()


@pytest.fixture(scope="module")
def keras_model(tmp_path_factory):
    """Keras's ResNet-50 with its gradients, and the stacks of Keras's own code."""
    model = keras.applications.ResNet50(weights=None)

    def gradients(x):
        watched = [variable.value for variable in model.trainable_variables]
        return v1.gradients(model(x, training=True), watched)

    graph = tf.function(gradients).get_concrete_function(tf.TensorSpec([2, 224, 224, 3])).graph
    log = _logged(graph, tmp_path_factory.mktemp("log"), add_trace=True)
    return graph.as_graph_def(add_shapes=True).SerializeToString(), [], log.SerializeToString()


def _same(view, capture, options):
    question = (view, *capture, EVERYTHING | options)
    wanted, ours = engine_text(*question), our_text(*question)
    lines = zip(wanted.splitlines(), ours.splitlines(), strict=False)
    differ = [pair for pair in lines if pair[0] != pair[1]]  # pytest would compare for minutes
    assert not differ, f"{len(differ)} lines; the first: {differ[0]}"
    assert ours == wanted
    assert len(ours.splitlines()) > 1
    return ours


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("options", OPTIONS)
def test_a_traced_training_step_reads_as_in_the_engine(view, options, trained):
    _same(view, trained, OPTIONS[options])


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("options", ["everything", "convolutions", "names"])
def test_keras_resnet50_reads_as_in_the_engine(view, options, keras_model):
    _same(view, keras_model, OPTIONS[options])


def test_the_training_graph_is_the_whole_of_resnet50(trained):
    options = {"account_type_regexes": ["_trainable_variables"], "select": ["params"]}
    root = _same("scope", trained, options).splitlines()[1]
    assert root == "_TFProfRoot (--/25.56m params)"
