"""Hosts of a timeline on one clock, as collectives tell; the captures are made, and known."""

import json

import pytest
from many_hosts import session
from many_hosts_captures import EXCHANGE, job
from run_cli import run

CLOCKS = [0.0, 5_000.0, -40_000.0, 250.0, 900_000.0]
# less than an exchange takes: nobody can tell
CLOSE = [0.0, 10.0, -10.0, 5.0, 0.0]


def written(folder, clocks):
    folder.mkdir()
    files, truth = job(hosts=5, steps=12, clocks_us=clocks)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder, truth


def trace_of(folder, tmp_path):
    target = tmp_path / "all.trace.json"
    assert run("timeline", str(folder), "-o", str(target)).code == 0
    return json.loads(target.read_text())


def ends_of_collectives(trace):
    """By process: when each exchange was over."""
    found = {}
    for one in trace["traceEvents"]:
        if one["ph"] == "X" and one["name"].startswith("nccl"):
            found.setdefault(one["pid"], []).append(one["ts"] + one["dur"])
    return [sorted(ends) for ends in found.values()]


def apart(trace):
    return max(max(ends) - min(ends) for ends in zip(*ends_of_collectives(trace), strict=True))


def test_exchanges_end_together(tmp_path):
    folder, truth = written(tmp_path / "job", CLOCKS)
    trace = trace_of(folder, tmp_path)
    assert apart(trace) < 2 * EXCHANGE
    shifts = trace["otherData"]["clock_shifts_us"]
    (reference,) = truth.clocks.keys() - shifts.keys()
    for host, shift in shifts.items():
        ahead = truth.clocks[host] - truth.clocks[reference]
        assert shift == pytest.approx(-ahead, abs=2 * EXCHANGE)


def test_it_is_said(tmp_path):
    folder, _ = written(tmp_path / "job", CLOCKS)
    text = run("timeline", str(folder)).out
    assert "Clocks of 4 hosts are corrected by up to" in " ".join(text.split())
    warnings = json.loads(run("timeline", str(folder), "--json").out)["warnings"]
    assert any(one.startswith("Clocks of 4 hosts") for one in warnings)


def test_what_is_no_more_than_the_estimate_may_be_off_is_not_corrected(tmp_path):
    folder, _ = written(tmp_path / "job", CLOSE)
    assert "clock_shifts_us" not in trace_of(folder, tmp_path)["otherData"]
    assert "Each host by its own clock" in run("timeline", str(folder)).out


def test_nor_are_hosts_that_do_not_meet(tmp_path):
    folder = session(tmp_path / "job", 3)
    assert "clock_shifts_us" not in trace_of(folder, tmp_path)["otherData"]
    assert json.loads(run("timeline", str(folder), "--json").out)["warnings"] == []


def test_a_step_is_the_same_step_on_every_host(tmp_path):
    """By clocks that are a second apart, the step of one host is nowhere on the others."""
    folder, _ = written(tmp_path / "job", CLOCKS)
    answer = json.loads(run("timeline", str(folder), "--step", "6", "--json").out)["data"]
    busy = [one["busy_us"] for one in answer["lanes"] if "Stream" in one["thread"]]
    assert len(busy) >= 5
    assert all(busy)


def test_the_trace_can_be_read_again(tmp_path):
    folder, _ = written(tmp_path / "job", CLOCKS)
    trace_of(folder, tmp_path)
    assert run("timeline", str(tmp_path / "all.trace.json"), "--json").code == 0
