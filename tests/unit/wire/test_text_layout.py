"""The layout that TensorFlow prints: what is taken, and what is left to the general reader."""

import pytest

from tfprof.wire.schema import message_class
from tfprof.wire.text import to_wire
from tfprof.wire.text_layout import scan

GRAPH = b"""\
node {
  name: "a/b"
  op: "Const"
  device: "/device:CPU:0"
  attr {
    key: "dtype"
    value {
      type: DT_FLOAT
    }
  }
}
node {
  name: "c"
  op: "Add"
  input: "a/b"
  input: "^d:1"
}
versions {
  producer: 12
}
"""


def test_columns():
    graph = scan(GRAPH)
    assert graph is not None
    assert graph.names == ["a/b", "c"]
    assert graph.ops == ["Const", "Add"]
    assert graph.devices == ["/device:CPU:0", ""]
    assert graph.inputs == ["a/b", "^d:1"]
    assert graph.input_counts.tolist() == [0, 2]
    assert graph.body_line.tolist() == [2, 13]
    starts, ends = graph.body_start, graph.body_end
    assert GRAPH[starts[1] : ends[1]].splitlines()[0] == b'  name: "c"'
    assert GRAPH[starts[1] : ends[1]].endswith(b'"^d:1"\n')
    assert [GRAPH[start:end] for start, end in graph.rest] == [b"versions {\n  producer: 12\n}\n"]


@pytest.mark.parametrize("sample", ["keras_mlp_fwd.graph.pbtxt", "keras_lstm_fwd.graph.pbtxt"])
def test_real_graph_is_as_the_general_reader_sees_it(data, sample):
    text = (data / sample).read_bytes()
    graph = scan(text)
    expected = message_class("GraphDef").FromString(to_wire(text, "GraphDef"))
    assert graph is not None
    assert graph.names == [node.name for node in expected.node]
    assert graph.ops == [node.op for node in expected.node]
    assert graph.devices == [node.device for node in expected.node]
    assert graph.inputs == [name for node in expected.node for name in node.input]
    assert graph.input_counts.tolist() == [len(node.input) for node in expected.node]
    for start, end, node in zip(graph.body_start, graph.body_end, expected.node, strict=True):
        assert message_class("NodeDef").FromString(to_wire(text[start:end], "NodeDef")) == node
    rest = b"".join(to_wire(text[start:end], "GraphDef") for start, end in graph.rest)
    del expected.node[:]
    assert message_class("GraphDef").FromString(rest) == expected


def test_order_of_fields_is_free():
    text = b'node {\n  input: "x"\n  attr {\n  }\n  op: "o"\n  name: "n"\n  input: "y"\n}\n'
    graph = scan(text + GRAPH + text)
    assert graph is not None
    assert graph.names == ["n", "a/b", "c", "n"]
    assert graph.ops == ["o", "Const", "Add", "o"]
    assert graph.inputs == ["x", "y", "a/b", "^d:1", "x", "y"]
    assert graph.input_counts.tolist() == [2, 0, 2, 2]


def test_strings_are_unescaped():
    text = r"""node {
  name: "\303\251 \"n\"\\"
  op: "{#\n}"
  input: "\"\n  input: \"é"
  input: "b"
  device: "\'"
}
""".encode()
    graph = scan(text)
    assert graph is not None
    assert graph.names == ['é "n"\\']
    assert graph.ops == ["{#\n}"]
    assert graph.inputs == ['"\n  input: "é', "b"]
    assert graph.devices == ["'"]


@pytest.mark.parametrize("text", [b"", b"node {\n}\n", b"node {\n}", b"version: 3", GRAPH[:-1]])
def test_small_texts(text):
    graph = scan(text)
    assert graph is not None
    assert len(graph.names) == text.count(b"node {")
    for start, end in zip(graph.body_start, graph.body_end, strict=True):
        assert text[start - 7 : start] + text[end : end + 1] == b"node {\n}"


def test_last_line_may_lack_its_end():
    nodes = GRAPH[: GRAPH.index(b"versions")]
    graph, clipped = scan(nodes), scan(nodes[:-1])
    assert graph is not None
    assert clipped is not None
    assert clipped.body_end.tolist() == graph.body_end.tolist()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"\n", b"\r\n"),
        (b'  name: "c"', b'   name: "c"'),
        (b'  name: "c"', b'\tname: "c"'),
        (b'  name: "c"', b'  name:"c"'),
        (b'  name: "c"', b"  name: 'c'"),
        (b'  name: "c"', b'  name: "c" "d"'),
        (b'  name: "c"', b'  name: "c" # d'),
        (b'  name: "c"', b'  name: "c";'),
        (b'  name: "c"', b'  name: "c'),
        (b'  name: "c"', b"  name: c"),
        (b'  name: "c"', b'  name: ["c"]'),
        (b'  name: "c"', b"  name {\n  }"),
        (b'  name: "c"', b'  name: "\\q"'),
        (b'  name: "c"', b'  name: "\\400"'),
        (b'  name: "c"', b'  name: "\xff"'),
        (b'  name: "c"', b'  name: "\\377"'),
        (b'  name: "c"', b'  name: "c"\n  name: "c"'),
        (b'  name: "c"', b'  name: "c"\n  attr: 5'),
        (b'  name: "c"', b'\n  name: "c"'),
        (b"      type: DT_FLOAT\n", b"    type: DT_FLOAT\n"),
        (b"      type: DT_FLOAT\n", b"      type: DT_FLOAT }\n"),
        (b"      type: DT_FLOAT\n", b"      type: <DT_FLOAT>\n"),
        (b"versions {", b"versions: {"),
        (b"versions {", b"versions <"),
        (b"versions {", b"node:"),
        (b"versions {", b"versions {\n}\nversions {"),
        (b"  producer: 12\n}\n", b"  producer: 12\n"),
        (b"  producer: 12\n}\n", b"  producer: 12\n}\n}\n"),
        (b"  producer: 12\n}\n", b"  producer: 12\n}\n\n"),
    ],
)
def test_any_other_layout_is_left_to_the_general_reader(old, new):
    assert old in GRAPH
    assert scan(GRAPH.replace(old, new)) is None


def test_fields_that_are_not_known_stay_in_the_body():
    text = GRAPH.replace(b'  name: "c"', b'  name: "c"\n  named: 5\n  ops {\n    op: 1\n  }')
    graph = scan(text)
    assert graph is not None
    assert graph.names == ["a/b", "c"]


def test_very_deep_nesting_is_left_to_the_general_reader():
    lines = [b"  " * level + b"a {\n" for level in range(40)]
    ends = [b"  " * level + b"}\n" for level in reversed(range(40))]
    assert scan(b"".join(lines + ends)) is None
    assert scan(b"".join(lines[:10] + ends[-10:])) is not None
