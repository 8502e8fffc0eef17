"""FLOP/s, intensity and share of the peak of ops on a GPU, with a graph beside the capture.

The capture is written here, for there is no GPU: as CUPTI's records become planes, a kernel says in
`tf_op` which op launched it, and the plane says what its device can do. All numbers are by hand.
"""

import json
import shutil

import pytest
from run_cli import run

from tfprof.wire.schema import message_class

BATCH, INPUTS, HIDDEN, CLASSES = 32, 784, 512, 10
FLOAT = 4
FIRST, SECOND = "functional_1/dense_1/MatMul", "functional_1/dense_1_2/MatMul"
RELU = "functional_1/dense_1/Relu"
# 1.41 GHz, 108 multiprocessors, 128 FLOPs a clock each: 19.5 TFLOP/s, as the data sheet has it
CAPABILITIES = {
    "clock_rate": 1_410_000, "core_count": 108, "memory_bandwidth": 1_555_000_000_000,
    "compute_cap_major": 8, "compute_cap_minor": 0,
}  # fmt: skip
PEAK = 1.41e9 * 108 * 128
STEPS = 3


class _Plane:
    """A plane with names as they are first used."""

    def __init__(self, space, name):
        self.plane = space.planes.add(name=name)
        self.stats, self.names = {}, {}

    def stat(self, name):
        code = self.stats.setdefault(name, len(self.stats) + 1)
        self.plane.stat_metadata[code].id, self.plane.stat_metadata[code].name = code, name
        return code

    def state(self, **facts):
        for name, value in facts.items():
            self.plane.stats.add(metadata_id=self.stat(name), int64_value=value)

    def event(self, line, name, start_us, duration_us, **stats):
        code = self.names.setdefault(name, len(self.names) + 1)
        self.plane.event_metadata[code].id, self.plane.event_metadata[code].name = code, name
        event = line.events.add(
            metadata_id=code, offset_ps=start_us * 10**6, duration_ps=duration_us * 10**6
        )
        for key, value in stats.items():
            event.stats.add(metadata_id=self.stat(key), str_value=value)


def capture(**capabilities):
    """Three predictions: the first product is two kernels, the second and the ReLU one each."""
    space = message_class("XSpace")()
    gpu, host = _Plane(space, "/device:GPU:0"), _Plane(space, "/host:CPU")
    gpu.state(**capabilities)
    stream = gpu.plane.lines.add(id=1, name="Stream #1(Compute)", timestamp_ns=1000)
    thread = host.plane.lines.add(id=7, name="tf_GPU_Device_0", timestamp_ns=1000)
    for step in range(STEPS):
        at = 1000 * step
        for name, op, launched in ((FIRST, "MatMul", 0), (RELU, "Relu", 9), (SECOND, "MatMul", 15)):
            host.event(thread, f"{name}:{op}", at + launched, 5)
        gpu.event(stream, "sgemm_splitk", at + 20, 30, tf_op=f"{FIRST}:MatMul")
        gpu.event(stream, "splitk_reduce", at + 50, 10, tf_op=f"{FIRST}:MatMul")
        gpu.event(stream, "relu_kernel", at + 60, 2, tf_op=f"{RELU}:Relu")
        gpu.event(stream, "sgemm_small", at + 62, 4, tf_op=f"{SECOND}:MatMul")
    return space.SerializeToString()


@pytest.fixture
def folder(samples, tmp_path):
    shutil.copy(samples / "keras_mlp_fwd.graph.pb", tmp_path / "graph.pb")
    (tmp_path / "gpu.xplane.pb").write_bytes(capture(**CAPABILITIES))
    return tmp_path


def rows_of(folder, by, *words):
    ran = run("layers", folder, "--by", by, "--batch", BATCH, *words, "--json")
    assert ran.code == 0, ran.err
    rows = json.loads(ran.out)["data"]["rows"]
    return {row[by]: row for row in rows}


def product(rows, inner, columns):
    flops = 2 * rows * inner * columns
    return flops, FLOAT * (rows * inner + inner * columns + rows * columns)


def test_the_rates_of_a_node_are_those_of_its_kernels(folder):
    flops, moved = product(BATCH, INPUTS, HIDDEN)
    row = rows_of(folder, "node")[FIRST]
    # two kernels a step, and its launch takes no part in the time of the device
    seconds = STEPS * (30 + 10) * 1e-6
    assert row["flops"] == STEPS * flops
    assert row["bytes"] == STEPS * moved
    assert row["flops_per_second"] == pytest.approx(STEPS * flops / seconds)
    assert row["bytes_per_second"] == pytest.approx(STEPS * moved / seconds)
    assert row["intensity"] == pytest.approx(flops / moved)
    assert row["peak_share"] == pytest.approx(STEPS * flops / seconds / PEAK)
    assert row["peak_share"] == pytest.approx(0.0330, abs=1e-4)


def test_an_op_type_has_the_work_and_time_of_its_nodes(folder):
    large, small = product(BATCH, INPUTS, HIDDEN), product(BATCH, HIDDEN, CLASSES)
    row = rows_of(folder, "op")["MatMul"]
    flops, moved = (STEPS * (one + other) for one, other in zip(large, small, strict=True))
    seconds = STEPS * (30 + 10 + 4) * 1e-6
    assert (row["flops"], row["bytes"]) == (flops, moved)
    assert row["flops_per_second"] == pytest.approx(flops / seconds)
    assert row["intensity"] == pytest.approx(flops / moved)
    assert row["peak_share"] == pytest.approx(flops / seconds / PEAK)


def test_the_device_that_is_named_wins_over_what_the_plane_states(folder):
    own = rows_of(folder, "node")[FIRST]["peak_share"]
    twice = rows_of(folder, "node", "--device", f"gpu:{2 * PEAK / 1e12}T,1T")[FIRST]["peak_share"]
    assert twice == pytest.approx(own / 2)


def test_a_device_that_states_nothing_has_rates_and_no_share(folder):
    (folder / "gpu.xplane.pb").write_bytes(capture())
    row = rows_of(folder, "node")[FIRST]
    assert row["flops_per_second"] > 0
    assert row["peak_share"] is None


def test_the_table_shows_them(folder):
    ran = run("layers", folder, "--by", "node", "--batch", BATCH)
    (line,) = [line for line in ran.out.splitlines() if FIRST[-12:] in line]
    assert "642.3 G" in line
    assert "3.3%" in line
    assert max(map(len, ran.out.splitlines())) <= 80
