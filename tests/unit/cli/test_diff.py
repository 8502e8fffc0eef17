"""`tfprof diff`: graphs, captures, repeats, checkpoints, and words that make no sense."""

import json

import numpy as np
import pytest
from run_cli import run

import tfprof
from tfprof.errors import UsageError
from tfprof.wire import dtypes
from tfprof.wire.schema import message_class


def diffed(*words):
    ran = run("diff", *words, "--json")
    assert ran.code == 0, ran.err
    return json.loads(ran.out)["data"]


def rows(data, kind, metric=None):
    return {
        row["name"]: row
        for row in data["rows"]
        if row["kind"] == kind and metric in (None, row["metric"])
    }


def dense(graph, name, units, inputs, source="x"):
    """A dense layer; its size stands in its variable."""
    kernel = graph.node.add(name=f"{name}/kernel", op="VarHandleOp")
    kernel.attr["dtype"].type = dtypes.FLOAT
    for size in (inputs, units):
        kernel.attr["shape"].shape.dim.add(size=size)
    read = graph.node.add(name=f"{name}/read", op="ReadVariableOp", input=[kernel.name])
    read.attr["dtype"].type = dtypes.FLOAT
    product = graph.node.add(name=f"{name}/MatMul", op="MatMul", input=[source, read.name])
    product.attr["T"].type = dtypes.FLOAT
    return product.name


@pytest.fixture
def model(tmp_path):
    """A file with layers of these names and sizes, one after the other."""

    def make(file, *layers):
        graph = message_class("GraphDef")()
        x = graph.node.add(name="x", op="Placeholder")
        x.attr["dtype"].type = dtypes.FLOAT
        for size in (-1, 16):
            x.attr["shape"].shape.dim.add(size=size)
        source, inputs = "x", 16
        for name, units in layers:
            source, inputs = dense(graph, name, units, inputs, source), units
        path = tmp_path / f"{file}.pb"
        path.write_bytes(graph.SerializeToString())
        return path

    return make


def test_a_layer_that_was_added(model):
    before = model("before", ("one", 32), ("two", 8))
    data = diffed(before, model("after", ("one", 32), ("extra", 32), ("two", 8)))
    assert rows(data, "total", "params")["model"]["change"] == 32 * 32
    assert rows(data, "layer", "layer")["extra"]["before"] is None
    assert rows(data, "layer", "params")["extra"]["after"] == 32 * 32
    assert rows(data, "op", "count")["MatMul"]["change"] == 1
    assert data["summary"]["same_work"] is False


def test_a_layer_that_was_renamed(model):
    before = model("before", ("one", 32), ("two", 8))
    data = diffed(before, model("after", ("one", 32), ("second", 8)))
    assert rows(data, "layer", "name")["two"]["after"] == "second"
    assert not rows(data, "layer", "layer")
    assert rows(data, "total", "params")["model"]["significant"] is False


def test_a_shape_that_changed(model):
    before = model("before", ("one", 32), ("two", 8))
    data = diffed(before, model("after", ("one", 64), ("two", 8)))
    shape = rows(data, "layer", "output_shape")["one"]
    assert (shape["before"], shape["after"]) == ("Bx32", "Bx64")
    # the work of the layer behind it changes, not its shape
    assert rows(data, "layer", "params")["two"]["change"] == 32 * 8
    assert rows(data, "layer", "flops")["two"]["change"] == f"{2 * 32 * 8}*B"


def test_a_model_and_itself_do_not_differ(model):
    path = model("same", ("one", 32))
    data = diffed(path, path)
    assert not [row for row in data["rows"] if row["significant"]]
    assert data["summary"]["same_work"] is True


def test_the_input_pipeline_is_named_as_the_change(samples):
    slow, fast = (samples / f"xplane/{name}.xplane.pb" for name in ("slow-cb", "fast-cb"))
    data = diffed(slow, fast)
    step = rows(data, "step")
    assert step["step time"]["significant"]
    assert step["input"]["significant"]
    assert next(iter(data["summary"]["because"])) == "input"
    assert data["summary"]["same_work"] is True
    # it is one capture a side, and that is said
    assert "noise between runs is not known" in data["summary"]["noise"]
    shown = run("diff", slow, fast)
    assert "Because    waiting for input −" in shown.out


def test_a_capture_and_itself_do_not_differ(samples):
    path = samples / "xplane/slow-cb.xplane.pb"
    assert not [row for row in diffed(path, path)["rows"] if row["significant"]]


def test_repeats_are_used_for_the_noise(samples):
    slow, fast = (samples / f"xplane/{name}.xplane.pb" for name in ("slow-cb", "fast-cb"))
    data = diffed(f"{slow},{slow}", f"{fast},{fast}")
    assert [side["captures"] for side in data["sides"]] == [2, 2]
    assert data["summary"]["noise"] == "noise is that between 2 and 2 captures"


def test_several_runs_are_a_table_in_order(samples):
    names = ["slow-cb", "slow-trace", "fast-trace"]
    data = diffed(*(samples / f"xplane/{name}.xplane.pb" for name in names))
    assert [side["name"].rpartition("/")[2] for side in data["sides"]] == [
        f"{name}.xplane.pb" for name in names
    ]


def test_a_run_of_one_step_is_never_a_change(samples):
    run_meta = samples / "two_cpus"
    data = diffed(run_meta, run_meta)
    times = [row for row in data["rows"] if row["metric"] == "time_us"]
    assert times
    assert {row["significant"] for row in times} == {None}
    assert "5 are needed" in times[0]["why"]


def test_files_of_one_side_are_joined_by_a_plus(samples):
    both = f"{samples / 'two_cpus/graph.pb'}+{samples / 'two_cpus/run_meta'}"
    data = diffed(both, samples / "two_cpus/graph.pb")
    assert data["sides"][0]["captures"] == 1
    assert data["sides"][1]["captures"] == 0


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((), 2, "two sides or more"),
        (("two_cpus",), 2, "two sides or more"),
        ((",", "two_cpus"), 2, "names no file"),
        (("two_cpus", "gone"), 3, "no such file"),
    ],
)
def test_words_that_make_no_sense(samples, monkeypatch, words, code, said):
    monkeypatch.chdir(samples)
    ran = run("diff", *words)
    assert (ran.code, ran.out) == (code, "")
    assert said in ran.err


def test_what_has_nothing_in_common_is_told(samples):
    index = samples / "resnet32/model.ckpt.index"
    ran = run("diff", samples / "xplane/slow-cb.xplane.pb", index)
    assert (ran.code, ran.out) == (3, "")
    assert "nothing in common" in ran.err


def test_the_picture_has_a_column_a_side(samples, tmp_path):
    names = ["slow-cb", "slow-trace", "fast-trace"]
    target = tmp_path / "story.svg"
    sides = [samples / f"xplane/{name}.xplane.pb" for name in names]
    assert run("draw", "diff", *sides, "-o", target).code == 0
    drawn = target.read_text()
    assert all(name in drawn for name in names)
    ran = run("draw", "diff", *[samples / "keras_mlp_fwd.graph.pb"] * 2)
    assert (ran.code, ran.out) == (3, "")


def test_python_takes_profiles_paths_and_lists(samples):
    slow, fast = (samples / f"xplane/{name}.xplane.pb" for name in ("slow-cb", "fast-cb"))
    found = tfprof.diff(tfprof.load(slow), [str(fast), fast]).to_dict()["data"]
    assert [side["captures"] for side in found["sides"]] == [1, 2]
    with pytest.raises(UsageError, match="two sides"):
        tfprof.diff(slow)
    with pytest.raises(UsageError, match="empty list"):
        tfprof.diff(slow, [])


def test_tensors_that_moved():
    from tfprof.analyses.comparison.tensors import tensor_changes
    from tfprof.model.checkpoint import Checkpoint, StoredTensor

    class Held:
        def __init__(self, values):
            self._values = values

        def whole(self, tensor):
            return self._values[tensor.key].tobytes()

    def checkpoint(**values):
        arrays = {name: np.array(one, np.float32) for name, one in values.items()}
        tensors = {
            name: StoredTensor(name, name, dtypes.FLOAT, one.shape, one.nbytes)
            for name, one in arrays.items()
        }
        return Checkpoint("made", "V2", 1, tensors, Held(arrays))

    before = checkpoint(still=[1.0, 2.0], moved=[3.0, 4.0], gone=[1.0], grown=[1.0], zero=[0.0])
    after = checkpoint(still=[1.0, 2.0], moved=[3.0, 9.0], new=[1.0], grown=[1.0, 1.0], zero=[2.0])
    found = {one.name: one for one in tensor_changes(before, after, values=True)}
    assert set(found) == {"moved", "gone", "new", "grown", "zero"}
    assert found["moved"].relative_change == pytest.approx(1.0)
    assert found["moved"].largest_change == pytest.approx(5.0)
    assert (found["gone"].after, found["new"].before) == (None, None)
    assert found["grown"].after == "float32 [2]"
    assert found["zero"].relative_change is None
    assert {one.name for one in tensor_changes(before, after, values=False)} == {
        "gone", "new", "grown",
    }  # fmt: skip


def test_what_is_rounded_to_the_same_is_not_the_same(model):
    """Both are 1.000 M parameters."""
    before, after = model("before", ("one", 62_500)), model("after", ("one", 62_501))
    told = {one["what"]: one for one in diffed(before, after)["comparable"]}["parameters"]
    assert (told["before"], told["after"], told["same"]) == ("1,000,000", "1,000,016", False)


def test_the_same_layers_connected_in_another_way_are_other_work(tmp_path):
    paths = []
    for name, sources in (("chain", ("x", "one/MatMul", "two/MatMul")),
                          ("fork", ("x", "one/MatMul", "one/MatMul"))):  # fmt: skip
        graph = message_class("GraphDef")()
        x = graph.node.add(name="x", op="Placeholder")
        x.attr["dtype"].type = dtypes.FLOAT
        for size in (-1, 16):
            x.attr["shape"].shape.dim.add(size=size)
        for layer, source in zip(("one", "two", "three"), sources, strict=True):
            dense(graph, layer, 16, 16, source)
        paths.append(tmp_path / f"{name}.pb")
        paths[-1].write_bytes(graph.SerializeToString())
    data = diffed(*paths)
    assert data["summary"]["same_work"] is False
    read = rows(data, "layer", "reads")["three"]
    assert (read["before"], read["after"]) == ("two", "one")
    assert "Same work  no: connections:" in run("diff", *paths).out


def test_a_size_that_one_side_leaves_open_is_that_of_the_other(model, tmp_path):
    """One was traced with a batch, the other for any."""
    any_batch = model("any", ("one", 32))
    graph = message_class("GraphDef")()
    graph.ParseFromString(any_batch.read_bytes())
    graph.node[0].attr["shape"].shape.dim[0].size = 8
    (tmp_path / "eight.pb").write_bytes(graph.SerializeToString())
    ran = run("diff", any_batch, tmp_path / "eight.pb", "--json")
    told = json.loads(ran.out)
    assert told["data"]["summary"]["same_work"] is True
    assert told["warnings"][0] == "any.pb leaves sizes open: B = 8 taken, as the other is fed."
    # what is said is not overruled
    said = diffed(any_batch, tmp_path / "eight.pb", "--batch", "4")
    assert rows(said, "total", "flops")["model"]["before"] == 2 * 4 * 16 * 32


def test_relative_changes_of_formulas(model):
    before, after = model("before", ("one", 32)), model("after", ("one", 48))
    shown = run("diff", before, after).out
    flops = next(line for line in shown.splitlines() if line.startswith("FLOPs "))
    assert flops.split()[-1] == "50.0%"


def test_a_capture_without_ops_tells_nothing_about_the_work(samples):
    with_ops, without = samples / "tiny.xplane.pb", samples / "xplane/tiny-htl1.xplane.pb"
    data = diffed(without, with_ops)
    assert {one["what"]: one["same"] for one in data["comparable"]}["ops of a step"] is None
    assert data["summary"]["same_work"] is None


def test_a_folder_of_several_models_says_to_name_one(model, tmp_path):
    path = model("one", ("one", 32))
    for name in ("first", "second"):
        (tmp_path / "all" / name).mkdir(parents=True)
        (tmp_path / "all" / name / "graph.pb").write_bytes(path.read_bytes())
    ran = run("diff", tmp_path / "all", path)
    assert (ran.code, ran.out) == (2, "")
    assert "Name one of them" in ran.err
    assert "--run" not in ran.err


@pytest.mark.parametrize("said", ["", "5", "-1%", "1000%", "nan%", "1e3%", "٣%"])
def test_noise_that_makes_no_sense(samples, said):
    path = samples / "xplane/slow-cb.xplane.pb"
    ran = run("diff", path, path, f"--run-noise={said}")
    assert (ran.code, ran.out) == (2, "")


def test_who_knows_the_noise_says_it(samples):
    slow, fast = (samples / f"xplane/{name}.xplane.pb" for name in ("slow-cb", "fast-cb"))
    usual, quiet = (diffed(slow, fast, *words) for words in ((), ("--run-noise", "0.1%")))
    assert "10% is taken" in usual["summary"]["noise"]
    assert "0.1% is taken" in quiet["summary"]["noise"]
    wide, narrow = (rows(data, "step")["step time"]["interval"] for data in (usual, quiet))
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_a_saver_owns_no_parameters(samples):
    """It puts a value into every variable: layers of both files have the same."""
    meta, graph = (samples / "resnet32" / name for name in ("model.ckpt.meta", "graph.pb"))
    assert not [row for row in diffed(meta, graph)["rows"] if row["significant"]]
