"""Several hosts with GPUs that train together: who is late, and what runs side by side."""

import json

import pytest
from accelerator_captures import gpu_hosts, put_hosts, tf_gpu_old, tpu
from run_cli import run


def asked(*words):
    ran = run(*words, "--json")
    assert ran.code == 0, ran.err
    return json.loads(ran.out)["data"]


def late_hosts(folder):
    return [one for one in asked("steps", folder)["stragglers"] if one["kind"] == "host"]


@pytest.mark.parametrize("hosts", [2, 3, 4, 8])
def test_the_late_host_is_named_though_all_end_together(tmp_path, hosts):
    folder, truth = put_hosts(tmp_path, hosts=hosts, late=1)
    (late,) = late_hosts(folder)
    assert late["name"] == truth.facts["late"]
    assert late["behind_us"] == pytest.approx(truth.facts["behind_us"], abs=1)
    assert (late["steps"], late["of_steps"]) == (6, 6)


def test_hosts_that_are_alike_have_no_straggler(tmp_path):
    folder, _ = put_hosts(tmp_path, slow_us=0)
    assert not late_hosts(folder)
    assert "Slowest" not in run("summary", folder).out


def test_a_little_is_not_late(tmp_path):
    folder, _ = put_hosts(tmp_path, slow_us=60)
    assert not late_hosts(folder)


def test_each_host_has_a_row_of_what_its_devices_did(tmp_path):
    folder, truth = put_hosts(tmp_path)
    rows = {one["host"]: one for one in asked("steps", folder)["hosts"]}
    assert len(rows) == truth.facts["hosts"]
    for name, row in rows.items():
        more = truth.facts["behind_us"] if name == truth.facts["late"] else 0
        assert row["devices"] == 2
        assert row["busy_us"] == pytest.approx(400.5 + more)
        assert row["exposed_us"] == pytest.approx(299.5 - more)


def test_the_summary_names_the_slowest_and_sums_nothing_side_by_side(tmp_path):
    folder, truth = put_hosts(tmp_path)
    said = " ".join(run("summary", folder).out.split())
    assert f"Slowest host {truth.facts['late']} takes longer than the others in 6 of 6" in said
    assert "Device time 700 µs a step on each of 8 devices" in said
    data = asked("summary", folder)
    assert data["time"]["step_us"] == pytest.approx(truth.facts["period_us"])


@pytest.mark.parametrize("by", ["op", "layer", "phase", "category", "device"])
def test_every_cut_has_the_time_of_all_hosts(tmp_path, by):
    folder, truth = put_hosts(tmp_path)
    rows = asked("layers", folder, "--by", by)["time"]["rows"]
    took = {row["name"]: row["self_us"] for row in rows}
    assert sum(took.values()) == pytest.approx(truth.kernels)
    if by in ("op", "phase", "category"):
        assert took == pytest.approx(dict(getattr(truth, by)))


def test_hosts_of_different_programs_are_not_compared(tmp_path):
    for name in ("tpu", "gpu"):
        path = tmp_path / f"{name}.xplane.pb"
        path.write_bytes(tpu()[0] if name == "tpu" else gpu_hosts()[0]["worker-0.xplane.pb"])
    assert not late_hosts(tmp_path)
    assert "Slowest" not in run("summary", tmp_path).out


def test_the_first_replica_has_no_number_and_is_not_missed(tmp_path):
    path = tmp_path / "w0.xplane.pb"
    path.write_bytes(tf_gpu_old()[0])
    assert asked("steps", path)["missing"] == []
    assert "fragment" not in run("summary", path).out


def test_each_device_of_each_host_has_a_row(tmp_path):
    folder, truth = put_hosts(tmp_path)
    rows = {one["device"]: one for one in asked("steps", folder)["devices"]}
    names = [f"/host:worker-{host}/gpu:{gpu}" for host in range(4) for gpu in range(2)]
    assert list(rows) == names
    for name, row in rows.items():
        work = 400 + int(name[-1])
        work += truth.facts["behind_us"] if truth.facts["late"] in name else 0
        assert row["busy_us"] == pytest.approx(work)
        assert row["exposed_us"] == pytest.approx(700 - work)
    assert "8 devices, computing from" in run("steps", folder).out


def test_a_device_of_the_first_host_is_asked_for_as_it_is_called(tmp_path):
    folder, _ = put_hosts(tmp_path)
    assert asked("steps", folder, "--device", "/host:worker-0/gpu:1")["steps"]
    assert asked("steps", folder, "--device", "/gpu:1")["steps"]
