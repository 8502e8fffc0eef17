"""The time of devices is one number, whichever command tells it."""

import json

import pytest
from accelerator_captures import LAYOUTS, put_hosts
from run_cli import run

CUTS = ("op", "layer", "phase", "category", "source", "device", "node", "scope", "thread")
# what a lane is called that tells each kernel once
COUNTED = ("Stream", "XLA Ops")


def put(name, folder):
    build, file = LAYOUTS[name]
    data, truth = build()
    (folder / file).write_bytes(data)
    return folder / file, truth


@pytest.fixture(params=LAYOUTS)
def made(request, tmp_path):
    return put(request.param, tmp_path)


def asked(*words):
    ran = run(*words, "--json")
    assert ran.code == 0, ran.err
    return json.loads(ran.out)["data"]


def steps_of(path):
    return asked("summary", path)["time"]["steps"] or 1


def test_summary_and_every_cut(made):
    path, truth = made
    whole = truth.kernels + truth.copies
    step = whole / steps_of(path)
    assert asked("summary", path)["time"]["device_us"] == pytest.approx(step)
    for by in CUTS:
        rows = asked("layers", path, "--by", by)["time"]["rows"]
        assert sum(row["self_us"] for row in rows) == pytest.approx(whole), by
        assert sum(row["device_us"] or 0.0 for row in rows) == pytest.approx(step), by


@pytest.mark.parametrize("view", ["op", "scope", "graph"])
def test_the_views(made, view):
    """Of an average step where kernels tell theirs, else of the whole capture, as they say.

    The original knows no copies of a session.
    """
    path, truth = made
    ran = run(view, path, "-max_depth", 100, "-select", "micros", "--json")
    answer = json.loads(ran.out)
    data, said = answer["data"], " ".join(answer["warnings"])
    total = data["total"] if view == "op" else data["nodes"][0]["total"]
    whole = truth.kernels + (0 if path.suffix == ".json" else truth.copies)
    steps = 1 if "whole capture" in said or steps_of(path) == 1 else truth.facts["steps"]
    assert total["accelerator_micros"] == pytest.approx(whole / steps, abs=3)


def test_a_launch_of_no_step_takes_no_part_in_the_average(tmp_path):
    """Kernels have steps, their launches have none: an average is over the steps of kernels."""
    path, truth = put("tf_gpu_old", tmp_path)
    rows = asked("op", path, "-select", "micros")["rows"]
    took = {row["op"]: row["self"]["accelerator_micros"] for row in rows}
    for op, micros in truth.op.items():
        assert took[op] == pytest.approx(micros / truth.facts["steps"], abs=2)


def test_placement(made):
    """All kernels, also those of no op; copies have a table of their own."""
    path, truth = made
    devices = asked("placement", path)["devices"]
    took = sum(one["time_us"] for name, one in devices.items() if name in truth.device)
    steps = round(truth.kernels / took)
    assert steps in (1, truth.facts.get("steps"))
    assert took * steps == pytest.approx(truth.kernels, rel=0.01)


@pytest.mark.parametrize("name", ["tf_gpu_old", "tf_gpu_new", "xla_gpu"])
def test_the_timeline(name, tmp_path):
    """Of one step, all of which are alike in these captures."""
    path, truth = put(name, tmp_path)
    lanes = asked("timeline", path)["lanes"]
    took = sum(one["busy_us"] for one in lanes if one["thread"].startswith(COUNTED))
    assert took * steps_of(path) == pytest.approx(truth.kernels + truth.copies)


@pytest.mark.parametrize("name", ["tf_gpu_old", "tf_gpu_new", "tpu"])
def test_what_a_device_does_in_a_step_adds_up_to_its_period(name, tmp_path):
    path, _ = put(name, tmp_path)
    found = asked("steps", path)
    for step in found["steps"]:
        assert sum(step["breakdown"].values()) == pytest.approx(step["period_us"])
    period = sum(step["period_us"] for step in found["steps"]) / len(found["steps"])
    for one in found["devices"]:
        parts = one["busy_us"], one["copy_wait_us"], one["exposed_us"], one["idle_us"]
        assert sum(parts) == pytest.approx(period)
        assert sum(one["waited_for"].values()) == pytest.approx(one["idle_us"])


def test_waiting_for_copies_is_not_idle(tmp_path):
    path, _ = put("tpu", tmp_path)
    first = asked("steps", path)["devices"][0]
    # of 70 between the first and the last instruction something always goes on
    assert first["copy_wait_us"] == pytest.approx(30)
    assert first["idle_in_span"] == pytest.approx(0, abs=0.5)


def test_several_hosts(tmp_path):
    folder, truth = put_hosts(tmp_path)
    step = sum(row["device_us"] for row in asked("layers", folder)["time"]["rows"])
    assert step * truth.facts["steps"] == pytest.approx(truth.kernels)
    assert asked("summary", folder)["time"]["device_us"] == pytest.approx(step)
