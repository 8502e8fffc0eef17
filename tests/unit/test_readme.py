"""What the README claims; tests/unit/test_docs.py runs its commands and its Python."""

import re
import time
import tomllib
from pathlib import Path

import pytest
from run_cli import run, spawn

import tfprof
from tfprof.commands.registry import commands
from tfprof.ops.rule import rules

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
LSTM = ROOT / "tests/data/keras_lstm_fwd.graph.pb"


def test_it_sells_first():
    """One picture, one sentence, the line that installs, three commands: on the first screen."""
    first = README.partition("\n## ")[0]
    assert len(first.splitlines()) <= 24
    assert first.count("![") == 1
    assert first.count("pip install") == 1
    assert len(re.findall(r"^tfprof ", first, re.MULTILINE)) == 3


def test_it_is_short_and_leaves_outputs_to_the_docs():
    assert len(README.splitlines()) <= 100
    assert "```console" not in README


def test_every_link_leads_somewhere():
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", README)
    assert [link for link in links if not (ROOT / link).exists()] == []
    assert len(links) > 20


def test_every_command_that_answers_a_question_is_in_the_table():
    rows = " ".join(re.findall(r"^\|.*\|$", README, re.MULTILINE))
    asked = {name for name, one in commands().items() if one.query is not None}
    assert asked - {"summary"} <= set(re.findall(r"\w+", rows))


def test_the_plain_installation_brings_four_packages():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = [re.match(r"[\w-]+", one)[0] for one in settings["dependencies"]]
    assert sorted(names) == ["numpy", "prompt_toolkit", "protobuf", "rich"]
    assert {"keras", "plot", "fast"} <= set(settings["optional-dependencies"])


def test_the_estimate_is_within_300_bytes_of_the_measured_peak():
    sizes = {"H": 572, "W": 572}
    unet = ROOT / "examples/unet"
    estimated = tfprof.peak_memory(unet / "graph.pb", batch=1, dims=sizes)["/cpu:0"]
    assert abs(estimated - tfprof.peak_memory(unet / "run_meta")["/cpu:0"]) <= 300


def test_more_than_1100_op_types_have_a_rule():
    assert len(rules()) > 1100


def test_the_original_says_0_of_the_lstm():
    options = tfprof.ProfileOptionBuilder(tfprof.ProfileOptionBuilder.float_operation())
    chosen = options.with_empty_output().build()
    assert tfprof.profile(LSTM, options=chosen, compat="original").total_float_ops == 0


def test_what_is_damaged_is_refused_with_the_byte(tmp_path):
    whole = (ROOT / "examples/unet/graph.pb").read_bytes()
    broken = tmp_path / "graph.pb"
    broken.write_bytes(whole[:5000] + b"\xff" * 400 + whole[5400:])
    ran = run(broken)
    assert ran.code == 4
    assert re.search(r"at byte [\d,]+", ran.err)


@pytest.mark.alone
def test_the_first_answer_takes_a_second():
    def seconds():
        started = time.perf_counter()
        assert spawn(ROOT / "examples/unet").code == 0
        return time.perf_counter() - started

    assert min(seconds() for _ in range(5)) < 1.5
