"""`tfprof draw steps`: the numbers of `tfprof steps` as columns, and only the options that fit."""

import json
import re
from xml.etree import ElementTree as ET

import pytest
from run_cli import run, spawn

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def slow(samples):
    return samples / "xplane" / "slow-cb.xplane.pb"


def tooltips(svg):
    root = ET.fromstring(svg)  # noqa: S314  (our own text)
    return [title.text for rect in root.iter(f"{SVG}rect") for title in rect.iter(f"{SVG}title")]


def test_the_columns_are_the_steps_of_the_steps_command(slow):
    drawn = run("draw", "steps", slow)
    assert (drawn.code, drawn.err) == (0, "")
    told = json.loads(run("steps", slow, "--json").out)["data"]["steps"]
    heads = [text.partition("\n")[0] for text in tooltips(drawn.out)]
    assert heads == [f"step {one['step']}: {one['period_us'] / 1000:.1f} ms" for one in told]
    for text, one in zip(tooltips(drawn.out), told, strict=True):
        waits = re.search(r"waiting for input ([\d.]+) ms \(([\d.]+)%\)", text)
        assert float(waits[1]) == pytest.approx(one["breakdown"]["input"] / 1000, abs=0.06)
        assert 55 <= float(waits[2]) <= 72


def test_a_file_holds_what_a_pipe_gets_in_any_order_of_words(slow, tmp_path):
    path = tmp_path / "x.svg"
    assert run("draw", "-o", path, "steps", slow).err == f"Wrote {path}\n"
    assert path.read_text("ascii") == run("draw", "steps", slow).out


@pytest.mark.parametrize(("subject", "has_batch"), [("steps", False), ("memory", True)])
def test_a_subject_has_only_the_options_that_fit_it(subject, has_batch):
    page = spawn("draw", subject, "--help").out
    assert ("--batch" in page) == has_batch
    assert "FILE.svg" in page
    assert "--json" not in page


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["draw", "steps"], "tfprof draw steps PATH"),
        (["draw", "steps", "F", "--batch", "3"], "--batch"),
        (["draw", "steps", "F", "-o", "x.pdf"], ".svg or .png"),
    ],
)
def test_wrong_words_are_2_and_say_what_to_do(slow, words, said):
    ran = run(*[slow if word == "F" else word for word in words])
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


def test_a_graph_alone_has_no_steps_to_draw(samples, tmp_path):
    path = tmp_path / "x.svg"
    ran = run("draw", "steps", samples / "keras_mlp_fwd.graph.pb", "-o", path)
    assert (ran.code, ran.out) == (3, "")
    assert not path.exists()
