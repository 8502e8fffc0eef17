"""Traces of PyTorch's profiler: one of a CPU as it was written, and the layout of a GPU's."""

import json
from pathlib import Path

import pytest

from tfprof.api.profile import load

CPU = Path(__file__).parents[3] / "timelines" / "pytorch_cpu.trace.json.gz"


def test_steps_of_a_real_trace_are_its_profiler_steps():
    answer = load(CPU).steps().to_dict()
    assert [step["step"] for step in answer["data"]["steps"]] == [2, 3, 4, 5]
    assert answer["data"]["marker_rule"] == "step_num"
    assert any("a trace of PyTorch" in text for text in answer["warnings"])


def test_the_timeline_of_a_real_trace_has_its_ops():
    text = str(load(CPU).timeline())
    assert "aten::" in text
    assert "PyTorch Profiler" not in text  # what is drawn around everything


@pytest.fixture
def gpu_trace(tmp_path):
    """Two steps of 1 ms: a kernel of 400 µs, launched 100 µs before it begins, and a copy."""
    events = [
        {"ph": "M", "name": "process_name", "pid": 77, "tid": 0, "args": {"name": "python"}},
        {"ph": "M", "name": "process_name", "pid": 0, "tid": 0, "args": {"name": "python"}},
        {"ph": "M", "name": "process_labels", "pid": 0, "tid": 0, "args": {"labels": "GPU 0"}},
        {"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans", "tid": "x",
         "ts": 0, "dur": 2000},
    ]  # fmt: skip
    for step in (0, 1):
        at = 1000 * step
        number = {"correlation": 10 + step}
        copied = {"correlation": 20 + step}
        on_gpu = {"device": 0, "stream": 7}
        events += [
            {"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step + 5}", "pid": 77,
             "tid": 77, "ts": at, "dur": 1000, "args": {}},
            {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 77, "tid": 77, "ts": at + 50,
             "dur": 100, "args": {}},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 77, "tid": 77,
             "ts": at + 100, "dur": 20, "args": number},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaMemcpyAsync", "pid": 77, "tid": 77,
             "ts": at + 620, "dur": 20, "args": copied},
            {"ph": "X", "cat": "kernel", "name": "ampere_sgemm_128x64", "pid": 0, "tid": 7,
             "ts": at + 200, "dur": 400, "args": {**number, **on_gpu}},
            {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy DtoH (Device -> Pinned)", "pid": 0,
             "tid": 7, "ts": at + 650, "dur": 50, "args": {**copied, **on_gpu}},
            {"ph": "X", "cat": "gpu_user_annotation", "name": f"ProfilerStep#{step + 5}", "pid": 0,
             "tid": 7, "ts": at + 200, "dur": 500, "args": {}},
        ]  # fmt: skip
    path = tmp_path / "gpu.pt.trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "deviceProperties": [], "traceEvents": events}))
    return path


def test_kernels_and_copies_of_a_gpu_are_on_its_streams(gpu_trace):
    data = load(gpu_trace).steps().to_dict()["data"]
    assert [step["step"] for step in data["steps"]] == [5, 6]
    (device,) = data["devices"]
    assert device["device"] == "/gpu:0"
    assert device["busy_us"] == pytest.approx(400)
    assert device["copy_wait_us"] == pytest.approx(50)
    assert device["idle_us"] == pytest.approx(550)
    # from the launch on, until the kernel begins
    assert device["waited_for"]["launch"] >= 100


def test_what_is_drawn_around_a_stream_is_no_work(gpu_trace):
    lanes = load(gpu_trace).timeline().to_dict()["data"]["lanes"]
    busy = {lane["device"]: lane["busy_us"] for lane in lanes}
    assert any(
        lane["thread"].startswith("Stream #7") and lane["busy_us"] == pytest.approx(450, abs=1)
        for lane in lanes
    ), busy
