"""Steps that nobody marked, in captures made for it: runs of programs on TPUs and GPUs."""

from random_traces import capture

from tfprof.analyses.steps.detect import find_steps

US = 1_000_000


def _windows(steps):
    return [(w.number, w.begin // US, w.end // US, w.until // US) for w in steps.windows]


def _tpu(shift=0, runs=3, **more):
    modules = [(f"jit_f({2**63 + 7})", 100 + 50 * run + shift, 45) for run in range(runs)]
    ops = [("%fusion.1 = f32[8] fusion()", 100 + 50 * run + shift, 45) for run in range(runs)]
    return {"XLA Modules": [*more.get("first", []), *modules], "XLA Ops": ops}


def test_the_program_that_takes_the_time_runs_once_a_step():
    first = [("jit_init(1)", 0, 30), ("jit_init(1)", 40, 5)]
    steps = find_steps(capture({"/device:TPU:0": _tpu(first=first)}))
    assert steps.rule == "program"
    assert steps.about == "3 runs of the program `jit_f` on 1 device"
    assert _windows(steps) == [(0, 100, 145, 150), (1, 150, 195, 200), (2, 200, 245, 245)]
    assert [one.what for one in steps.dropped] == ["2 runs of `jit_init`"]


def test_a_run_on_several_devices_is_one_step():
    steps = find_steps(capture({"/device:TPU:0": _tpu(), "/device:TPU:1": _tpu(shift=3)}))
    assert steps.about == "3 runs of the program `jit_f` on 2 devices"
    assert _windows(steps) == [(0, 100, 148, 150), (1, 150, 198, 200), (2, 200, 248, 248)]


def test_a_device_that_missed_a_run_does_not_shift_the_others():
    late = {name: events[1:] for name, events in _tpu(shift=3).items()}
    steps = find_steps(capture({"/device:TPU:0": _tpu(), "/device:TPU:1": late}))
    assert _windows(steps) == [(0, 100, 145, 150), (1, 150, 198, 200), (2, 200, 248, 248)]


def test_a_program_that_ran_once_is_no_step():
    assert find_steps(capture({"/device:TPU:0": _tpu(runs=1)})).rule == "none"


def test_the_markers_of_a_gpu_s_host_come_first():
    planes = _launched()
    planes["/host:CPU"]["main"].append(("train", 0, 300, {"step_num": 4}))
    assert find_steps(capture(planes)).rule == "step_num"


def test_what_a_host_launched_as_one_program_is_a_step_of_its_gpu():
    steps = find_steps(capture(_launched()))
    assert steps.rule == "program"
    assert steps.about == "3 runs of the program `jit_loss` on 1 device"
    # from the first kernel of a launch on: the host is 10 µs ahead
    assert _windows(steps) == [(0, 20, 60, 120), (1, 120, 160, 220), (2, 220, 260, 260)]


def _launched():
    host, kernels = [], []
    for run in range(3):
        at = 100 * run
        numbers = {"correlation_id": 10 + 2 * run}, {"correlation_id": 11 + 2 * run}
        host += [
            ("jit_loss:XLA GPU module", at + 10, 30),
            ("cuLaunchKernel", at + 11, 2, numbers[0]),
            ("cuLaunchKernel", at + 15, 2, numbers[1]),
        ]
        kernels += [("gemm", at + 20, 10, numbers[0]), ("add", at + 40, 20, numbers[1])]
    kernels.append(("stray", 400, 5, {"correlation_id": 99}))
    return {"/host:CPU": {"main": host}, "/device:GPU:0": {"Stream #1(Compute)": kernels}}


def test_a_step_of_several_gpus_goes_on_as_long_as_on_any():
    steps = find_steps(capture({
        "/device:GPU:0": {"Stream #1(Compute)": [("k", 0, 10)], "Steps": [("0", 0, 10)]},
        "/device:GPU:1": {"Stream #1(Compute)": [("k", 50, 9)], "Steps": [("0", 50, 9)]},
    }))  # fmt: skip
    assert steps.rule == "device"
    assert _windows(steps) == [(0, 0, 59, 59)]
