"""What one tensor of a large checkpoint costs, in bytes read and in time."""

import json
import subprocess
import sys

import made_checkpoints as made
import pytest
import tensorflow as tf
from run_cli import environment, run

pytestmark = pytest.mark.long

TENSORS, ELEMENTS = 512, 1 << 20  # 4 MB each, 2 GB in all

# reads one tensor in a fresh process, with everything imported before the clock starts
ONE_TENSOR = """
import json, sys, time
from pathlib import Path
import numpy
from tfprof.sources.files.registry import formats
from tfprof.sources.checkpoint.checkpoint import open_checkpoint
from tfprof.wire.schema import message_class
formats(); message_class("BundleEntryProto")

def read():
    lines = Path("/proc/self/io").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("rchar")))

before, start = read(), time.perf_counter()
checkpoint = open_checkpoint(Path(sys.argv[1]))
value = checkpoint.values(checkpoint.tensors[sys.argv[2]])
took, after = time.perf_counter() - start, read()
print(json.dumps({"bytes": after - before, "seconds": took, "first": float(value[0]),
                  "last": float(value[-1]), "tensors": len(checkpoint.tensors)}))
"""


@pytest.fixture(scope="module")
def two_gigabytes(tmp_path_factory):
    """In four shards, so that no save needs all of it in memory."""
    folder = tmp_path_factory.mktemp("large")
    parts = []
    for part in range(4):
        numbers = range(part * TENSORS // 4, (part + 1) * TENSORS // 4)
        tensors = {f"layer_{n:04d}/kernel": tf.fill([ELEMENTS], float(n)) for n in numbers}
        parts.append(made.save(folder / f"tmp_{part}", tensors))
    prefix = made.merge(folder / "model", parts)
    yield prefix
    for path in folder.iterdir():
        path.unlink()


@pytest.fixture(scope="module")
def ten_thousand(tmp_path_factory):
    folder = tmp_path_factory.mktemp("many")
    tensors = {f"model/layer_{n:05d}/kernel": tf.constant([float(n)]) for n in range(10_000)}
    return made.save(folder / "model", tensors)


def measured(*words):
    done = subprocess.run(
        [sys.executable, "-c", ONE_TENSOR, *map(str, words)],
        env=environment(), capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="reads are counted by Linux")
def test_one_tensor_of_two_gigabytes_costs_less_than_ten_megabytes(two_gigabytes):
    size = sum(path.stat().st_size for path in two_gigabytes.parent.glob("model.*"))
    assert size > 2e9
    for number in (0, 300, TENSORS - 1):
        found = measured(made.index(two_gigabytes), f"layer_{number:04d}/kernel")
        assert found["tensors"] == TENSORS
        assert (found["first"], found["last"]) == (number, number)
        assert 4e6 < found["bytes"] < 10e6
        assert found["seconds"] < 0.2


def test_listing_two_gigabytes_reads_only_the_index(two_gigabytes):
    ran = run("summary", two_gigabytes)
    assert ran.code == 0
    assert f"{TENSORS} tensors" in ran.out


def test_listing_ten_thousand_tensors_takes_less_than_half_a_second(ten_thousand):
    found = [measured(made.index(ten_thousand), "model/layer_00077/kernel") for _ in range(3)]
    assert found[0]["tensors"] == 10_000
    assert min(one["seconds"] for one in found) < 0.5


@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted by Linux")
def test_statistics_of_two_gigabytes_are_streamed(two_gigabytes):
    """The peak of memory lies far below the size of the checkpoint."""
    code = """
import sys
from pathlib import Path
from tfprof.cli.main import main
code = main(sys.argv[1:])
lines = Path("/proc/self/status").read_text().splitlines()
print("peak", next(line.split()[1] for line in lines if line.startswith("VmHWM")), "KB")
sys.exit(code)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, "summary", str(two_gigabytes), "--stats"],
        env=environment(), capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    peak = int(done.stdout.rsplit("peak ", 1)[1].split()[0]) * 1024
    assert peak < 500e6
