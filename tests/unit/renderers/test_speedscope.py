"""What is written for speedscope is what its importer reads, and adds up to the answer."""

import json

import pytest
from run_cli import run

UNITS = {"none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes"}


def _sound(text):
    """As https://www.speedscope.app/file-format-schema.json has it; the profiles by name."""
    found = json.loads(text)
    assert found["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    frames = found["shared"]["frames"]
    assert all(isinstance(one["name"], str) and one["name"] for one in frames)
    for profile in found["profiles"]:
        assert profile["type"] == "sampled"
        assert profile["unit"] in UNITS
        assert len(profile["samples"]) == len(profile["weights"])
        assert all(0 <= at < len(frames) for stack in profile["samples"] for at in stack)
        assert all(weight >= 0 for weight in profile["weights"])
        length = profile["endValue"] - profile["startValue"]
        assert length == pytest.approx(sum(profile["weights"]))
    return found


@pytest.mark.parametrize("command", ["scope", "graph", "code"])
def test_the_file_is_sound(samples, tmp_path, command):
    target = tmp_path / "x.speedscope.json"
    ran = run(command, samples / "resnet32", "-select", "micros,params", "-max_depth", "100",
              "-account_type_regexes", ".*", "-o", target)  # fmt: skip
    assert ran.code == 0, ran.err
    assert _sound(target.read_text("utf-8"))["profiles"]


def test_parameters_add_up(samples, tmp_path):
    target = tmp_path / "x.speedscope.json"
    graph = samples / "resnet32/graph.pb"
    assert run("scope", graph, "-select", "params", "-max_depth", "100", "-o", target).code == 0
    (profile,) = [
        one for one in _sound(target.read_text("utf-8"))["profiles"] if "param" in one["name"]
    ]
    told = json.loads(run("summary", graph, "--json").out)["data"]["params"]
    assert profile["endValue"] == told["total"]
