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

        def chunks(self, tensor):
            yield self._values[tensor.key].tobytes()

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
