"""Processes that train, with TensorFlow's own profiler server, sampled over gRPC."""

import json
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from profiler_servers import free_port
from run_cli import run
from tensorflow.tsl.profiler.protobuf import xplane_pb2

import tfprof

SCRIPT = Path(__file__).parents[1] / "trains_with_a_server.py"


@contextmanager
def _training():
    """A process and its address; it may take a while until it is ready."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, SCRIPT, str(port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    try:
        yield process, f"localhost:{port}"
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def trained():
    """The addresses of two processes that train."""
    with ExitStack() as stack:
        started = [stack.enter_context(_training()) for _ in range(2)]
        for process, _ in started:
            assert process.stdout.readline() == "ready\n"
        yield [address for _, address in started]


def _captured(tmp_path, *words):
    ran = run("capture", *words, "--duration", "1s", "--logdir", tmp_path, "--json")
    assert ran.code == 0, ran.err
    return json.loads(ran.out)["data"]


def test_a_process_that_trains_is_sampled(tmp_path, trained):
    told = _captured(tmp_path, trained[0])
    (folder,) = told["written"]
    (host,) = told["hosts"]
    assert host["host"] == trained[0]
    assert told["steps"] == host["steps"] > 2
    assert 0 < host["step_us"] < 1e6
    assert told["left_out"] == []
    summary = tfprof.load(folder).summary().to_dict()["data"]
    assert summary["time"]["steps"] == host["steps"]
    assert any("dense" in one["name"] for one in summary["top"])
    assert len(tfprof.load(folder).steps().to_dict()["data"]["steps"]) == host["steps"]
    layers = tfprof.load(folder).layers(by="layer").to_dict()["data"]["rows"]
    assert any("sequential" in one["layer"] and one["time_us"] > 0 for one in layers)
    for command in ("steps", "input", "layers", "timeline", "doctor"):
        assert run(command, folder).code == 0


def test_tensorflow_reads_the_file_as_its_own(tmp_path, trained):
    _captured(tmp_path, trained[0])
    (file,) = tmp_path.rglob("*.xplane.pb")
    space = xplane_pb2.XSpace.FromString(file.read_bytes())
    assert any(plane.name == "/host:CPU" and plane.lines for plane in space.planes)


def test_two_processes_are_sampled_at_once(tmp_path, trained):
    told = _captured(tmp_path, ",".join(trained))
    assert [one["host"] for one in told["hosts"]] == trained
    assert all(one["steps"] > 2 for one in told["hosts"])
    starts = []
    for host in told["hosts"]:
        space = tfprof.load(host["path"]).trace.space
        (environment,) = space.environments.values()
        starts.append(environment.start_ns)
    assert abs(starts[0] - starts[1]) < 5e8


def test_one_that_is_gone_is_named_and_the_other_kept(tmp_path, trained):
    gone = f"localhost:{free_port()}"
    told = _captured(tmp_path, gone, trained[1])
    assert [one["host"] for one in told["hosts"]] == trained[1:]
    assert [one["host"] for one in told["left_out"]] == [gone]


def test_a_process_whose_profiler_is_taken_says_so(tmp_path, trained):
    """One process under two names."""
    told = _captured(tmp_path, trained[0], trained[0].replace("localhost", "127.0.0.1"))
    assert len(told["hosts"]) == 1
    (left_out,) = told["left_out"]
    assert "Another profil" in left_out["why"]
