"""The result of `layers`: complete, with keys, and the same after a journey."""

import json
import pickle
import subprocess
import sys
import zipfile

import pytest
from conftest import TESTS
from run_cli import environment, run

from tfprof.api.answer import Answer
from tfprof.errors import InputMissing
from tfprof.model.quantity import Kind
from tfprof.reports.layers import Query, ask
from tfprof.reports.shared.device_rates import device_of
from tfprof.reports.shared.question import Question
from tfprof.results.fields import row_key_of
from tfprof.sources.find.load import Request, choose, read

ASKED = [
    ("keras_mlp_fwd.graph.pb", Query()),
    ("keras_mlp_fwd.graph.pb", Query(by="scope", device=device_of("cpu"))),
    ("keras_lstm_fwd.graph.pb", Query(by="op")),
    ("traced_step", Query()),
    ("traced_step", Query(by="node")),
    ("traced_step", Query(by="op", device=device_of("gpu:1T,1G"))),
    *(("xplane/slow-cb.xplane.pb", Query(by=by)) for by in ("layer", "node", "device", "thread")),
    ("xplane/synthetic-gpu.xplane.pb", Query(by="kernel")),
]


def loaded(path):
    return read(choose(Request([path])).selections[0])


@pytest.mark.parametrize(("sample", "query"), ASKED, ids=lambda one: getattr(one, "by", one))
def test_it_travels_and_its_rows_have_keys(samples, sample, query):
    answered = ask(loaded(samples / sample), query)
    check(answered)


COMMON = [
    "class", "output_shape", "params", "macs", "flops", "flops_all", "activation_bytes",
    "peak_bytes", "time_us",
]  # fmt: skip


@pytest.mark.parametrize(("sample", "query"), ASKED, ids=lambda one: getattr(one, "by", one))
def test_rows_have_one_schema_and_say_what_they_are(samples, sample, query):
    made = Answer(ask(loaded(samples / sample), query)).to_dict()
    data = made["data"]
    assert data["by"] == query.by
    for row in data["rows"]:
        plain = [key for key in row if not key.endswith(("_formula", "_kind"))]
        assert plain[: len(COMMON) + 1] == [query.by, *COMMON]
    for key in COMMON:
        if all(row[key] is None and f"{key}_formula" not in row for row in data["rows"]):
            assert any(key in warning.partition(": ")[0] for warning in made["warnings"]), key


def test_of_a_keras_file(tmp_path):
    layers = [
        {"class_name": "InputLayer", "config": {"name": "in", "batch_shape": [None, 8]}},
        {"class_name": "Dense", "config": {"name": "dense", "units": 4, "use_bias": True}},
        {"class_name": "Odd", "config": {"name": "odd"}},
    ]
    config = {"class_name": "Sequential", "config": {"name": "m", "layers": layers}}
    path = tmp_path / "m.keras"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("config.json", json.dumps(config))
        made.writestr("metadata.json", json.dumps({"keras_version": "3.0"}))
    answered = ask(loaded(path), Query(Question({"B": 4})))
    check(answered)
    _, dense, odd = answered.data.rows
    assert (dense.name, dense.cost.macs.value) == ("dense", 4 * 8 * 4)
    assert (odd.cost.macs.value, odd.cost.macs.reason) == (None, "Unknown layer class Odd")
    assert "at least 128 MACs" in str(Answer(answered))


def check(answered):
    back = pickle.loads(pickle.dumps(answered))
    assert back == answered
    one, other = Answer(answered), Answer(back)
    assert str(one) == str(other)
    assert one.to_json() == other.to_json()
    for rows in _tables(answered.data):
        keys = [row_key_of(row) for row in rows]
        assert all(keys)
        assert len(set(keys)) == len(keys)


def _tables(result):
    yield result.rows
    if result.time is not None:
        yield result.time.rows
    if result.estimated_time is not None:
        yield result.estimated_time.rows


def test_what_is_not_known_says_why(samples):
    (row, *_) = ask(loaded(samples / "xplane/slow-cb.xplane.pb"), Query()).data.rows
    assert (row.cost.params.kind, row.cost.params.reason) == (Kind.UNKNOWN, "no graph was given")
    (row, *_) = ask(loaded(samples / "keras_mlp_fwd.graph.pb"), Query()).data.rows
    assert (row.cost.time_us.value, row.cost.time_us.reason) == (None, "no run was given")


def test_work_that_is_missing_makes_it_at_least(samples):
    rows = ask(loaded(samples / "traced_step"), Query(by="device")).data.rows
    (cpu,) = rows
    assert cpu.cost.flops.kind is Kind.AT_LEAST
    assert "does not tell the work" in cpu.cost.flops.reason


def test_estimates_are_marked(samples):
    query = Query(device=device_of("cpu"))
    found = ask(loaded(samples / "traced_step"), query).data.estimated_time
    assert {row.time_us.kind for row in found.rows} == {Kind.ESTIMATED}


def test_tables_are_whole_and_fold_on_the_screen(samples):
    answer = Answer(ask(loaded(samples / "xplane/slow-cb.xplane.pb"), Query(by="node")))
    table = answer.view.parts[1]
    assert len(table.rows) == len(answer.result.data.rows) > table.fold.show
    assert "more (" in str(answer)


_IMPORTED = """
import contextlib, io, sys
from tfprof.cli.main import main
with contextlib.redirect_stdout(io.StringIO()):
    assert main(["layers", sys.argv[1], "--by", "op"]) == 0
print(*(name for name in sys.modules if name.startswith("tfprof.")))
"""


def test_of_a_capture_nothing_that_infers_shapes_is_imported(samples):
    words = [sys.executable, "-c", _IMPORTED, str(samples / "xplane/slow-cb.xplane.pb")]
    done = subprocess.run(words, capture_output=True, text=True, env=environment(), check=True)
    found = done.stdout.split()
    assert "tfprof.analyses.runtime.op_times" in found
    heavy = ("tfprof.ops", "tfprof.analyses.inference", "tfprof.analyses.cost.op_costs")
    assert [name for name in found if name.startswith(heavy)] == []


def test_nothing_to_look_at(samples):
    with pytest.raises(InputMissing):
        ask(loaded(samples / "keras_mlp_fwd.graph.pb"), Query(by="thread"))


@pytest.mark.parametrize("by", ["layer", "op", "scope", "node"])
@pytest.mark.parametrize("name", ["graph", "keras"])
def test_the_parts_of_layers_make_up_the_peak(name, by, samples):
    words = {
        "graph": ["--vars", samples / "keras_mlp_train_vars.json", "--batch", "8",
                  samples / "keras_mlp_train.graph.pb"],
        "keras": ["--train", "--batch", "8", TESTS / "models" / "residual.keras"],
    }[name]  # fmt: skip
    if name == "keras" and by != "layer":
        assert run("layers", *words, "--by", by).code == 2
        return
    rows = json.loads(run("layers", *words, "--by", by, "--json").out)["data"]["rows"]
    memory = json.loads(run("memory", *words, "--json").out)["data"]
    (device,) = memory["devices"].values()
    whole = sum(one["peak_bytes"] for one in rows)
    # what belongs to no row are shapes and counts
    assert 0 <= device["peak_bytes"] - whole <= 256
    assert max(one["peak_bytes"] for one in rows) > device["peak_bytes"] / 4
    assert {one["peak_bytes_kind"] for one in rows} == {"estimated"}


def test_nodes_of_a_graph_need_no_run(samples):
    words = ["layers", samples / "keras_mlp_train.graph.pb", "--vars",
             samples / "keras_mlp_train_vars.json", "--by", "node", "--batch", "8"]  # fmt: skip
    data = json.loads(run(*words, "--device", "gpu:10T,800G", "--json").out)["data"]
    rows = {one["node"]: one for one in data["rows"]}
    assert rows["functional_1/dense_1/MatMul"]["class"] == "MatMul"
    assert rows["functional_1/dense_1/MatMul"]["macs"] == 8 * 784 * 512
    times = {one["name"]: one["time_us"] for one in data["estimated_time"]["rows"]}
    assert times["functional_1/dense_1/MatMul"] > 0
    assert "… " in run(*words).out  # a screen, and how many more


def test_what_only_a_run_tells_still_needs_one(samples):
    ran = run("layers", samples / "keras_mlp_fwd.graph.pb", "--by", "thread")
    assert (ran.code, "scope or node a graph will do" in " ".join(ran.err.split())) == (3, True)
