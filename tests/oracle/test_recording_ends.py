"""What remains of a recording whose program is killed, interrupted, or has no room to write.

Each program is a process of its own. Its training has to come out as without us.
"""

import json
import os
import resource
import signal
import subprocess
import sys
import time

import pytest
from referees import needs
from run_scripts import listen_to_ctrl_c

import tfprof

needs("tensorflow")

_SCRIPT = """
import os, sys, time
import tensorflow as tf
import tfprof

folder, steps, every, sleep = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
weight = tf.Variable(1.0)

@tf.function
def train():
    weight.assign(weight * 0.5 + 1.0)
    return weight

with tfprof.capture(folder, steps=(3, 4), every=every, keep=50) as capture:
    for step in range(steps):
        with capture.step():
            train()
        print(step + 1, flush=True)
        time.sleep(sleep)
print("weight", float(weight), flush=True)
"""


def _start(folder, steps=30, every=5, sleep=0.0, **options):
    command = [sys.executable, "-c", _SCRIPT, str(folder), str(steps), str(every), str(sleep)]
    options.setdefault("preexec_fn", listen_to_ctrl_c)
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


def _record(folder):
    return json.loads((folder / "rank-0" / "run.json").read_text())


def _read(folder):
    """Every capture that is there, by its steps; each has to be whole."""
    found = []
    for path in sorted((folder / "rank-0").glob("plugins/profile/*/*.xplane.pb")):
        told = tfprof.load(path).steps().to_dict()["data"]
        found += [step["step"] for step in told["steps"]]
    return sorted(found)


def _wait_for(process, step):
    for line in process.stdout:
        if line.strip() == str(step):
            return
    pytest.fail(process.stderr.read())


def test_killed_and_started_again(tmp_path):
    process = _start(tmp_path, steps=500, sleep=0.02)
    _wait_for(process, 22)
    process.kill()
    process.communicate()
    assert _record(tmp_path)["state"] == "running"
    before = _read(tmp_path)
    assert before[:8] == [3, 4, 8, 9, 13, 14, 18, 19]
    last = _record(tmp_path)["steps"]["count"]
    # a capture that was being written is no capture
    (tmp_path / "rank-0" / ".tmp-1-capture-9" / "plugins").mkdir(parents=True)
    process = _start(tmp_path, steps=12)
    told, said = process.communicate()
    assert process.returncode == 0, said
    assert "weight 2" in told or "weight 1.9" in told
    record = _record(tmp_path)
    assert record["state"] == "ended"
    assert record["steps"]["first"] == last + 1
    assert record["previous"][0]["last_step"] == last
    assert set(before) <= set(_read(tmp_path))
    assert max(_read(tmp_path)) > last
    assert not list((tmp_path / "rank-0").glob(".tmp*"))


def test_killed_in_the_midst_of_a_capture(tmp_path):
    process = _start(tmp_path, steps=500, every=20, sleep=0.3)
    _wait_for(process, 3)  # the third step is captured, the fourth has yet to come
    process.kill()
    process.communicate()
    rank = tmp_path / "rank-0"
    assert list(rank.glob(".tmp*"))
    assert not list(rank.glob("plugins/profile/*"))
    with pytest.raises(tfprof.TfprofError):
        tfprof.load(rank).steps()
    process = _start(tmp_path, steps=5)
    _, said = process.communicate()
    assert process.returncode == 0, said
    assert not list(rank.glob(".tmp*"))


def test_interrupted_by_the_user(tmp_path):
    process = _start(tmp_path, steps=500, every=5, sleep=0.02)
    _wait_for(process, 10)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == -signal.SIGINT
    assert "KeyboardInterrupt" in said
    record = _record(tmp_path)
    assert (record["state"], record["ended_by"]) == ("failed", "exception")
    assert _read(tmp_path)[:4] == [3, 4, 8, 9]


def test_no_room_for_the_file(tmp_path):
    """As on a full disk, every write beyond some bytes fails."""

    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))

    process = _start(tmp_path, steps=30, preexec_fn=limited)
    told, said = process.communicate()
    assert process.returncode == 0, said
    assert told.splitlines()[-1].startswith("weight ")
    assert "tfprof: the capture of steps 3 to 4 is lost" in said
    assert _read(tmp_path) == []
    assert not list((tmp_path / "rank-0").glob(".tmp*"))


def test_a_folder_that_goes_away(tmp_path):
    process = _start(tmp_path / "logs", steps=200, sleep=0.02)
    _wait_for(process, 6)
    (tmp_path / "logs").rename(tmp_path / "gone")
    told, said = process.communicate()
    assert process.returncode == 0, said
    assert told.splitlines()[-1].startswith("weight ")
    assert "tfprof: " in said
    assert _read(tmp_path / "gone")[:2] == [3, 4]


def test_two_programs_do_not_share_a_folder(tmp_path):
    process = _start(tmp_path, steps=2000, sleep=0.02)
    _wait_for(process, 1)
    with (
        pytest.raises(tfprof.TfprofError, match="going on"),
        tfprof.capture(tmp_path, steps=(1, 2)),
    ):
        pass
    process.kill()
    process.communicate()
    deadline = time.monotonic() + 10
    while os.path.exists(f"/proc/{process.pid}") and time.monotonic() < deadline:  # noqa: PTH110
        time.sleep(0.05)
    with tfprof.capture(tmp_path, steps=(1, 2)):
        pass
