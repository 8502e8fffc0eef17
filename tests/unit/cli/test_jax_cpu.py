"""JAX on a CPU: a capture that tests/capture_jax_cpu.py made, read without JAX."""

import gzip
import json
from pathlib import Path

import pytest
from run_cli import run

DATA = Path(__file__).parent.parent.parent / "data/xplane/jax-cpu.xplane.pb.gz"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    made = tmp_path_factory.mktemp("jax") / "vm.xplane.pb"
    made.write_bytes(gzip.decompress(DATA.read_bytes()))
    return made


def asked(*words):
    ran = run(*words, "--json")
    assert ran.code == 0, ran.err
    return json.loads(ran.out)["data"]


def test_steps_are_the_runs_of_the_program(path):
    found = asked("steps", path)
    assert found["marker_rule"] == "program"
    assert [one["step"] for one in found["steps"]] == list(range(5))
    for step in found["steps"]:
        assert sum(step["breakdown"].values()) == pytest.approx(step["period_us"])


def test_layers_are_the_scopes_of_the_program(path):
    found = {row["layer"]: row for row in asked("layers", path)["time"]["rows"]}
    assert {"Conv_0", "Dense_0", "Dense_1", "sgd"} <= set(found)
    # names of ops that were made one are no layers
    assert not [name for name in found if ";" in name]
    assert all(row["runs"] % 5 == 0 for row in found.values())


def test_phases_are_those_of_training(path):
    found = {row["phase"]: row["self_us"] for row in asked("layers", path, "--by", "phase")["rows"]}
    assert all(found[name] > 0 for name in ("forward", "backward", "update"))


@pytest.mark.parametrize("by", ["op", "node", "phase", "category", "source", "scope", "thread"])
def test_every_cut_adds_up_to_the_same_time(path, by):
    whole = sum(row["self_us"] for row in asked("layers", path)["time"]["rows"])
    found = asked("layers", path, "--by", by)["time"]["rows"]
    assert sum(row["self_us"] for row in found) == pytest.approx(whole)
