"""Deep and wide results come back whole: in Python to the last child, and as JSON."""

import json

import pytest
from run_cli import run

from tfprof import compat as original
from tfprof.wire.schema import message_class

DEEP = original.ProfileOptionBuilder().with_max_depth(10**6).with_empty_output().build()
WORDS = ["-account_type_regexes", ".*", "-max_depth", "1000000", "--json"]
LONG, SCOPES, TYPES = 100_000, 3_000, 500
SIZE = 7


def _variable(graph, name, op="VariableV2"):
    node = graph.node.add(name=name, op=op)
    node.attr["shape"].shape.dim.add(size=SIZE)


@pytest.fixture(scope="module")
def chain():
    """A variable, and each node reads the one before it: n0 <- n1 <- n2 ..."""
    graph = message_class("GraphDef")()
    _variable(graph, "n0")
    for at in range(1, LONG):
        graph.node.add(name=f"n{at}", op="Identity", input=[f"n{at - 1}"])
    return graph


@pytest.fixture(scope="module")
def nested():
    """One variable, some thousand scopes down."""
    graph = message_class("GraphDef")()
    _variable(graph, "/".join(str(level % 10) for level in range(SCOPES)))
    return graph


@pytest.fixture(scope="module")
def wide():
    """As many op types as nodes; the last is a variable."""
    graph = message_class("GraphDef")()
    for at in range(TYPES - 1):
        graph.node.add(name=f"n{at}", op=f"Op{at:03}")
    _variable(graph, "last")
    return graph


def _line(root):
    """Name and parameters of every row in a tree without branches, from the root down."""
    found, node = [], root
    while True:
        found.append((node.name, node.parameters, node.total_parameters))
        if not node.children:
            return found
        (node,) = node.children


def _json(command, graph, folder):
    path = folder / "graph.pb"
    path.write_bytes(graph.SerializeToString())
    ran = run(command, path, *WORDS)
    assert ran.code == 0
    return json.loads(ran.out)["data"]


def _paths():
    """The names of all scopes, outermost first."""
    parts = [str(level % 10) for level in range(SCOPES)]
    return ["/".join(parts[: level + 1]) for level in range(SCOPES)]


def _is_a_line(nodes, names):
    """Every node below the one before it, and the parameters at the bottom counted in each."""
    assert [node["name"] for node in nodes] == names
    assert [node["parent"] for node in nodes] == [None, *range(len(names) - 1)]
    assert [node["id"] for node in nodes] == list(range(len(names)))
    assert {node["total"]["params"] for node in nodes} == {SIZE}
    assert [node["self"]["params"] for node in nodes[-2:]] == [0, SIZE]


def test_a_chain_is_followed_to_its_end(chain):
    rows = _line(original.profile(chain, cmd="graph", options=DEEP))
    names = [f"n{at}" for at in reversed(range(LONG))]
    assert [name for name, _, _ in rows] == ["_TFProfRoot", *names]
    assert rows[-1] == ("n0", SIZE, SIZE)
    assert {total for _, _, total in rows} == {SIZE}


def test_a_chain_is_whole_in_json(chain, tmp_path):
    nodes = _json("graph", chain, tmp_path)["nodes"]
    _is_a_line(nodes, ["_TFProfRoot", *(f"n{at}" for at in reversed(range(LONG)))])


def test_nested_scopes_are_followed_to_the_innermost(nested):
    rows = _line(original.profile(nested, options=DEEP))
    assert [name for name, _, _ in rows] == ["_TFProfRoot", *_paths()]
    assert rows[-1] == (nested.node[0].name, SIZE, SIZE)
    assert {own for _, own, _ in rows[:-1]} == {0}
    assert {total for _, _, total in rows} == {SIZE}


def test_nested_scopes_are_whole_in_json(nested, tmp_path):
    _is_a_line(_json("scope", nested, tmp_path)["nodes"], ["_TFProfRoot", *_paths()])


def test_every_op_type_is_below_the_one_before_it(wide):
    rows = _line(original.profile(wide, cmd="op", options=DEEP))
    names = sorted({node.op for node in wide.node})
    assert [name for name, _, _ in rows] == ["_TFProfRoot", *names]
    assert {total for _, _, total in rows} == {SIZE}
    assert rows[-1] == ("VariableV2", SIZE, SIZE)


def test_every_op_type_is_a_row_in_json(wide, tmp_path):
    data = _json("op", wide, tmp_path)
    assert [row["op"] for row in data["rows"]] == sorted({node.op for node in wide.node})
    assert sum(row["occurrence"] for row in data["rows"]) == TYPES
    assert data["total"]["params"] == SIZE
    assert [row["self"]["params"] for row in data["rows"][-2:]] == [0, SIZE]
