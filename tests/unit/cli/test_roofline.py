"""`tfprof draw roofline`: what ops did of what their device can do."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from run_cli import run

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def unet():
    return Path(__file__).parents[3] / "examples/unet"


def _picture(*words):
    ran = run("draw", "roofline", *words)
    assert ran.code == 0, ran.err
    return ET.fromstring(ran.out)  # noqa: S314  (our own)


def test_a_dot_lies_where_its_numbers_say(unet):
    root = _picture(unet, "--device", "cpu")
    dots = {dot.find(f"{SVG}title").text.split("\n")[0]: dot for dot in root.iter(f"{SVG}circle")}
    rows = {row["op"]: row for row in _rows(unet)}
    assert "Conv2DBackpropFilter" in dots
    # further right is more FLOPs a byte, higher is more FLOPs a second: y grows downwards
    by_x = sorted(dots, key=lambda name: float(dots[name].get("cx")))
    by_y = sorted(dots, key=lambda name: -float(dots[name].get("cy")))
    intensity = [rows[name]["intensity"] for name in by_x]
    rate = [rows[name]["flops_per_second"] for name in by_y]
    assert intensity == pytest.approx(sorted(intensity), rel=0.02)
    assert rate == pytest.approx(sorted(rate), rel=0.02)


def _rows(path):
    ran = run("layers", "--by", "op", path, "--device", "cpu", "--json")
    return json.loads(ran.out)["data"]["time"]["rows"]


def test_what_takes_most_time_is_largest_and_named(unet):
    root = _picture(unet, "--device", "cpu")
    largest = max(root.iter(f"{SVG}circle"), key=lambda dot: float(dot.get("r")))
    name = largest.find(f"{SVG}title").text.split("\n")[0]
    assert any(text.text.startswith(name) for text in root.iter(f"{SVG}text"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["G"], "needs a run"),
        (["C"], "at its best is not known"),
        (["C", "--device", "cpu"], "tells its FLOPs and bytes"),
    ],
)
def test_what_is_missing_is_said(samples, words, said):
    paths = {"G": samples / "resnet32/graph.pb", "C": samples / "tiny.xplane.pb"}
    ran = run("draw", "roofline", *(paths.get(word, word) for word in words))
    assert ran.code == 3
    assert said in ran.err
    assert "Traceback" not in ran.err
