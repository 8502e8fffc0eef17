"""What the commands say of a run folder: two ranks, a log beside, one of several runs."""

import pytest
from made_events import event_file, training_log
from made_runs import made_run, put, whole_record, write
from run_cli import run

FORMATS = ["txt", "json", "md", "csv"]
NAME = "train-20261117-184502"
EPOCHS = [
    {"epoch": number, "seconds": 3.2, "data_s": 0.4, "step_s": 2.0, "callbacks_s": 0.1,
     "validation_s": 0.5, "checkpoint_s": 0.1}
    for number in (1, 2)
]  # fmt: skip


@pytest.fixture
def runs(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(tmp_path)
    folder = made_run(tmp_path / "tfprof-runs" / NAME, 2, epochs=EPOCHS, batch=16)
    event_file(folder / "rank-0" / "events.out.tfevents.1794900000.vm", training_log())
    put("keras_mlp_fwd.graph.pb", folder / "rank-0" / "functions" / "predict.pb")
    older = made_run(tmp_path / "tfprof-runs" / "train-20261117-170000")
    write(older / "run.json", whole_record(started="2026-11-17T17:00:00Z"))
    return "tfprof-runs"


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("command", ["summary", "steps", "layers", "doctor"])
def test_an_answer_is_the_accepted_one(golden, runs, command, form):
    ran = run(command, runs, "--format", form)
    assert (ran.code, ran.err) == (0, "")
    golden(f"{command}.run_folder.{form}", ran.out)
