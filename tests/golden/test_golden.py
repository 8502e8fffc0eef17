"""What the commands print, kept in files named after the options; `--accept` rewrites them."""

from pathlib import Path

import pytest
from run_cli import run

from tfprof.cli.main import main
from tfprof.commands.registry import commands

ROOT = Path(__file__).parents[2]

# name in the golden file: folder to stand in (repository or samples), path from there
INPUTS = {
    "unet": ("repository", "examples/unet"),
    "resnet32": ("samples", "resnet32"),
    "mlp_train": ("samples", "keras_mlp_train.graph.pb"),
    "lstm_fwd_text": ("samples", "keras_lstm_fwd.graph.pbtxt"),
}
FORMATS = ["txt", "json", "md", "csv"]


@pytest.fixture
def stand_in(samples, monkeypatch):
    """Paths in the output must be the same on every machine."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    return lambda place: monkeypatch.chdir(ROOT if place == "repository" else samples)


def _answer(*words):
    ran = run(*words)
    assert (ran.code, ran.err) == (0, "")
    return ran.out


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.parametrize("command", ["summary", "doctor"])
def test_an_answer_is_the_accepted_one(golden, stand_in, command, name, form):
    place, path = INPUTS[name]
    stand_in(place)
    golden(f"{command}.{name}.{form}", _answer(command, path, "--format", form))


@pytest.mark.parametrize("form", FORMATS)
def test_formats_are_the_accepted_ones(golden, stand_in, form):
    stand_in("repository")
    golden(f"formats.{form}", _answer("formats", "--format", form))


@pytest.mark.parametrize("form", FORMATS)
def test_explanations_are_the_accepted_ones(golden, form):
    golden(f"explain.{form}", _answer("explain", "wrong-kind", "--format", form))


@pytest.mark.parametrize("form", FORMATS)
def test_a_folder_of_models_is_the_accepted_one(golden, stand_in, form):
    stand_in("samples")
    golden(f"summary.models.{form}", _answer(".", "--format", form))


@pytest.mark.parametrize("words", ["", *sorted(commands()), "draw memory", "draw steps"])
def test_help_is_the_accepted_one(golden, stand_in, capsys, words):
    stand_in("repository")
    try:
        code = main([*words.split(), "--help"])
    except SystemExit as ended:  # argparse leaves by itself
        code = ended.code
    assert code == 0
    golden(".".join(["help", *words.split(), "txt"]), capsys.readouterr().out)
