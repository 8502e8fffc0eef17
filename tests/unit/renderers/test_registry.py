"""The formats of an answer, listed by the names of their files."""

import json

import pytest

import tfprof
from tfprof.errors import UsageError
from tfprof.renderers.registry import format_of, output_formats, rendered, suffixes


def test_the_usual_ones_come_first():
    assert output_formats() == ("txt", "md", "csv", "json", "parquet")
    assert output_formats(("speedscope",))[-1] == "speedscope"


def test_the_longest_suffix_decides():
    assert format_of("x.speedscope.json", ("speedscope",)) == "speedscope"
    assert format_of("x.speedscope.json") is None
    assert format_of("speedscope.json") == "json"
    assert format_of("X.PARQUET") == "parquet"
    assert format_of("x.gif") is None
    assert ".speedscope.json" in suffixes(("speedscope",))


def test_a_format_writes_what_an_answer_says_of_itself_in_python(unet):
    answer = tfprof.load(unet).summary()
    said = {
        "txt": answer.to_text(70),
        "md": answer.to_markdown(),
        "csv": answer.to_csv(),
        "json": answer.to_json(),
    }
    assert {name: rendered(answer, name, 70) for name in said} == said


def test_parquet_has_the_numbers_of_the_table(unet):
    parquet = pytest.importorskip("pyarrow.parquet")
    import io

    answer = tfprof.load(unet).layers()
    found = parquet.read_table(io.BytesIO(answer.to_parquet())).to_pydict()
    rows = answer.to_dict()["data"]["rows"]
    assert found["layer"] == [row["layer"] for row in rows]
    assert found["params"] == [row["params"] for row in rows]
    assert found["time_us"] == pytest.approx([row["time_us"] for row in rows])


def test_numbers_beside_formulas_are_text_in_parquet(samples):
    parquet = pytest.importorskip("pyarrow.parquet")
    import io

    answer = tfprof.load(samples / "keras_lstm_fwd.graph.pb").layers(by="op")
    found = parquet.read_table(io.BytesIO(answer.to_parquet())).to_pydict()
    table = answer.view.parts[1]
    at = [column.key for column in table.columns].index("macs")
    assert [one is None for one in found["macs"]] == [
        getattr(row[at], "value", row[at]) is None for row in table.rows
    ]


def test_the_flames_of_speedscope_add_up_to_the_view(unet):
    options = {"account_type_regexes": ".*", "max_depth": 9, "select": "micros,params,bytes"}
    answer = tfprof.load(unet).scope(**options)
    found = json.loads(answer.to_speedscope())
    root = answer.to_dict()["data"]["nodes"][0]["total"]
    assert [one["name"] for one in found["profiles"]] == ["params", "bytes", "micros"]
    assert [one["unit"] for one in found["profiles"]] == ["none", "bytes", "microseconds"]
    for one in found["profiles"]:
        assert sum(one["weights"]) == one["endValue"] == root[one["name"]]
        assert len(one["samples"]) == len(one["weights"])
        frames = {at for stack in one["samples"] for at in stack}
        assert max(frames) < len(found["shared"]["frames"])


def test_what_is_no_tree_has_no_flames(unet):
    with pytest.raises(UsageError, match="no flame graph of layers"):
        tfprof.load(unet).layers().to_speedscope()
