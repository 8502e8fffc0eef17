"""The stories of docs/stories, run: what the pages say is what comes out."""

import json
import os
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from referees import needs
from run_cli import run
from script_runs import environment, plainly, recorded

import tfprof

needs("tensorflow")

EXAMPLES = Path(__file__).parents[2] / "examples"
INPUT, UNET, LINEAR = (EXAMPLES / f"{name}_story" for name in ("input", "unet", "linear"))
# the published numbers of the U-Net, in bytes
TRAINING, PREDICTION = 2_093_226_660, 180_936_736


def _answer(command: str, *words) -> dict:
    said = run(command, *words, "--json")
    assert said.code == 0, said.err
    return json.loads(said.out)["data"]


def test_the_first_screen_tells_why_the_input_is_slow(tmp_path: Path):
    ran = recorded([INPUT / "slow_map.py"], tmp_path)
    assert ran.code == 0, ran.err
    steps = _answer("steps", ran.folder)
    assert steps["input_bound"] > 0.5
    first_screen = ran.err[ran.err.index("\ntfprof: steps") :].splitlines()[:40]
    said = " ".join(" ".join(first_screen).split())
    assert "highly input-bound" in said
    assert "MapAndBatch" in said
    assert "PyFunc" in said or "Python" in said


@pytest.mark.long
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "words", [["parallel_map.py"], ["half_precision.py"], ["half_precision.py", "mixed_float16"]]
)
def test_nothing_waits_for_what_is_read_ahead(words: list[str], tmp_path: Path):
    ran = recorded([INPUT / words[0], *words[1:]], tmp_path, "--memory")
    assert ran.code == 0, ran.err
    assert _answer("steps", ran.folder)["input_bound"] < 0.05
    half = {row["dtype"] for row in _variables(ran.folder)} != {"float32"}
    assert not half, "in half precision, too, variables stay as they are"


def _variables(folder: Path) -> list[dict]:
    table = json.loads((folder / "rank-0" / "graph_vars.json").read_text())
    trained = [value for value in table.values() if len(value) > 2 and value[2]]
    assert trained
    return [{"dtype": value[1]} for value in trained]


@pytest.fixture(scope="module")
def graphs(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("graphs")
    built = plainly([UNET / "build_graphs.py", folder])
    assert built.code == 0, built.err
    return folder


def test_the_unet_of_the_story_is_the_published_one(graphs: Path):
    sizes = {"batch": 1, "dims": {"H": 572, "W": 572}}
    plain = graphs / "plain.meta"
    assert tfprof.parameter_count(plain) == 31_030_658
    (training,) = tfprof.peak_memory(plain, mode="train", **sizes).values()
    assert training == pytest.approx(TRAINING, rel=1e-6)
    (prediction,) = tfprof.peak_memory(plain, mode="inference", **sizes).values()
    assert prediction == pytest.approx(PREDICTION, rel=1e-6)
    (normalised,) = tfprof.peak_memory(graphs / "batch_norm.meta", **sizes).values()
    assert 1.1 < normalised / training < 1.5


def test_memory_grows_with_the_batch_and_is_saved_by_recomputing(graphs: Path):
    asked = ("--dim", "H=572", "--dim", "W=572", "--batch", "1..8")
    data = _answer("memory", graphs / "plain.meta", *asked, "--recompute")
    peaks = [row["peak_bytes"]["/cpu:0"] for row in data["batches"]]
    grown = [after - before for before, after in pairwise(peaks)]
    assert max(grown) == pytest.approx(min(grown), rel=0.01)


@pytest.mark.long
@pytest.mark.timeout(600)
def test_what_was_estimated_is_what_is_measured(tmp_path: Path):
    """Recomputing needs less memory, batch normalisation more, and a prediction least."""
    peaks = {}
    for option in ("", "--recompute", "--batch-norm", "--predict"):
        words = [UNET / "train.py", *option.split()]
        # a loop that only predicts has no steps
        by_time = ("--duration", "30") if option == "--predict" else ()
        ran = recorded(words, tmp_path / f"runs{option}", "--memory", *by_time)
        assert ran.code == 0, ran.err
        summary = _answer("summary", ran.folder)
        assert summary["memory_kind"] == "measured"
        peaks[option] = max(summary["peak_memory"].values())
    assert peaks["--predict"] < peaks["--recompute"] < peaks[""] < peaks["--batch-norm"]


@pytest.fixture
def profiles(tmp_path: Path) -> Path:
    """Killed half way, and started again."""
    words = [LINEAR / "linear.py", tmp_path / "log", "--profiles", tmp_path / "profiles"]
    with subprocess.Popen(
        [sys.executable, *words], env=environment(), stdout=subprocess.PIPE, text=True,
        stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        for line in process.stdout:
            if line == "step 300\n":
                break
        os.kill(process.pid, signal.SIGKILL)
    again = plainly(words)
    assert again.code == 0, again.err
    assert again.out.startswith("starts at step 300 "), again.out
    assert "W: 2.000 b: -0.499" in again.out
    return tmp_path / "profiles"


def test_profiles_go_on_after_a_restart(profiles: Path):
    record = json.loads((profiles / "rank-0" / "run.json").read_text())
    (before,) = record["previous"]
    assert 200 <= before["last_step"] <= 300
    captured = [one["first_step"] for one in record["captures"] if one["complete"]]
    assert {400, 500} <= set(captured)
    assert record["steps"]["count"] == 600
    assert [step["step"] for step in _answer("steps", profiles)["steps"]]
    for capture in record["captures"]:
        assert (profiles / "rank-0" / capture["folder"]).exists()
    assert len(record["captures"]) <= 4


@pytest.mark.long
def test_the_doctor_tells_what_was_restored(tmp_path: Path):
    """W and b come from the checkpoint, the step does not."""
    trained = plainly([LINEAR / "linear.py", tmp_path / "first", "--steps", "200"])
    assert trained.code == 0, trained.err
    checkpoint = tmp_path / "first" / "model.ckpt-200"
    words = ["--steps", "100", "--pretrained", checkpoint]
    ran = recorded([LINEAR / "linear.py", tmp_path / "second", *words], tmp_path / "runs")
    assert ran.code == 0, ran.err
    assert ran.out.startswith("starts at step 0 with loss 0.0"), ran.out
    said = run("doctor", ran.folder, f"{checkpoint}.index")
    assert said.code == 0, said.err
    assert "Restores      2 of 3 variables by the Saver pretrained: W, b" in said.out
    assert "global_step: the Saver does not ask for it" in said.out
