"""The original's saved profile: graph, op log and steps in one file."""

import pytest
import tensorflow as tf
from tensorflow.core.profiler import tfprof_log_pb2

from tfprof.analyses.runtime.step_average import step_average
from tfprof.sources.find.load import Request, choose, read


def load(*paths, **named):
    (selection,) = choose(Request(list(paths), named)).selections
    return read(selection)


@pytest.fixture(scope="module")
def both(unet_profile):
    """Ours and TensorFlow's parse."""
    proto = tfprof_log_pb2.ProfileProto.FromString(unet_profile.read_bytes())
    return load(unet_profile), proto


def test_the_graph_has_every_node_with_its_op(both):
    data, proto = both
    ours = {name: data.graph.ops[row] for row, name in enumerate(data.graph.names)}
    assert ours == {node.name: node.op for node in proto.nodes.values()}


def test_edges_are_those_of_the_graph_it_was_made_from(both, unet):
    data, _ = both
    theirs = tf.compat.v1.GraphDef.FromString((unet / "graph.pb").read_bytes())
    for node in theirs.node:
        row = data.graph.index[node.name]
        edges = data.graph.edges
        span = slice(int(edges.offsets[row]), int(edges.offsets[row + 1]))
        sources = [data.graph.names[s] for s in edges.node[span].tolist()]
        assert sources == [text.lstrip("^").partition(":")[0] for text in node.input]


def test_attributes_are_those_of_the_graph_it_was_made_from(both, unet):
    data, _ = both
    theirs = tf.compat.v1.GraphDef.FromString((unet / "graph.pb").read_bytes())
    for node in theirs.node[:200]:
        ours = data.graph.find(node.name).attributes
        assert {k: v.SerializeToString() for k, v in ours.items()} == {
            k: v.SerializeToString() for k, v in node.attr.items()
        }


def test_the_op_log_inside_is_kept(both):
    data, proto = both
    assert dict(data.oplog.float_ops) == {
        node.name: node.float_ops for node in proto.nodes.values() if node.float_ops
    }
    assert len(data.oplog.trainable) == sum(
        "_trainable_variables" in node.op_types for node in proto.nodes.values()
    )
    assert len(data.oplog.trainable) > 40
    name = min(data.oplog.trainable)
    (frame,) = data.oplog.code(name)
    assert (frame.file, frame.line, frame.function, frame.text) == (
        "model.py",
        7,
        "build",
        "x = conv(x)",
    )


def test_steps_and_sums_are_those_of_the_run(both, unet):
    data, _ = both
    assert data.trace.steps == (3, 8)
    ours, theirs = step_average(data.trace), step_average(load(unet / "run_meta").trace)
    assert ours.requested == theirs.requested
    # the engine keeps no record of the node that starts a graph
    assert {n.name: (n.micros, n.requested) for n in ours.nodes} == {
        n.name: (n.micros, n.requested) for n in theirs.nodes if n.name != "_SOURCE"
    }


def test_peak_residual_and_output_add_up_to_those_of_the_run(both, unet):
    data, _ = both
    rows, run = data.trace.executions, load(unet / "run_meta").trace.executions
    for column in ("requested", "peak", "residual", "output"):
        assert int(getattr(rows, column).sum()) == 2 * int(getattr(run, column).sum())


def test_the_flag_names_it(unet_profile):
    assert load(profile_path=[unet_profile]).inputs[0].format == "ProfileProto"
