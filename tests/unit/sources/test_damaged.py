"""Files that end early or are broken: what is whole is read, the rest is named with its place."""

import pytest
import tensorflow as tf

from tfprof.errors import CorruptFile, CorruptText, InputUnreadable
from tfprof.sources.find.load import Request, choose, read


def load(*paths):
    (selection,) = choose(Request(list(paths))).selections
    return read(selection)


def _cut(samples, tmp_path, sample, end):
    path = tmp_path / "file"
    path.write_bytes((samples / sample).read_bytes()[:end])
    return path


def test_of_a_graph_that_ends_early_the_whole_nodes_are_read_with_a_warning(samples, tmp_path):
    full = tf.compat.v1.GraphDef.FromString((samples / "resnet32/graph.pb").read_bytes())
    data = load(_cut(samples, tmp_path, "resnet32/graph.pb", 600_000))
    (warning,) = data.warnings
    assert "ends early" in warning
    assert "600,000 bytes" in warning
    names = [node.name for node in full.node]
    assert 0 < len(data.graph) < len(names)
    assert data.graph.names == names[: len(data.graph)]


def test_of_a_text_graph_that_ends_early_the_whole_nodes_are_read_with_a_warning(samples, tmp_path):
    full = load(samples / "keras_mlp_train.graph.pbtxt").graph
    data = load(_cut(samples, tmp_path, "keras_mlp_train.graph.pbtxt", 50_000))
    assert any("ends early" in warning for warning in data.warnings)
    assert 0 < len(data.graph) < len(full)
    # the node the text ends in may be kept with what is whole of it
    count = len(data.graph) - 1
    assert data.graph.names[:count] == full.names[:count]


def test_of_a_run_that_ends_early_the_executions_before_it_are_read(samples, tmp_path):
    full = load(samples / "resnet32/run_meta").trace.executions
    data = load(_cut(samples, tmp_path, "resnet32/run_meta", 300_000))
    rows = data.trace.executions
    assert any("ends early" in warning for warning in data.warnings)
    assert 0 < len(rows) < len(full)
    assert rows.requested.tolist() == full.requested.tolist()[: len(rows)]


def test_a_byte_that_contradicts_the_format_is_named_with_its_offset(samples, tmp_path):
    data = bytearray((samples / "resnet32/graph.pb").read_bytes())
    from tfprof.wire.fields import whole

    offset = int(whole(bytes(data)).end[500])
    data[offset] = 0x0F
    path = tmp_path / "graph.pb"
    path.write_bytes(data)
    with pytest.raises(CorruptFile) as caught:
        load(path)
    assert caught.value.offset == offset
    assert f"{offset:,}" in str(caught.value)
    assert str(path) in str(caught.value)


def test_text_that_contradicts_the_format_is_named_with_its_line(samples, tmp_path):
    lines = (samples / "keras_mlp_fwd.graph.pbtxt").read_text("utf-8").splitlines()
    lines[40] = "  ]]] nonsense"
    path = tmp_path / "graph.pbtxt"
    path.write_text("\n".join(lines), "utf-8")
    with pytest.raises(CorruptText) as caught:
        load(path)
    assert caught.value.line == 41
    assert "line 41" in str(caught.value)


def test_a_file_cut_in_its_first_record_is_refused(samples, tmp_path):
    with pytest.raises(InputUnreadable):
        load(_cut(samples, tmp_path, "keras_mlp_fwd.graph.pb", 20))
