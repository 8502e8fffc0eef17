"""Three workers that really trained together, of which one waited for its input."""

import json
from dataclasses import replace

import pytest
from run_cli import run

import tfprof
from tfprof.model.hosts import Hosts


@pytest.fixture(scope="module")
def workers(samples):
    return samples / "three_workers"


def test_the_slow_one_is_named_with_what_it_does(workers):
    (slow,) = (
        one
        for one in json.loads(run("steps", workers, "--json").out)["data"]["stragglers"]
        if one["kind"] == "host"
    )
    assert slow["name"] == "worker-1"
    said = run("steps", workers, "--hosts").out
    assert "worker-1 comes last in 20 of 20 steps" in said
    assert "(worker-0) to 74.5% (worker-1)" in said
    assert "others wait" not in next(line for line in said.splitlines() if "own step" in line)


def test_clocks_of_one_machine_are_apart_by_no_more_than_is_said(workers):
    answer = json.loads(run("steps", workers, "--hosts", "--json").out)["data"]
    clocks = [one["clock"] for one in answer["between_hosts"]["hosts"]]
    assert [one["collectives"] for one in clocks] == [20] * 3
    assert all(abs(one["offset_us"]) <= one["within_us"] for one in clocks)


def test_to_wait_for_others_is_no_work_of_the_model(workers):
    """Of 62 ms a step it computes 4 to 5, and nothing else happens while the exchange goes on."""
    answer = json.loads(run("steps", workers, "--json").out)["data"]
    took = answer["average"]["breakdown"]
    assert took["collectives"] > 0.85 * answer["average"]["period_us"]
    assert 3_000 < took["host_model"] < 5_000
    assert answer["verdict"]["name"] == "communication-bound"


def test_an_op_that_waits_for_others_is_not_told_to_be_expensive(workers):
    found = json.loads(run("advise", workers, "--json").out)["data"]["findings"]
    rules = [rule for one in found for rule in one["rules"]]
    assert {"stragglers", "input-from-python"} <= set(rules)
    assert "expensive-op-type" not in rules


def test_what_all_hosts_have_to_say_is_said_once(workers):
    said = " ".join(run("advise", workers).out.split())
    assert said.count("cheap ops are missing") == 1
    assert "2 more hosts say the like" in said


def test_hosts_that_are_left_out_are_named_beside_the_others(workers, tmp_path):
    for path in workers.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "worker-3.xplane.pb").write_bytes(b"")
    (tmp_path / "worker-4.xplane.pb").write_bytes(bytes(range(250, 256)) * 500)
    said = run("steps", tmp_path, "--hosts").out
    named = said[said.index("left out  why") :]
    assert "worker-3  the file is empty" in named
    assert "worker-4  " in named


def test_what_the_summary_tells_of_one_host_names_it(workers):
    said = " ".join(run("summary", workers).out.split())
    assert "a step on worker-0, 20 steps traced" in said
    assert "Step worker-0: " in said
    assert "worker-1 waits longest, 74.5% of its step: highly input-bound; for Generator" in said
    time = json.loads(run("summary", workers, "--json").out)["data"]["time"]
    assert time["host"] == "worker-0"
    assert time["input_bound_host"] == "worker-1"
    assert 0.74 < time["input_bound"] < 0.75


def test_so_it_does_of_one_capture_of_all_hosts(workers):
    data = tfprof.load(workers).data
    joined = tfprof.Profile(replace(data, hosts=Hosts.of(data.trace)))
    said = " ".join(str(joined.summary()).split())
    assert "Step worker-0: " in said
    assert "worker-1 waits longest, 74.5% of its step: highly input-bound; for Generator" in said


def test_what_stands_together_about_input_is_of_the_host_that_waits_longest(workers):
    found = json.loads(run("input", workers, "--json").out)["data"]
    assert found["host"] == "worker-1"
    (mine,) = (one for one in found["pipelines"] if one["host"] == "worker-1")
    assert mine["bottleneck"] == found["bottleneck"] is not None
    assert found["verdict"].startswith("highly input-bound")
    assert found["share"] == pytest.approx(found["waited_us"] / found["time_us"])
    said = run("input", workers).out
    assert all(f"Pipeline {at + 1}  worker-{at}: " in said for at in range(3))


def test_advice_about_input_names_the_host_and_the_step_that_the_share_is_of(workers):
    findings = json.loads(run("advise", workers, "--json").out)["data"]["findings"]
    (found,) = (one for one in findings if "input-from-python" in one["rules"])
    assert " of a step of worker-1 waits for input" in found["says"]
    told = found["evidence"]
    assert told["host"] == "worker-1"
    assert told["share"] == pytest.approx(told["waiting_us"] / told["step_us"])


def test_a_budget_of_waiting_is_that_of_the_host_that_waits_longest(workers):
    assert run("check", workers, "--max-input-share", "50%").code == 1
    assert run("check", workers, "--max-input-share", "80%").code == 0


def test_a_history_tells_the_wait_of_the_host_that_waits_longest(workers):
    (found,) = json.loads(run("log", workers, "--no-index", "--json").out)["data"]["runs"]
    assert 0.74 < found["input_bound"] < 0.75


def test_what_the_input_pipeline_took_is_told_with_or_without_waiting(workers):
    """Iterators wait for other threads, and the summary counts ops."""
    assert "60.47 ms of it in ops of the input pipeline" in " ".join(
        run("summary", workers).out.split()
    )
    said = " ".join(run("layers", workers).out.split())
    assert "of it in the input pipeline, with what its iterators wait" in said
