"""A folder of several runs and captures: which one is read is seen, and another can be picked."""

import json
import shutil

import pytest
from run_cli import run

import tfprof

OLD, NEW = "2026_01_01_10_00_00", "2026_01_02_10_00_00"


@pytest.fixture
def logs(samples, tmp_path):
    """Two runs with two captures each."""
    for one in ("run1", "run2"):
        for time in (OLD, NEW):
            folder = tmp_path / "logs" / one / "train" / "plugins" / "profile" / time
            folder.mkdir(parents=True)
            shutil.copy(samples / "xplane" / "synthetic-gpu.xplane.pb", folder / "vm.xplane.pb")
    return tmp_path / "logs"


def _read(*words):
    ran = run("steps", *words, "--json")
    assert ran.code == 0, ran.err
    return [one["path"].split("logs/")[1] for one in json.loads(ran.out)["inputs"]]


@pytest.mark.parametrize("command", ["summary", "steps", "layers", "timeline"])
def test_the_header_names_the_capture_and_how_many_others_there_are(command, logs):
    out = " ".join(run(command, logs / "run1").out.split())
    assert f"capture {NEW}, 1 other: --run NAME" in out


def test_the_header_names_the_run_and_how_many_others_there_are(logs):
    out = run("steps", logs, "--run", "run2").out
    # a long name is cut in its middle
    assert out.splitlines()[0].endswith("logs/run2")
    assert "1 other run in this folder" in " ".join(out.split())
    out = run("steps", logs, "--run", f"run2/{OLD}").out
    assert f"capture {OLD}, 1 other; 1 other run in this folder" in " ".join(out.split())


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("run1", f"run1/train/plugins/profile/{NEW}/vm.xplane.pb"),
        ("run2", f"run2/train/plugins/profile/{NEW}/vm.xplane.pb"),
        (f"run2/{OLD}", f"run2/train/plugins/profile/{OLD}/vm.xplane.pb"),
    ],
)
def test_a_run_is_picked_by_its_name(logs, name, path):
    assert _read(logs, "--run", name) == [path]


def test_a_capture_of_one_run_is_picked_by_its_name(logs):
    before = _read(logs / "run1", "--run", OLD)
    assert before == [f"run1/train/plugins/profile/{OLD}/vm.xplane.pb"]
    ran = run("steps", logs / "run1", "--run", OLD)
    next_command = ran.out.partition("Next")[2].split("`")[1]
    assert OLD in "".join(next_command.split())


def test_several_runs_are_listed_with_how_to_pick_one(logs):
    ran = run("steps", logs)
    assert (ran.code, "--run run2 picks one" in ran.err) == (2, True)
    assert run("steps", logs, "--run", OLD).code == 2  # both runs have one called so


def test_a_run_that_is_not_there_is_named_with_the_nearest(logs):
    ran = run("steps", logs, "--run", "run3")
    assert (ran.code, "Did you mean run" in ran.err) == (2, True)
    ran = run("steps", logs, "--run", "quux")
    assert "There are run1, run2," in ran.err


def test_only_a_folder_has_runs(samples):
    ran = run("steps", samples / "xplane" / "synthetic-gpu.xplane.pb", "--run", "x")
    assert ran.code == 2


def test_run_metadata_is_picked_by_the_name_of_its_file(unet, tmp_path):
    for name, target in (
        ("graph.pb", "graph.pb"),
        ("run_meta", "run_meta"),
        ("run_meta", "b.runmeta"),
    ):
        shutil.copy(unet / name, tmp_path / target)
    seen = []
    for words in ([], ["--run", "run_meta"], ["--run", "b.runmeta"]):
        found = json.loads(run("steps", tmp_path, *words, "--json").out)["inputs"]
        seen.append([one["path"].rpartition("/")[2] for one in found][-1])
    assert seen[1:] == ["run_meta", "b.runmeta"]
    assert f"run {seen[0]}, 1 other" in " ".join(run("steps", tmp_path).out.split())


def test_a_run_below_another_is_told_and_can_be_picked(unet, tmp_path):
    for folder in (tmp_path / "logs", tmp_path / "logs" / "before"):
        shutil.copytree(unet, folder)
    assert "1 other run in this folder" in " ".join(run("steps", tmp_path / "logs").out.split())
    assert _read(tmp_path / "logs", "--run", "before") == ["before/graph.pb", "before/run_meta"]


def test_models_of_one_folder_are_runs_of_their_own(samples, tmp_path):
    for name in ("keras_mlp_fwd.graph.pb", "keras_mlp_train.graph.pb"):
        shutil.copy(samples / name, tmp_path / name)
    shutil.copy(samples / "keras_mlp_train_b8_default.runmeta.pb", tmp_path)
    out = " ".join(run("summary", tmp_path, "--run", "keras_mlp_fwd").out.split())
    assert "GraphDef keras_mlp_fwd.graph.pb · 1 other run in this folder: --run NAME" in out


def test_python_picks_a_run_by_its_name(logs):
    found = tfprof.load(logs, run=f"run2/{OLD}").steps().to_dict()["inputs"]
    assert [one["path"].split("logs/")[1] for one in found] == [
        f"run2/train/plugins/profile/{OLD}/vm.xplane.pb"
    ]
    with pytest.raises(tfprof.TfprofError, match="run3"):
        tfprof.load(logs, run="run3")
    with pytest.raises(tfprof.TfprofError, match="no name of a run"):
        tfprof.load(logs, run=3)
