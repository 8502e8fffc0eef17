"""What a step's time counts for, in captures of which every microsecond is known."""

import pytest
from random_traces import capture, capture_of_hosts

from tfprof.analyses.step_time.breakdown import breakdowns
from tfprof.analyses.step_time.evidence import events_behind
from tfprof.results.categories import Category

PS = 1_000_000
HOST, GPU = "/host:CPU", "/device:GPU:0"


def step(*lengths, gap=0):
    """Markers one after the other."""
    marks, at = [], 0
    for number, length in enumerate(lengths):
        marks.append(("train", at, length, {"step_num": number, "_r": 1}))
        at += length + gap
    return marks


def of_planes(planes):
    (found,) = breakdowns(capture(planes))
    return found


def first_step(planes):
    """The microseconds of the first step by category, without those it has nothing of."""
    found = of_planes(planes)
    by_category = zip(Category, (found.time[0] / PS).tolist(), strict=True)
    return {category: time for category, time in by_category if time}


def test_only_the_marker_is_unexplained_and_what_is_between_markers_is_idle():
    assert first_step({HOST: {"python": step(100, 100, gap=20)}}) == {
        Category.OTHER: 100, Category.IDLE: 20,
    }  # fmt: skip


def test_input_is_waited_for_on_any_thread_and_comes_before_the_work_meanwhile():
    found = first_step(
        {
            HOST: {
                "python": step(100, 100),
                "tf_data_iterator_get_next/1": [("IteratorGetNextOp::DoCompute", 10, 40)],
                "tf_Compute/2": [("a/MatMul:MatMul", 30, 40)],
                "tf_data_private_threadpool/3": [("resize:Resize", 0, 90)],
            }
        }
    )
    assert found == {
        Category.INPUT: 40, Category.HOST_MODEL: 20, Category.HOST_TF_DATA: 30,
        Category.OTHER: 10,
    }  # fmt: skip


def test_what_waits_for_others_is_not_at_work():
    call = [
        ("EagerExecute", 10, 80), ("KernelAndDeviceFunc::Run", 20, 60), ("FunctionRun", 20, 5),
    ]  # fmt: skip
    found = first_step(
        {
            HOST: {
                "python": [*step(100, 100), *call],
                "tf_Compute/2": [("a/MatMul:MatMul", 30, 40)],
            }
        }
    )
    assert found == {
        Category.HOST_MODEL: 40, Category.HOST_PYTHON: 20, Category.OTHER: 40,
    }  # fmt: skip


def test_what_an_instruction_hands_to_other_threads_is_work_of_the_model():
    """XLA's instruction covers its launch only; a region on another thread names its record."""
    link = {"_pt": 3, "_p": 77}
    of = {"hlo_op": "convolution.4", "hlo_module": "jit_step", "program_id": 5}
    found = of_planes(
        {
            HOST: {
                "python": [*step(100, 100), ("BlockUntilReady", 5, 90)],
                "tf_Compute/2": [
                    ("convolution.4", 10, 5, of), ("ThreadpoolListener::Record", 12, 0, link),
                ],
                "tf_numa_-1_Eigen/3": [
                    ("ThreadpoolListener::StartRegion", 14, 0, {"_ct": 3, "_c": 77}),
                    ("ThreadpoolListener::StopRegion", 84, 0),
                ],
                # of no instruction: nobody knows what for
                "tf_numa_-1_Eigen/4": [
                    ("ThreadpoolListener::StartRegion", 84, 0, {"_ct": 3, "_c": 78}),
                    ("ThreadpoolListener::StopRegion", 95, 0),
                ],
            }
        }
    )  # fmt: skip
    by_category = zip(Category, (found.time[0] / PS).tolist(), strict=True)
    assert {category: time for category, time in by_category if time} == {
        Category.HOST_MODEL: 74, Category.OTHER: 26,
    }  # fmt: skip


def test_an_op_that_python_asks_for_runs_in_its_call():
    found = first_step({
        HOST: {
            "python": [
                *step(100, 100),
                ("EagerLocalExecute: MatMul", 10, 30), ("KernelAndDeviceFunc::Run", 15, 20),
                ("EagerLocalExecute: __inference_f_7", 50, 30),
                ("KernelAndDeviceFunc::Run", 55, 20),
            ]
        }
    })  # fmt: skip
    assert found == {
        Category.HOST_MODEL: 20, Category.HOST_PYTHON: 20, Category.OTHER: 60,
    }  # fmt: skip


def test_a_traced_call_compiles_until_it_runs():
    traced = {"tf_function_call": "traced-nonXla"}
    call = [("train_function", 10, 80, traced), ("KernelAndDeviceFunc::Run", 60, 30)]
    assert first_step({HOST: {"python": [*step(100, 100), *call]}}) == {
        Category.COMPILATION: 50, Category.OTHER: 50,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "category"),
    [
        ("volta_sgemm_128x64_nn", Category.DEVICE_COMPUTE_32),
        ("sm80_xmma_gemm_tf32f32", Category.DEVICE_COMPUTE_32),
        ("turing_fp16_s1688gemm_fp16", Category.DEVICE_COMPUTE_16),
        ("cutlass_80_tensorop_s1688gemm_128x64_16x6_tn_align4", Category.DEVICE_COMPUTE_32),
        ("nvjet_bf16_128x64", Category.DEVICE_COMPUTE_16),
        ("cutlass_e4m3_gemm", Category.DEVICE_COMPUTE_16),
        ("Memset", Category.DEVICE_COMPUTE_32),
        ("MemcpyH2D", Category.HOST_TO_DEVICE),
        ("MEMCPYHtoD", Category.HOST_TO_DEVICE),
        ("CopyHostToDevice", Category.HOST_TO_DEVICE),
        ("MemcpyD2H", Category.OUTPUT),
        ("MemcpyDtoH", Category.OUTPUT),
        ("MemcpyD2D", Category.DEVICE_TO_DEVICE),
        ("MemcpyP2P", Category.DEVICE_TO_DEVICE),
        ("ncclDevKernel_AllReduce_Sum_f32", Category.COLLECTIVES),
        ("rcclAllGatherKernel", Category.COLLECTIVES),
    ],
)
def test_what_a_device_does_is_told_by_its_name(name, category):
    found = first_step({HOST: {"python": step(100, 100)}, GPU: {"Stream #1": [(name, 10, 30)]}})
    assert found == {category: 30, Category.OTHER: 70}


def test_the_direction_of_a_copy_may_stand_in_its_details():
    details = {"memcpy_details": "kind_src:device kind_dst:pinned size:8 dest:0 async:1"}
    found = first_step({
        HOST: {"python": step(100, 100)}, GPU: {"Stream #1": [("Memcpy", 10, 30, details)]},
    })  # fmt: skip
    assert found == {Category.OUTPUT: 30, Category.OTHER: 70}


def test_shapes_tell_half_precision_where_a_name_does_not():
    shapes = {"tensor_shapes": "(half[8,8];half[8,8])"}
    found = first_step({
        HOST: {"python": step(100, 100)}, GPU: {"Stream #1": [("gemm", 10, 30, shapes)]},
    })  # fmt: skip
    assert found == {Category.DEVICE_COMPUTE_16: 30, Category.OTHER: 70}


def test_a_launch_counts_while_the_device_does_nothing():
    found = of_planes(
        {
            HOST: {
                "python": [
                    *step(100, 100),
                    ("cuLaunchKernel", 10, 20, {"correlation_id": 1}),
                    ("cuMemcpyHtoDAsync", 5, 5, {"correlation_id": 2}),
                ]
            },
            GPU: {"Stream #1": [("gemm", 20, 30, {"correlation_id": 1})]},
        }
    )
    assert found.of(Category.KERNEL_LAUNCH)[0] == 10 * PS
    assert found.of(Category.HOST_PYTHON)[0] == 5 * PS
    assert found.of(Category.DEVICE_COMPUTE_32)[0] == 30 * PS


def test_each_of_several_devices_has_a_breakdown_of_its_own():
    found = of_planes(
        {
            HOST: {"python": step(100, 100)},
            GPU: {"Stream #1": [("gemm", 0, 30)]},
            "/device:GPU:1": {"Stream #1": [("gemm", 20, 40)]},
        }
    )
    assert found.of(Category.DEVICE_COMPUTE_32)[0] == 60 * PS
    column = list(Category).index(Category.DEVICE_COMPUTE_32)
    alone = {name: int(time[0, column]) // PS for name, time in found.devices.items()}
    assert alone == {GPU: 30, "/device:GPU:1": 40}
    only = found.with_only("/device:GPU:1")
    assert only.time.tolist() == found.devices["/device:GPU:1"].tolist()
    assert (only.gross[0, column] // PS, only.count[0, column]) == (40, 1)
    (kernel,) = events_behind(only, Category.DEVICE_COMPUTE_32, only.steps.windows)
    assert (kernel.count, kernel.self_ps // PS) == (1, 40)


def test_a_device_that_did_nothing_has_no_breakdown():
    found = of_planes(
        {
            HOST: {"python": step(100, 100)},
            GPU: {"_counters_": [("power_mw", 10, 0)], "Steps": [("0", 0, 90)]},
            "/device:GPU:1": {"Stream #1": [("gemm", 20, 40)]},
        }
    )
    assert list(found.devices) == ["/device:GPU:1"]


def test_the_streams_of_a_session_run_are_one_device_and_are_told_once():
    kernel, copy = [("k:MatMul", 0, 5, {"step": 0})], [("MEMCPYHtoD", 6, 1, {"step": 0})]
    found = of_planes(
        {
            f"{GPU}/stream:all": {"all threads": kernel},
            f"{GPU}/stream:13": {"all threads": kernel},
            f"{GPU}/stream:14": {"all threads": copy},
            f"{GPU}/memcpy": {"all threads": copy},
        }
    )
    assert list(found.devices) == [GPU]
    assert found.of(Category.DEVICE_COMPUTE_32).tolist() == [5 * PS]
    counts = dict(zip(Category, found.count[0].tolist(), strict=True))
    assert counts[Category.DEVICE_COMPUTE_32] == counts[Category.HOST_TO_DEVICE] == 1


def test_markers_around_or_beside_the_steps_tell_nothing_of_the_time():
    markers = [*step(100, 100), ("round", 0, 200, {"step_num": 0})]
    other = [("eval", 0, 150, {"step_num": 7})]
    assert first_step({HOST: {"python": markers, "worker/2": other}}) == {Category.OTHER: 100}


def test_a_loop_of_a_tpu_is_what_its_rounds_are():
    found = first_step(
        {
            "/device:TPU:0": {
                "Steps": [("0", 0, 100), ("1", 100, 100)],
                "XLA Ops": [
                    ("%while.1 = (s32[]) while(%tuple)", 0, 90),
                    ("%infeed.2 = ((f32[8]), token[]) infeed(%token)", 0, 40),
                    ("%fusion.3 = f32[8] fusion(%all-reduce.4)", 40, 20),
                    ("%all-reduce.4 = f32[8] all-reduce(%infeed.2)", 60, 30),
                ],
            },
        }
    )
    assert found == {
        Category.INPUT: 40, Category.DEVICE_COMPUTE_32: 20, Category.COLLECTIVES: 30,
        Category.OTHER: 10,
    }  # fmt: skip


def test_lines_that_another_tool_derived_are_not_counted_again():
    found = first_step(
        {
            HOST: {"python": step(100, 100)},
            GPU: {
                "Stream #1": [("gemm", 10, 30)],
                "Framework Ops - from #1": [("MatMul", 5, 60)],
                "XLA Modules": [("module", 0, 100)],
            },
        }
    )
    assert found == {Category.DEVICE_COMPUTE_32: 30, Category.OTHER: 70}


def test_hosts_have_steps_of_their_own():
    hosts = list(
        breakdowns(
            capture_of_hosts(
                {
                    "a": {HOST: {"python": step(100, 100)}},
                    "b": {
                        HOST: {"python": [*step(80, 80), ("IteratorGetNextOp::DoCompute", 0, 40)]}
                    },
                }
            )
        )
    )
    assert [one.host for one in hosts] == ["a", "b"]
    assert [one.of(Category.INPUT).tolist()[0] // PS for one in hosts] == [0, 40]


def test_averages_leave_out_the_first_and_the_last_of_more_than_five_steps():
    waits = [("IteratorGetNextOp::DoCompute", 0, 90), ("IteratorGetNextOp::DoCompute", 510, 50)]
    few = of_planes({HOST: {"python": [*step(*[100] * 5), *waits]}})
    assert few.input_share == pytest.approx(90 / 500)
    many = of_planes({HOST: {"python": [*step(*[100] * 7), *waits]}})
    assert many.input_share == pytest.approx(50 / 500)
    assert len(many.steps.known_periods) == 6


def test_events_behind_a_slice_are_those_that_went_on_when_it_counted():
    found = of_planes({
        HOST: {
            "python": [*step(100, 100), ("EagerExecute", 0, 90), ("FunctionRun", 10, 80)],
            "tf_Compute/2": [
                ("ExecutorState::Process", 20, 50), ("a/MatMul:MatMul", 30, 30),
            ],
        }
    })  # fmt: skip
    behind = events_behind(found, Category.HOST_PYTHON, found.steps.windows[:1])
    assert [(one.name, one.count, one.self_ps // PS) for one in behind] == [
        ("ExecutorState::Process", 1, 20), ("EagerExecute", 1, 10),
    ]  # fmt: skip
    (op,) = events_behind(found, Category.HOST_MODEL, found.steps.windows[:1])
    assert (op.name, op.self_ps // PS) == ("a/MatMul:MatMul", 30)
