"""The generator of the benchmarks makes what TensorFlow would."""

import sys
from pathlib import Path

import pytest
from google.protobuf import text_format

from tfprof.sources.find.load import Request, choose, read
from tfprof.wire.schema import message_class
from tfprof.wire.text_layout import scan

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def made():
    """The generator's modules; benchmarks are scripts, no package."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import _generate
        import _messages
        import _xplane
    finally:
        sys.path.remove(str(BENCHMARKS))
    return _generate, _messages, _xplane


def _graph(nodes):
    return message_class("GraphDef").FromString(nodes)


@pytest.mark.parametrize("count", [0, 1, 3, 4, 64, 500])
def test_graph_has_exactly_the_nodes_asked_for(made, count):
    generate, *_ = made
    graph = _graph(b"".join(generate.graph(generate.nodes(count))))
    assert len({node.name for node in graph.node}) == len(graph.node) == count


def test_every_input_is_a_node(made):
    generate, *_ = made
    nodes = list(generate.nodes(500))
    names = {node.name for node in nodes}
    inputs = [name for node in nodes for name in node.inputs]
    assert {name.removeprefix("^").partition(":")[0] for name in inputs} <= names
    assert any(name.startswith("^") for name in inputs)
    assert any(name.endswith(":1") for name in inputs)


def test_a_node_takes_about_245_bytes(made):
    generate, *_ = made
    size = sum(map(len, generate.graph(generate.nodes(10_000))))
    assert 235 < size / 10_000 < 260


def test_text_is_what_protobuf_prints(made):
    generate, messages, _ = made
    nodes = list(generate.nodes(300))
    graph = _graph(b"".join(generate.graph(nodes)))
    text = b"".join(generate.graph_text(nodes, messages.TENSORFLOW)).decode()
    assert text == text_format.MessageToString(graph)
    line = b"".join(generate.graph_text(nodes, messages.ONE_LINE)).decode()
    assert line.rstrip() == text_format.MessageToString(graph, as_one_line=True)


@pytest.mark.parametrize("layout", ["TENSORFLOW", "ONE_LINE", "BY_HAND"])
def test_text_is_the_same_message(made, layout):
    generate, messages, _ = made
    nodes = list(generate.nodes(200))
    text = b"".join(generate.graph_text(nodes, getattr(messages, layout)))
    parsed = text_format.Parse(text, message_class("GraphDef")())
    assert parsed == _graph(b"".join(generate.graph(nodes)))
    assert (scan(text) is not None) == (layout == "TENSORFLOW")


def test_run_has_the_records_asked_for(made):
    generate, *_ = made
    nodes = list(generate.nodes(500))
    data = b"".join(generate.run_metadata(nodes, 300))
    run = message_class("RunMetadata").FromString(data)
    records = [record for device in run.step_stats.dev_stats for record in device.node_stats]
    assert len(records) == 300
    names = {node.name for node in nodes}
    assert sum(record.node_name not in names for record in records) == 5
    assert any(record.memory and record.output for record in records)


def test_the_same_bytes_every_time(made):
    generate, messages, _ = made

    def everything():
        nodes = list(generate.nodes(400))
        text = generate.graph_text(nodes, messages.BY_HAND)
        return b"".join([*generate.graph(nodes), *text, *generate.run_metadata(nodes, 100)])

    assert everything() == everything()


def test_tfprof_reads_it(made, tmp_path):
    generate, *_ = made
    nodes = list(generate.nodes(500))
    graph = generate.save(tmp_path / "graph.pb", generate.graph(nodes))
    run = generate.save(tmp_path / "run_meta", generate.run_metadata(nodes, 300))
    profile = read(choose(Request([graph, run])).selections[0])
    assert profile.graph.names == [node.name for node in nodes]
    assert len(profile.trace.executions) == 300
    assert profile.warnings == ()


def test_a_capture_grows_by_rounds_of_its_own_events(made, samples):
    *_, xplane = made
    data = (samples / "tiny.xplane.pb").read_bytes()
    small, large = (message_class("XSpace").FromString(d) for d in (data, xplane.grow(data, 3)))
    assert [plane.name for plane in large.planes] == [plane.name for plane in small.planes]
    pairs = zip(small.planes[0].lines, large.planes[0].lines, strict=True)
    for few, many in pairs:
        assert many.name == few.name
        assert list(many.events[: len(few.events)]) == list(few.events)
        assert len(many.events) == 3 * len(few.events)
        starts = [event.offset_ps for event in many.events]
        assert starts == sorted(starts)
