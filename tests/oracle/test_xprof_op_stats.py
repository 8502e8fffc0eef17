"""Self times against XProf: its table of op statistics, made anew from a copy of each capture."""

import shutil

import pytest
from xprof_oracle import NEAR_US, both_op_times, by_xprof, ops_by_xprof, ops_of

from tfprof.analyses.runtime.kernels import of_space
from tfprof.analyses.runtime.op_events import op_events
from tfprof.sources.xplane.xplane import read


@pytest.fixture
def copied(samples, tmp_path):
    """A fresh copy: XProf would answer from its caches."""

    def copy(name):
        return shutil.copy(samples / f"xplane/{name}.xplane.pb", tmp_path / "vm.xplane.pb")

    return copy


@pytest.mark.parametrize("name", ["slow-cb", "fast-cb", "slow-trace", "fast-trace"])
def test_self_times_are_those_of_xprof(copied, name):
    ours, theirs = both_op_times(copied(name))
    assert len(theirs) > 300
    assert ours == theirs


def test_allocations_of_an_op_are_no_runs_of_it(copied):
    """XProf counts them among the occurrences; the times are the same."""
    ours, theirs = both_op_times(copied("fast-trace-bfc"))
    assert {op: times for op, (_, *times) in ours.items()} == {
        op: times for op, (_, *times) in theirs.items()
    }
    assert (ours["adam/Sqrt_3", "Sqrt"][0], theirs["adam/Sqrt_3", "Sqrt"][0]) == (8, 16)


def test_what_xla_compiled_is_inside_the_op_that_xprof_shows_as_a_whole(copied):
    path = copied("fast-xla")
    ours = ops_of(op_events(read(path, 0, None).trace))
    theirs = {(row["operation"], row["type"]): row for row in ops_by_xprof(path)}
    (call,) = [key for key in theirs if key[1].startswith("__inference_train")]
    # who waits for the program is no op
    assert call not in ours
    assert {key: ours[key][1] for key in theirs if key != call} == {
        key: pytest.approx(row["total_time"], abs=NEAR_US)
        for key, row in theirs.items()
        if key != call
    }
    assert ours["sequential_1/dense_1/MatMul", "MatMul"][0] == 8
    assert ("sequential_1/dense_1/MatMul", "MatMul") not in theirs


def test_kernels_and_ops_of_a_gpu(copied):
    path = copied("synthetic-gpu")
    trace = read(path, 0, None).trace
    (theirs,) = by_xprof(path, "kernel_stats")
    # XProf counts no copies here
    (ours, copies) = of_space(trace.space).finish()
    assert copies.is_copy
    launch = ours.launch
    assert (ours.kernel, ours.runs) == (theirs["kernel_name"], theirs["occurrences"])
    assert theirs["op_name"].endswith(ours.op)
    assert ours.total_us == theirs["total_duration_us"]
    assert (launch.registers, launch.shared_bytes) == (
        theirs["registers_per_thread"],
        theirs["shmem_bytes"],
    )
    assert (launch.grid, launch.block) == (theirs["grid_dim"], theirs["block_dim"])
    assert launch.occupancy == theirs["occupancy_pct"] / 100
    assert launch.uses_tensor_cores is theirs["is_kernel_using_tensor_core"]
    assert launch.could_use_tensor_cores is theirs["is_op_tensor_core_eligible"]
    stats = by_xprof(path, "framework_op_stats")
    (matmul,) = [row for row in stats if row["type"] == "MatMul"]
    assert ops_of(op_events(trace))["model/dense/MatMul", "MatMul"] == (
        matmul["occurrences"],
        matmul["total_time"],
        matmul["total_self_time"],
    )
