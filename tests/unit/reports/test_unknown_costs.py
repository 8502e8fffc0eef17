"""The four views of TensorFlow 2 and of Keras files: the real count, or unknown, never 0."""

import json
import shutil

import pytest
from run_cli import run

import tfprof
from tfprof.model.metrics import MEMORY, TIMES

TRACED = "traced_step/graph.pb"


def root(answer):
    (first, *_) = answer.to_dict()["data"]["nodes"]
    return first["total"]


def test_captured_variables_are_counted(samples):
    profile = tfprof.load(
        samples / "keras_mlp_train.graph.pb", vars=samples / "keras_mlp_train_vars.json"
    )
    whole = profile.summary().to_dict()["data"]["params"]["total"]
    assert root(profile.scope())["params"] == root(profile.graph())["params"] == whole == 1221154
    (row,) = profile.op().to_dict()["data"]["rows"]
    assert (row["op"], row["self"]["params"]) == ("Placeholder", whole)
    assert "1.22m params" in str(profile.scope())


def test_variables_of_unknown_shape_make_the_sum_unknown(samples):
    answer = tfprof.load(samples / TRACED).scope()
    assert root(answer)["params"] is None
    assert "--/? params" in str(answer)
    assert any(one.startswith("params: the shape of 4 variables") for one in answer.warnings)
    assert "--vars FILE" in run("scope", samples / TRACED).err


def test_a_sum_that_misses_a_part_is_at_least_the_rest(samples, tmp_path):
    graph = shutil.copy(samples / TRACED, tmp_path / "graph.pb")
    table = json.loads((samples / "traced_step/vars.json").read_text())
    (tmp_path / "vars.json").write_text(json.dumps(dict(list(table.items())[:1])))
    answer = tfprof.load(graph, vars=tmp_path / "vars.json").scope()
    assert root(answer)["params"] is None
    assert "/≥" in str(answer)


@pytest.mark.parametrize("view", ["scope", "graph"])
def test_without_a_run_nothing_is_known_of_time_and_memory(samples, view):
    answer = getattr(tfprof.load(samples / "keras_mlp_fwd.graph.pb"), view)()
    assert {root(answer)[key] for key in (*MEMORY, *TIMES, "occurrence")} == {None}
    assert root(answer)["float_ops"] is None  # nobody asked for them
    assert any("micros" in one and "no run was given" in one for one in answer.warnings)
    counted = getattr(tfprof.load(samples / "keras_mlp_fwd.graph.pb"), view)(
        select=["params", "float_ops", "micros"]
    )
    assert str(counted).startswith("_TFProfRoot (--/407.05k params, --/0 flops, --/?)")


def test_flops_that_could_not_be_counted_are_not_zero(samples):
    options = {"select": ["float_ops"], "account_type_regexes": [".*"]}
    answer = tfprof.load(samples / "keras_mlp_fwd.graph.pb").op(**options)
    rows = {row["op"]: row["self"]["float_ops"] for row in answer.to_dict()["data"]["rows"]}
    assert rows["MatMul"] is None  # its batch is open
    assert rows["Placeholder"] == 0
    assert answer.to_dict()["data"]["total"]["float_ops"] is None


def test_a_capture_knows_neither_parameters_nor_memory(samples):
    answer = tfprof.load(samples / "tiny.xplane.pb").op()
    total = answer.to_dict()["data"]["total"]
    assert total["micros"] > 0
    assert {total[key] for key in (*MEMORY, "params", "float_ops")} == {None}
    assert "params, float_ops: no graph was given" in answer.warnings


def test_a_run_tells_what_it_tells(samples):
    total = root(tfprof.load(samples / "two_cpus").scope())
    known = {key for key, value in total.items() if value is not None}
    assert known == {"params", *MEMORY, *TIMES, "occurrence"}


def test_a_keras_file_has_its_variables(data):
    path = data.parent / "models" / "residual.keras"
    profile = tfprof.load(path)
    answer = profile.scope()
    assert root(answer)["params"] == profile.summary().to_dict()["data"]["params"]["total"]
    assert not any("run alone" in one for one in answer.warnings)
    assert root(answer)["micros"] is None


def test_the_original_keeps_its_zeros(samples):
    profile = tfprof.load(samples / "keras_mlp_fwd.graph.pb")
    total = root(profile.scope(compat="original"))
    assert total["micros"] == total["bytes"] == total["float_ops"] == 0
    assert "?" not in str(profile.scope(compat="original", select=["micros", "bytes"]))


def test_a_table_leaves_out_what_is_not_known(samples):
    text = tfprof.load(samples / "keras_mlp_fwd.graph.pb").scope(select=["micros"]).to_csv()
    assert text.splitlines()[1] == "_TFProfRoot,0,,"
