"""Variable tables: JSON beside a graph."""

import gzip
import json

import pytest

from tfprof.errors import CorruptText, InputUnreadable, WrongKind
from tfprof.sources.find.load import Request, choose, read


def load(path):
    (selection,) = choose(Request([], {"vars": [path]})).selections
    return read(selection).declared.variables


@pytest.fixture
def table(tmp_path):
    def write(content):
        path = tmp_path / "vars.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
        return path

    return write


def test_rows_become_variables(samples):
    path = samples / "keras_mlp_train_vars.json"
    rows = json.loads(path.read_bytes())
    ours = load(path)
    assert set(ours) == set(rows)
    for name, (shape, _) in rows.items():
        assert ours[name].shape == tuple(shape)
        assert ours[name].trainable is None


def test_a_table_may_be_packed(table):
    plain = table({"a": [[2, 3], "float32"]})
    packed = plain.with_name("vars.json.gz")
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert load(packed) == load(plain)
    packed.write_bytes(gzip.compress(plain.read_bytes())[:-9])
    with pytest.raises(InputUnreadable):
        load(packed)


def test_a_row_may_say_whether_it_is_trained(table):
    found = load(table({"a": [[2, -1, None], "float32", False], "b": [[], "int64", True]}))
    assert (found["a"].shape, found["a"].dtype, found["a"].trainable) == ((2, None, None), 1, False)
    assert (found["b"].shape, found["b"].dtype, found["b"].trainable) == ((), 9, True)


@pytest.mark.parametrize(
    "row",
    [
        [],
        [[2]],
        [[2], "float33"],
        [2, "float32"],
        ["2", "float32"],
        [[2.5], "float32"],
        [["x"], "float32"],
        [[True], "float32"],
        [[2], "float32", "yes"],
        "float32",
        None,
        7,
        {},
    ],
    ids=json.dumps,
)
def test_a_row_that_is_no_variable_is_named(table, row):
    with pytest.raises(WrongKind, match="'bad'"):
        load(table({"good": [[1], "float32"], "bad": row}))


@pytest.mark.parametrize("content", ["[1, 2]", "3", '"x"', "null"])
def test_json_that_is_no_table_is_refused(table, content):
    with pytest.raises(WrongKind, match="table"):
        load(table(content))


def test_text_that_is_no_json_is_refused_with_its_line(table):
    with pytest.raises(CorruptText, match="line 2"):
        load(table('{"a": [[1], "float32"],\n oops'))


def test_json_nested_without_end_is_refused(table):
    with pytest.raises(InputUnreadable):
        load(table('{"a":' + "[" * 100_000))


def test_bytes_that_are_no_text_are_refused(tmp_path):
    path = tmp_path / "vars.json"
    path.write_bytes(b'{"\xff\xfe": [[1], "float32"]}')
    with pytest.raises(InputUnreadable):
        load(path)
