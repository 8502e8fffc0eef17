"""Captures of devices that lack what others have: a host, a core, ops; or have streams at once."""

import json

import pytest
from accelerator_captures import PlaneMaker
from run_cli import run

from tfprof.wire.schema import message_class

_GEMM = "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_64x3_nn"
_NCCL = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)"
_FUSION, _REDUCE = "%fusion.1 = bf16[8]{0:T(8)} fusion(x)", "%all-reduce.1 = f32[8] all-reduce(y)"


def asked(*words):
    ran = run(*words, "--json")
    assert ran.code == 0, ran.err
    return json.loads(ran.out)["data"]


def said(*words):
    return " ".join(run(*words).out.split())


@pytest.fixture
def streams(tmp_path):
    """Of a step of 1000: 600 of products, an all-reduce of 400 half beside them, copies of 80."""
    space = message_class("XSpace")(hostnames=["a"])
    threads, gpu = PlaneMaker(space, "/host:CPU"), PlaneMaker(space, "/device:GPU:0")
    for step in range(3):
        begin = 1000.0 * step
        threads.event("python/1", "train", begin, 990, step_num=step, _r=1)
        for at, scope in ((0, "model/dense"), (300, "gradient_tape/model/dense")):
            gpu.event("Stream #13", _GEMM, begin + at, 300, tf_op=f"{scope}/MatMul:MatMul")
        gpu.event("Stream #20", _NCCL, begin + 400, 400, tf_op="Adam/NcclAllReduce:NcclAllReduce")
        within = "kind_src:device kind_dst:device size:1000 dest:0 async:1"
        gpu.event("Stream #21", "MemcpyD2D", begin + 850, 50, memcpy_details=within,
                  tf_op="model/x/Identity:Identity")  # fmt: skip
        to = "kind_src:pinned kind_dst:device size:4096 dest:0 async:1"
        gpu.event("Stream #22", "MemcpyH2D", begin + 950, 30, memcpy_details=to)
    return put(space, tmp_path)


@pytest.fixture
def kernels_only(tmp_path):
    """Two kernels in turn, ten times; no host, no op, nothing that marks steps."""
    space = message_class("XSpace")()
    gpu = PlaneMaker(space, "/device:GPU:0")
    for at in range(10):
        gpu.event("Stream #7", "volta_sgemm_128x64_nn", 100.0 * at, 40, correlation_id=at)
        gpu.event("Stream #7", "void cub::DeviceReduceKernel<float>(float*)", 100.0 * at + 50, 20,
                  correlation_id=100 + at)  # fmt: skip
    return put(space, tmp_path)


def cores(folder, numbers):
    """Runs of a program on cores of a TPU: 150 of a fusion, 40 of an all-reduce, 60 idle."""
    space = message_class("XSpace")(hostnames=["t"])
    for number in numbers:
        core = PlaneMaker(space, f"/device:TPU:{number}", device_type_string="TPU v4")
        core.named(_FUSION, "fusion.1", hlo_category="loop fusion", program_id=7,
                   tf_op="jit(step)/jvp(Block)/add:")  # fmt: skip
        core.named(_REDUCE, "all-reduce.1", hlo_category="all-reduce", program_id=7)
        for at in range(5):
            begin = 250.0 * at
            core.event("XLA Modules", "jit_step(7)", begin, 200, run_id=at)
            core.event("XLA Ops", _FUSION, begin, 150, shown="fusion.1")
            core.event("XLA Ops", _REDUCE, begin + 150, 40, shown="all-reduce.1")
    return put(space, folder)


def put(space, folder):
    path = folder / "h.xplane.pb"
    path.write_bytes(space.SerializeToString())
    return path


def test_what_streams_do_at_once_is_told_apart(streams):
    (gpu,) = asked("steps", streams)["devices"]
    assert gpu["busy_us"] == pytest.approx(600)
    assert gpu["collective_us"] == pytest.approx(400)
    assert gpu["exposed_us"] == pytest.approx(200)
    assert gpu["copy_wait_us"] == pytest.approx(80)


def test_phases_are_of_kernels_whatever_copies_belong_to(streams):
    assert "Phases forward 30.0%, backward 30.0%, update 40.0%" in said("summary", streams)
    took = {row["phase"]: row for row in asked("layers", streams, "--by", "phase")["rows"]}
    own = {name: row["device_us"] - row["copy_us"] for name, row in took.items()}
    assert own == pytest.approx({"forward": 300, "backward": 300, "update": 400, "other": 0})


def test_kernels_of_no_op_are_executions_and_time_of_their_device(kernels_only):
    (row,) = asked("layers", kernels_only, "--by", "op")["rows"]
    assert (row["name"], row["runs"]) == ("(not attributed)", 20)
    assert row["self_us"] == pytest.approx(600)
    assert asked("layers", kernels_only, "--by", "op")["time"]["span_us"] == pytest.approx(970)
    gpu = asked("placement", kernels_only)["devices"]["/gpu:0"]
    assert (gpu["nodes"], gpu["time_us"]) == (0, 600)


def test_a_core_without_a_plane_makes_a_fragment(tmp_path):
    path = cores(tmp_path, (0, 1, 3))
    assert asked("steps", path)["missing"] == ["of the TPU cores 0 to 3, 2 was not recorded"]
    assert "the capture is a fragment" in said("steps", path)
    assert "fragment" in said("summary", path)


def test_cores_that_are_all_there_make_none(tmp_path):
    assert asked("steps", cores(tmp_path, range(4)))["missing"] == []


def test_a_timeline_has_the_names_of_instructions(tmp_path):
    path = cores(tmp_path, range(2))
    found = asked("timeline", path)["critical_path"]
    assert "fusion.1" in json.dumps(found)
    assert "bf16" not in said("timeline", path)
