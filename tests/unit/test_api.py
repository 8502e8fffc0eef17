"""The Python surface: load, ask, keep."""

import csv
import io
import json

import pytest
from run_cli import run

import tfprof
from tfprof.errors import ExtraMissing, PathNotFound, UsageError


def test_a_path_may_be_text_or_a_path(unet):
    by_text = tfprof.load(str(unet)).summary().to_dict()
    assert by_text == tfprof.load(unet).summary().to_dict()


def test_several_files_make_one_profile(unet):
    profile = tfprof.load(unet / "graph.pb", unet / "run_meta")
    assert len(profile.data.graph) == 1567
    assert len(profile.trace.executions) == 569


def test_a_variable_table_can_be_given(samples):
    graph, table = samples / "keras_mlp_fwd.graph.pb", samples / "keras_mlp_train_vars.json"
    assert tfprof.load(graph, vars=table).data.declared.variables


def test_an_answer_is_what_the_command_line_says(unet):
    answer = tfprof.load(unet).summary()
    assert str(answer) + "\n" == run(unet).out
    assert answer.to_json() == run(unet, "--json").out
    assert answer.to_csv() == run(unet, "--format", "csv").out
    assert answer.to_markdown() == run(unet, "--format", "md").out
    assert json.loads(answer.to_json()) == answer.to_dict()
    assert answer.warnings == answer.to_dict()["warnings"]


def test_csv_has_raw_numbers(unet):
    rows = list(csv.DictReader(io.StringIO(tfprof.load(unet).summary().to_csv().split("\n\n")[0])))
    assert rows[0]["op"] == "Conv2DBackpropFilter"
    assert 0 < float(rows[0]["share"]) < 1
    assert float(rows[0]["time_us"]) > 1e7


def test_html_is_escaped(samples, tmp_path):
    path = tmp_path / "a<b>&c.pb"
    path.write_bytes((samples / "keras_mlp_fwd.graph.pb").read_bytes())
    shown = tfprof.load(path).summary()._repr_html_()
    assert "<b>" not in shown
    assert "a&lt;b&gt;&amp;c.pb" in shown


def test_a_data_frame_or_the_word_how_to_get_one(unet):
    answer = tfprof.load(unet).summary()
    try:
        import pandas as pd
    except ImportError:
        with pytest.raises(ExtraMissing, match="pandas"):
            answer.to_pandas()
    else:
        assert isinstance(answer.to_pandas(), pd.DataFrame)
        assert next(iter(answer.to_pandas()["op"])) == "Conv2DBackpropFilter"


def test_names_in_a_shell_are_short(unet):
    profile = tfprof.load(unet)
    assert str(unet) in repr(profile)
    assert "summary" in repr(profile.summary())


def test_errors_are_ours(tmp_path, samples):
    with pytest.raises(UsageError):
        tfprof.load()
    with pytest.raises(PathNotFound):
        tfprof.load(tmp_path / "gone")
    with pytest.raises(UsageError, match="models"):
        tfprof.load(samples)
    assert issubclass(PathNotFound, tfprof.TfprofError)


def test_the_four_views_are_methods(samples):
    profile = tfprof.load(samples / "resnet32")
    assert str(profile.scope(max_depth=1)) == "_TFProfRoot (--/930.58k params)"
    trained = profile.scope(account_type_regexes="_trainable_variables", max_depth=1)
    assert trained.to_dict()["data"]["nodes"][0]["total"]["params"] == 464_154
    rows = profile.op(style="late", select=["micros"], order_by="micros").to_dict()["data"]["rows"]
    assert rows[0]["self"]["micros"] == max(row["self"]["micros"] for row in rows)
    assert len(profile.graph(max_depth=3).to_dict()["data"]["nodes"]) > 1


def test_a_misspelt_option_of_a_view_is_named(unet):
    with pytest.raises(UsageError, match="max_dept") as raised:
        tfprof.load(unet).scope(max_dept=3)
    assert "max_depth" in raised.value.hint
