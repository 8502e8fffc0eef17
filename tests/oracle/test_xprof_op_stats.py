"""Self times against XProf: its table of op statistics, made anew from a copy of each capture.

XProf runs in a process of its own: it writes caches beside its input, and its libraries are not
made to be loaded beside TensorFlow's.
"""

import json
import shutil
import subprocess
import sys

import pytest

from tfprof.analyses.kernels import kernels
from tfprof.analyses.op_runs import op_runs
from tfprof.analyses.op_times import groups, op_times
from tfprof.sources.xplane import read

# what XProf shows is rounded to nanoseconds
NEAR_US = 2e-3
_ASK = """
import sys
from xprof.convert import raw_to_tool_data
data, _ = raw_to_tool_data.xspace_to_tool_data([sys.argv[1]], sys.argv[2], {})
sys.stdout.write(data if isinstance(data, str) else data.decode())
"""


def by_xprof(capture, tool):
    """The rows of one of XProf's tables, by the names of its columns."""
    command = [sys.executable, "-c", _ASK, str(capture), tool]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    table = json.loads(said)
    table = table[0] if isinstance(table, list) else table
    keys = [column["id"] for column in table["cols"]]
    return [dict(zip(keys, (cell["v"] for cell in row["c"]), strict=True)) for row in table["rows"]]


@pytest.fixture
def copied(samples, tmp_path):
    """A fresh copy: XProf would answer from its caches."""

    def copy(name):
        return shutil.copy(samples / f"xplane/{name}.xplane.pb", tmp_path / "vm.xplane.pb")

    return copy


def ops_of(runs):
    """Runs, whole and own microseconds by name and type."""
    found = op_times(runs, groups(runs, "node"))
    return {(row.name, row.op): (row.runs, row.total_us, row.self_us) for row in found}


@pytest.mark.parametrize("name", ["slow-cb", "fast-cb", "slow-trace", "fast-trace"])
def test_self_times_are_those_of_xprof(copied, name):
    path = copied(name)
    ours = ops_of(op_runs(read(path, 0, None).trace))
    rows = [row for row in by_xprof(path, "framework_op_stats") if row["type"] != "IDLE"]
    theirs = {
        (row["operation"], row["type"]): (
            row["occurrences"],
            pytest.approx(row["total_time"], abs=NEAR_US),
            pytest.approx(row["total_self_time"], abs=NEAR_US),
        )
        for row in rows
    }
    assert len(theirs) > 300
    assert ours == theirs


def test_what_xla_compiled_is_inside_the_op_that_xprof_shows_as_a_whole(copied):
    path = copied("fast-xla")
    ours = ops_of(op_runs(read(path, 0, None).trace))
    rows = [row for row in by_xprof(path, "framework_op_stats") if row["type"] != "IDLE"]
    theirs = {(row["operation"], row["type"]): row for row in rows}
    assert {key: ours[key][1] for key in theirs} == {
        key: pytest.approx(row["total_time"], abs=NEAR_US) for key, row in theirs.items()
    }
    (call,) = [key for key in theirs if key[1].startswith("__inference_train")]
    assert ours[call][2] < 0.6 * theirs[call]["total_self_time"]
    assert ours["sequential_1/dense_1/MatMul", "MatMul"][0] == 8
    assert ("sequential_1/dense_1/MatMul", "MatMul") not in theirs


def test_kernels_and_ops_of_a_gpu(copied):
    path = copied("synthetic-gpu")
    trace = read(path, 0, None).trace
    (theirs,) = by_xprof(path, "kernel_stats")
    (ours,) = kernels(trace.space)
    assert (ours.name, ours.op, ours.launches) == (
        theirs["kernel_name"],
        theirs["op_name"],
        theirs["occurrences"],
    )
    assert ours.total_us == theirs["total_duration_us"]
    assert (ours.registers, ours.shared_bytes) == (
        theirs["registers_per_thread"],
        theirs["shmem_bytes"],
    )
    assert (ours.grid, ours.block) == (theirs["grid_dim"], theirs["block_dim"])
    assert ours.occupancy == theirs["occupancy_pct"] / 100
    assert ours.uses_tensor_cores is theirs["is_kernel_using_tensor_core"]
    assert ours.could_use_tensor_cores is theirs["is_op_tensor_core_eligible"]
    stats = by_xprof(path, "framework_op_stats")
    (matmul,) = [row for row in stats if row["type"] == "MatMul"]
    assert ops_of(op_runs(trace)) == {
        ("model/dense/MatMul", "MatMul"): (
            matmul["occurrences"],
            matmul["total_time"],
            matmul["total_self_time"],
        )
    }
