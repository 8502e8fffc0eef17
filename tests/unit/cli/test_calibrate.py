"""`--calibrate` on the command line and in Python, and captures that cannot be used for it."""

import json
import shutil

import pytest
from run_cli import run

import tfprof

MLP = "keras_mlp_train.graph.pb"


def estimated(ran):
    assert ran.code == 0, ran.err
    return json.loads(ran.out)["data"]["estimated_time"]


def test_a_capture_gives_times_with_an_interval(samples):
    words = ("layers", samples / MLP, "--batch", "64", "--json", "--calibrate")
    time = estimated(run(*words, samples / "traced_step"))
    low, high = time["time_interval_us"]
    assert 0 < low < time["time_us"] < high
    assert time["device"] is None
    assert time["time_us_kind"] == "estimated"
    assert sum(row["time_us"] for row in time["rows"]) == pytest.approx(time["time_us"])
    families = {row["family"] for row in time["calibration"]["families"]}
    assert {"convolutions", "matrix products", "element-wise"} <= families


def test_a_device_alone_has_no_upper_end(samples):
    words = ("layers", samples / MLP, "--batch", "64", "--json", "--device", "cpu")
    time = estimated(run(*words))
    assert time["time_interval_us"] == [time["time_us"], None]
    assert "calibration" not in time


def test_text_says_the_interval_and_the_capture(samples):
    folder = samples / "traced_step"
    ran = run("layers", samples / MLP, "--batch", "64", "--by", "op", "--calibrate", folder)
    assert ran.code == 0, ran.err
    assert "estimated on" in " ".join(ran.out.split())
    assert " from " in ran.out
    table = run("layers", samples / MLP, "--by", "op", "--calibrate", folder, "--format", "csv")
    assert "low_us,high_us" in table.out.splitlines()[0]


def test_several_captures_are_one_calibration(samples):
    folder = str(samples / "traced_step")
    words = ("layers", samples / MLP, "--batch", "64", "--json")
    one = estimated(run(*words, "--calibrate", folder))
    two = estimated(run(*words, "--calibrate", folder, "--calibrate", folder))
    assert two["calibration"]["sources"] == [folder, folder]
    assert two["calibration"]["steps"] == 2 * one["calibration"]["steps"]
    assert two["time_us"] == pytest.approx(one["time_us"], rel=0.05)


def test_a_swap_goes_beside_a_step_of_the_machine(samples):
    folder = samples / "traced_step"
    words = ("memory", samples / MLP, "--batch", "64", "--swap", "16", "--json")

    def swap(*more):
        ran = run(*words, *more)
        assert ran.code == 0, ran.err
        (found,) = json.loads(ran.out)["data"]["what_if"]
        return found

    best, ours = swap(), swap("--calibrate", folder)
    assert best["step_interval_us"] == [best["step_us"], None]
    low, high = ours["step_interval_us"]
    assert low < ours["step_us"] < high
    assert ours["step_us"] > best["step_us"]
    assert str(folder) in ours["device"]


def test_in_python(samples):
    profile = tfprof.load(samples / MLP)
    folder = samples / "traced_step"
    data = profile.layers(batch=64, calibrate=folder).to_dict()["data"]
    words = ("layers", samples / MLP, "--batch", "64", "--json", "--calibrate", folder)
    assert data["estimated_time"] == estimated(run(*words))
    swapped = profile.memory(batch=64, swap=16, calibrate=[folder]).to_dict()["data"]
    assert swapped["what_if"][0]["step_interval_us"][1] is not None


def test_run_metadata_with_its_graph_calibrates_too(samples, tmp_path):
    for name in ("resnet50_train_b1.graph.pb", "resnet50_train_b1.runmeta.pb"):
        (tmp_path / name).symlink_to(samples / name)
    time = estimated(run("layers", samples / MLP, "--json", "--calibrate", tmp_path))
    assert time["calibration"]["steps"] == 1
    assert time["time_interval_us"][1] is not None


# --- what is no capture


def test_a_graph_that_never_ran_is_refused(samples):
    ran = run("layers", samples / MLP, "--calibrate", samples / MLP)
    assert (ran.code, ran.out) == (4, "")
    assert "nothing ran here" in ran.err


def test_a_run_without_its_graph_is_refused(samples):
    ran = run("layers", samples / MLP, "--calibrate", samples / "xplane/slow-cb.xplane.pb")
    assert (ran.code, ran.out) == (3, "")
    assert "no graph beside it" in ran.err


def test_a_run_of_another_graph_is_refused(samples, tmp_path):
    (tmp_path / "graph.pb").symlink_to(samples / "keras_lstm_fwd.graph.pb")
    (tmp_path / "a.xplane.pb").symlink_to(samples / "traced_step/vm.xplane.pb")
    ran = run("layers", samples / MLP, "--calibrate", tmp_path)
    assert (ran.code, ran.out) == (3, "")
    assert "no op that ran has a time and a known size" in ran.err


def test_a_run_that_xla_compiled_is_refused(samples, tmp_path):
    """Few of its instructions are ops of the graph: what was fitted to these was said of all."""
    (tmp_path / "graph.pb").symlink_to(samples / MLP)
    (tmp_path / "a.xplane.pb").symlink_to(samples / "xplane/fast-xla.xplane.pb")
    ran = run("layers", samples / MLP, "--batch", "64", "--calibrate", tmp_path)
    assert ran.code == 4
    assert "XLA compiled what ran here" in ran.err


def test_an_option_of_others_is_said_to_be_one(samples):
    ran = run("summary", samples / MLP, "--calibrate", samples / "traced_step")
    assert ran.code == 2
    assert "`tfprof layers`, `tfprof memory`" in ran.err
    assert "Did you mean" not in ran.err


def test_a_capture_that_is_empty_or_not_there_is_refused(samples, tmp_path):
    empty = tmp_path / "x.xplane.pb"
    empty.touch()
    assert run("layers", samples / MLP, "--calibrate", empty).code == 4
    assert run("layers", samples / MLP, "--calibrate", tmp_path / "none").code == 3


def test_kernels_are_not_estimated(samples):
    folder = samples / "traced_step"
    assert run("layers", folder, "--by", "kernel", "--calibrate", folder).code == 2


def test_an_answer_in_the_folder_of_the_captures_is_no_capture(samples, tmp_path):
    """Written beside them, it is not read the next time; and it takes the place of none."""
    folder = tmp_path / "captures"
    shutil.copytree(samples / "stories" / "slow_map", folder)
    capture = next(folder.rglob("*.xplane.pb*"))
    before = capture.read_bytes()
    asked = ["layers", samples / "keras_mlp_fwd.graph.pb", "--batch", "8", "--calibrate", folder]
    first = run(*asked, "--json").out
    for target in (folder / "layers.json", folder / "layers.csv", capture.parent / "layers.json"):
        assert run(*asked, "-o", target).code == 0
        assert run(*asked, "--json").out == first
    for target in (capture, folder / "run.json"):
        ran = run(*asked, "-o", target, "--format", "json", "--force")
        assert (ran.code, "never written over" in ran.err) == (5, True)
    assert capture.read_bytes() == before
