"""`tfprof steps`: what it says of captures whose answers are known."""

import json

import numpy as np
import pytest
from run_cli import run, spawn

import tfprof
from tfprof.errors import UsageError


@pytest.fixture
def capture(samples):
    return lambda name: samples / f"xplane/{name}.xplane.pb"


@pytest.fixture
def asked(capture):
    """The data of the answer about one capture."""

    def ask(name, *words):
        ran = run("steps", capture(name), "--json", *words)
        assert ran.code == 0, ran.err
        return json.loads(ran.out)["data"]

    return ask


def shares(data, category="input"):
    return [step["breakdown"][category] / step["period_us"] for step in data["steps"]]


def test_a_slow_pipeline_is_seen_in_every_step(asked):
    data = asked("slow-cb")
    assert [step["step"] for step in data["steps"]] == list(range(2, 10))
    assert all(0.55 < share < 0.72 for share in shares(data))
    assert data["period"]["median_us"] == pytest.approx(244_762.247)
    assert data["input_bound"] == pytest.approx(0.628, abs=1e-3)


def test_a_fast_one_is_not_waited_for_but_in_one_step(asked):
    data = asked("fast-cb")
    assert data["period"]["median_us"] == pytest.approx(107_126.203)
    *others, last = shares(data)
    assert max(others) < 0.002
    assert last == pytest.approx(0.146, abs=0.01)
    assert data["input_bound"] < 0.001
    (slow,) = data["slow_steps"]
    assert slow["step"] == data["steps"][-1]["step"]
    assert next(iter(slow["grown"])) == "input"


def test_explicit_markers_give_the_same_kind_of_answer(asked):
    slow, fast = asked("slow-trace"), asked("fast-trace")
    assert all(0.52 < share < 0.66 for share in shares(slow))
    assert fast["input_bound"] == pytest.approx(0.37, abs=0.02)


def test_a_gpu_that_waits_for_input_is_seen_to_wait(asked):
    data = asked("synthetic-gpu")
    assert data["period"]["median_us"] == pytest.approx(100_000)
    average = data["average"]["breakdown"]
    assert average["input"] == pytest.approx(60_000)
    assert average["device_compute_32"] == pytest.approx(30_000)
    assert average["host_to_device"] == pytest.approx(3_000)
    assert data["average"]["events"]["kernel_launch"] == pytest.approx(5)
    (device,) = data["devices"]
    assert device["device"] == "/gpu:0"
    assert device["busy"] == pytest.approx(0.30, abs=0.01)
    assert device["copy_wait_us"] == pytest.approx(3_000)
    assert device["waited_for"]["input"] == pytest.approx(60_000, rel=0.01)
    assert data["verdict"]["name"] == "input-bound"
    assert data["verdict"]["share"] == pytest.approx(0.60, abs=0.01)


@pytest.mark.parametrize(
    "name",
    ["slow-cb", "fast-cb", "slow-trace", "fast-trace", "synthetic-gpu", "fast-xla",
     "fast-trace-bfc", "tiny-pytracer", "tiny-htl1"],
)  # fmt: skip
def test_categories_add_up_to_the_period(asked, name):
    data = asked(name)
    assert data["steps"]
    for step in data["steps"]:
        assert sum(step["breakdown"].values()) == pytest.approx(step["period_us"], abs=1e-6)
        assert all(time >= 0 for time in step["breakdown"].values())
    assert sum(data["average"]["breakdown"].values()) == pytest.approx(data["average"]["period_us"])
    assert data["steps"][-1]["period_us"] == data["steps"][-1]["marker_us"]


def test_a_session_run_is_a_step(unet):
    ran = run("steps", unet, "--json")
    data = json.loads(ran.out)["data"]
    (step,) = data["steps"]
    assert data["marker_rule"] == "run"
    assert step["breakdown"]["host_model"] / step["period_us"] > 0.99


def test_without_ops_it_is_not_known_whether_a_step_waits(capture):
    ran = run("steps", capture("tiny-htl1"))
    assert "host_tracer_level 2" in ran.out
    assert "0.0%" not in ran.out
    said = json.loads(run("steps", capture("tiny-htl1"), "--json").out)
    assert said["data"]["input_bound"] is None
    assert any(warning.startswith("input_bound: ") for warning in said["warnings"])


def test_one_step_is_shown_beside_the_others(capture):
    ran = run("steps", capture("fast-cb"), "--step", 9)
    assert "step 9: 145.0 ms, 35.4% above the median" in ran.out
    assert "one IteratorGetNext of 21.22" in ran.out
    assert "Behind waiting for input" in ran.out


def test_the_events_behind_a_category(asked, capture):
    (event,) = asked("slow-cb", "--events", "input")["events"]
    assert event["event"] == "IteratorGetNextOp::DoCompute"
    assert event["count"] == 6
    (event,) = asked("slow-cb", "--events", "Waiting for input", "--step", "5")["events"]
    assert event["self_us"] == pytest.approx(160_224, abs=1)
    ran = run("steps", capture("slow-cb"), "--events", "host-model")
    assert "Conv2DBackpropFilter" in ran.out


def test_gaps_and_what_was_done_meanwhile(capture):
    ran = run("steps", capture("synthetic-gpu"), "--gaps")
    assert "66.50 ms" in ran.out
    assert "90% IteratorGetNext" in ran.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--step", "99"], "there is no step 99"),
        (["--events", "lunch"], "'lunch' is no category"),
        (["--device", "/gpu:7"], "'/gpu:7' is none of the devices"),
    ],
)
def test_what_is_not_there_is_said(capture, words, said):
    ran = run("steps", capture("slow-cb"), *words)
    assert ran.code == 2
    assert said in ran.err


def test_a_graph_has_no_steps(unet):
    ran = run("steps", unet / "graph.pb")
    assert ran.code == 3
    assert "no run: steps are parts of one" in ran.err


def test_a_run_without_steps_says_how_to_mark_them(tmp_path):
    from tfprof.wire.schema import message_class

    space = message_class("XSpace")()
    plane = space.planes.add(name="/host:CPU")
    plane.event_metadata[1].name = "a/MatMul:MatMul"
    plane.lines.add(name="tf_Compute/1").events.add(metadata_id=1, duration_ps=5_000_000)
    path = tmp_path / "x.xplane.pb"
    path.write_bytes(space.SerializeToString())
    ran = run("steps", path)
    assert ran.code == 0
    assert "no steps were found" in ran.out
    assert "step_num=step" in ran.out
    data = json.loads(run("steps", path, "--json").out)
    assert data["data"]["steps"] == []
    assert data["data"]["input_bound"] is None
    assert any("no steps" in warning for warning in data["warnings"])


def test_in_python(capture):
    answer = tfprof.load(capture("slow-cb")).steps()
    frame = np.array([row["period_us"] for row in answer.to_dict()["data"]["steps"]])
    assert np.median(frame[:-1]) == pytest.approx(244_762.247)
    assert "highly input-bound" in str(answer)
    assert answer.to_svg().startswith("<svg")
    assert answer.to_csv().splitlines()[0].startswith("step,period_us,input,host_model")
    with pytest.raises(UsageError, match="is no category"):
        tfprof.load(capture("slow-cb")).steps(events="lunch")


@pytest.mark.parametrize(
    ("name", "then"),
    [("slow-cb", "tfprof input"), ("fast-cb", "--step 9"), ("synthetic-gpu", "tfprof input")],
)
def test_the_first_22_lines_are_enough_to_go_on(capture, name, then):
    ran = spawn("steps", capture(name), COLUMNS=80)
    top = ran.out.splitlines()[:22]
    facts = dict(line.split(maxsplit=1) for line in top if line[:1].isupper() and "  " in line)
    assert {"Steps", "Period", "Input", "Busy", "Next"} <= facts.keys()
    assert any(line.startswith("Longest gap") for line in top)
    assert then in " ".join(" ".join(top).split())
