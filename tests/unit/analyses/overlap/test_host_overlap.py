"""Who was busy and who waited, in captures of which it is known."""

import numpy as np
import pytest
from random_traces import capture, capture_of_hosts

from tfprof.analyses.between_hosts.slow_hosts import straggling_hosts
from tfprof.analyses.overlap.fragments import missing_parts
from tfprof.analyses.overlap.host_overlap import overlap
from tfprof.analyses.overlap.host_steps import host_steps
from tfprof.analyses.step_time.breakdown import breakdowns
from tfprof.renderers.data.encode import encoded
from tfprof.reports.steps import Query, partial_of
from tfprof.reports.steps.brief import brief
from tfprof.reports.steps.overlap_words import (
    devices_table,
    gaps_table,
    overlap_facts,
    straggler_texts,
)
from tfprof.results.categories import Category
from tfprof.results.host_steps import WaitedFor
from tfprof.sources.find.load import Request, choose, read

PS = 1_000_000
STREAM, COPIES = "Stream #1(Compute)", "Stream #2(MemcpyH2D)"


def overlaps(space):
    return [overlap(one.planes, one.steps) for one in breakdowns(space)]


def of_planes(planes):
    (found,) = overlaps(capture(planes))
    return found


def told(space):
    """What the answer about steps says of it."""
    return partial_of(list(breakdowns(space))).finish(Query())


def facts(planes):
    return dict(overlap_facts(told(capture(planes))))


@pytest.fixture
def sample(samples):
    def load(name):
        (found,) = overlaps(space_of(samples, name))
        return found

    return load


def space_of(samples, name):
    (selection,) = choose(Request([samples / f"xplane/{name}.xplane.pb"])).selections
    return read(selection).trace.space


def markers(steps=4, period=100, duration=None):
    return [
        ("train", period * n, duration or period, {"step_num": n, "_r": 1}) for n in range(steps)
    ]


def test_a_gpu_that_waits_for_input(sample):
    found = sample("synthetic-gpu")
    (device,) = found.devices
    # the last step ends with its marker, after 99 ms
    assert device.active.sum() / found.periods.sum() == pytest.approx(330 / 999)
    assert (device.compute == 30_000 * PS).all()
    assert (device.copies == 3_000 * PS).all()
    assert not device.copies_hidden.any()
    assert (device.finished == 96_500 * PS).all()
    gap = found.gaps[0]
    assert (gap.begin, gap.length, gap.step) == (96_500 * PS, 66_500 * PS, 1)
    (did,) = gap.meanwhile
    assert did.what == "IteratorGetNext"
    assert did.share == pytest.approx(60 / 66.5)
    # kernels of 6 ms wait in the queue: launches, 1 ms apart, hold nothing up
    (launches,) = found.launches
    assert (launches.kernel, launches.interval) == (6_000 * PS, 1_000 * PS)
    assert launches.delay == 13_500 * PS
    assert launches.launches == 50
    assert not launches.bound.any()
    assert not found.stragglers


def test_ops_on_the_cpu(sample):
    found = sample("slow-cb")
    assert not found.devices
    assert found.cpu.model.sum() / found.periods.sum() == pytest.approx(0.35, abs=0.01)
    pools = {pool.name: pool.threads for pool in found.cpu.pools}
    assert pools == {"tf_Compute": 2, "tf_data_private_threadpool": 2, "tf_numa_-1_Eigen": 2}
    assert {gap.meanwhile[0].what for gap in found.gaps[:5]} == {"IteratorGetNext"}
    busy = sum(pool.busy for pool in found.cpu.pools) / found.periods.sum()
    assert 1 < busy < 6


def test_copies_under_kernels_are_hidden():
    planes = {
        "/host:CPU": {"python": markers(2)},
        "/device:GPU:0": {
            STREAM: [("gemm", 10, 40), ("gemm", 110, 40)],
            COPIES: [("MemcpyH2D", 30, 40), ("MemcpyH2D", 130, 10)],
            "Framework Ops - from #1": [("MatMul", 0, 100)],
        },
    }  # fmt: skip
    (device,) = of_planes(planes).devices
    assert (device.active // PS).tolist() == [60, 40]
    assert (device.copies // PS).tolist() == [40, 10]
    assert (device.copies_hidden // PS).tolist() == [20, 10]
    assert "computes 40.0% of the time, copies 10.0%" in facts(planes)["Busy"]


@pytest.mark.parametrize("what", ["save/SaveV2:SaveV2", "my own note", "XlaCompile"])
def test_a_gap_is_told_by_what_went_on(what):
    found = of_planes({
        "/host:CPU": {
            "python": [*markers(3), ("EagerExecute", 105, 90), (what, 110, 70)],
            "tf_data_private_threadpool/1": [("resize:ResizeBilinear", 100, 90)],
        },
        "/device:GPU:0": {STREAM: [("gemm", 0, 100), ("gemm", 190, 110)]},
    })  # fmt: skip
    (gap,) = found.gaps
    assert (gap.begin // PS, gap.length // PS, gap.step) == (100, 90, 1)
    assert gap.meanwhile[0].what in ("SaveV2", what)
    assert gap.meanwhile[0].share == pytest.approx(70 / 90)


def test_a_gap_nobody_explains():
    planes = {
        "/host:CPU": {"python": markers(2, period=200, duration=100)},
        "/device:GPU:0": {STREAM: [("gemm", 0, 100), ("gemm", 200, 100)]},
    }  # fmt: skip
    (gap,) = of_planes(planes).gaps
    assert [(did.what, did.share) for did in gap.meanwhile] == [("Python outside TensorFlow", 1.0)]
    # frames tell at least where
    planes["/host:CPU"]["python"] += [("EagerExecute", 100, 100), ("FunctionRun", 110, 90)]
    (gap,) = of_planes(planes).gaps
    (did,) = gap.meanwhile
    assert (did.what, did.share) == ("Python, runtime: FunctionRun", pytest.approx(1))


def test_devices_that_idle_together_have_one_gap():
    kernels = {STREAM: [("gemm", 0, 50), ("gemm", 100, 100)]}
    planes = {
        "/host:CPU": {"python": markers(2)},
        **{f"/device:GPU:{n}": kernels for n in range(3)},
        "/device:GPU:3": {},
    }  # fmt: skip
    found = of_planes(planes)
    (gap,) = found.gaps
    assert len(gap.idle) == 3
    assert "50 µs of 3 devices in step 0" in facts(planes)["Longest gap"]
    # a device that never ran anything is not idle
    assert len(found.devices) == 3


def launching(interval, kernel, steps=3):
    """Each kernel starts 2 µs after its launch began, and nothing is queued."""
    calls, kernels = [], []
    for number, start in enumerate(range(0, 100 * steps, interval)):
        stats = {"correlation_id": number}
        calls.append(("cuLaunchKernel", start, 2, {**stats, "device_id": 0}))
        kernels.append(("gemm", start + 2, kernel, stats))
    return {
        "/host:CPU": {"python": [*markers(steps), *calls]},
        "/device:GPU:0": {STREAM: kernels},
    }


def test_steps_that_wait_for_launches():
    planes = launching(interval=10, kernel=3)
    (launches,) = of_planes(planes).launches
    assert launches.bound.all()
    assert (launches.kernel // PS, launches.interval // PS, launches.delay // PS) == (3, 10, 2)
    assert launches.idle_share > 0.9
    assert "launch-bound in 3 of 3 steps" in facts(planes)["Waiting"]


def test_long_kernels_do_not_wait_for_launches():
    (launches,) = of_planes(launching(interval=10, kernel=9)).launches
    assert not launches.bound.any()


def test_a_wait_for_input_between_launches_is_none_for_launches():
    planes = launching(interval=20, kernel=3)
    assert of_planes(planes).launches[0].bound.all()
    planes["/host:CPU"]["tf_data_iterator_get_next/1"] = [
        ("IteratorGetNextOp::DoCompute", start + 2, 18) for start in range(0, 300, 20)
    ]
    (launches,) = of_planes(planes).launches
    assert not launches.bound.any()


def devices_with(kernels):
    """Steps of 100 µs; `kernels` are events of each device, relative to a step."""
    lines = {
        f"/device:GPU:{n}": {
            STREAM: [(name, 100 * step + at, time) for step in range(4) for name, at, time in mine]
        }
        for n, mine in enumerate(kernels)
    }
    return {"/host:CPU": {"python": markers(4)}, **lines}


def test_a_device_that_the_others_wait_for_in_a_collective():
    fast = [("gemm", 0, 40), ("ncclDevKernel_AllReduce", 40, 50)]
    slow = [("gemm", 0, 80), ("ncclDevKernel_AllReduce", 80, 10)]
    planes = devices_with([fast, slow, fast])
    found = of_planes(planes)
    (straggler,) = found.stragglers
    assert (straggler.name, straggler.took) == ("/device:GPU:1", "work")
    assert (straggler.steps, straggler.behind // PS) == (4, 40)
    assert straggler.share == pytest.approx(0.4)
    (text,) = straggler_texts(told(capture(planes)))
    assert text == "/gpu:1 works longer than the others in 4 of 4 steps, by 40 µs (40.0%)"
    assert [one.collectives.sum() // PS for one in found.devices] == [200, 40, 200]


def test_a_device_that_starts_late():
    found = of_planes(devices_with([[("gemm", 0, 40)], [("gemm", 30, 40)]]))
    (straggler,) = found.stragglers
    assert (straggler.name, straggler.took) == ("/device:GPU:1", "end")


def test_devices_that_are_alike_have_no_straggler():
    planes = devices_with([[("gemm", 0, 40)], [("gemm", 2, 41)], [("gemm", 0, 42)]])
    assert not of_planes(planes).stragglers


def test_a_host_that_takes_longer():
    hosts = {
        name: {"/host:CPU": {"python": markers(5, duration=duration)}}
        for name, duration in (("a", 60), ("b", 95), ("c", 62))
    }
    space = capture_of_hosts(hosts)
    found = [brief(host_steps(one)) for one in breakdowns(space)]
    (straggler,) = straggling_hosts(found)
    assert (straggler.name, straggler.steps) == ("b", 5)
    assert "host b takes longer" in dict(overlap_facts(told(space)))["Waiting"]
    assert not straggling_hosts(found[:1])
    assert not straggling_hosts([found[0], found[2]])


def test_hosts_whose_steps_are_found_by_other_rules_are_not_compared():
    asks = [("IteratorGetNextOp::DoCompute", 100 * number, 90) for number in range(6)]
    hosts = {
        "a": {"/host:CPU": {"python": asks}},
        "b": {"/host:CPU": {"python": markers(5, duration=20)}},
    }
    found = [brief(host_steps(one)) for one in breakdowns(capture_of_hosts(hosts))]
    assert [one.steps.rule for one in found] == ["input", "step_num"]
    assert not straggling_hosts(found)


def test_a_device_that_waits_for_input_does_nothing():
    ops = [("infeed.1", 0, 40), ("fusion.2", 40, 30)]
    (device,) = of_planes({"/device:TPU:0": {"Steps": [("0", 0, 100)], "XLA Ops": ops}}).devices
    assert device.active.tolist() == [30 * PS]


def test_in_a_gap_other_threads_tell_what_the_thread_of_the_steps_does_not():
    found = of_planes(
        {
            "/host:CPU": {
                "python": markers(2),
                "tf_Compute/1": [("ExecutorState::Process", 0, 200)],
            },
            "/device:GPU:0": {STREAM: [("gemm", 0, 50), ("gemm", 100, 50)]},
        }
    )
    (did,) = found.gaps[0].meanwhile
    assert (did.what, did.share) == ("Python, runtime: ExecutorState::Process", 1.0)


def test_devices_of_two_tasks_are_told_apart():
    streams = "/job:worker/replica:0/task:{}/device:GPU:0/stream:all"
    planes = (
        {
            streams.format(task): {"x": [("k:MatMul", 10 * step, 4 + task, {"step": step})
                                         for step in range(4)]}
            for task in (0, 1)
        }
    )  # fmt: skip
    short = ["/job:worker/task:0/gpu:0", "/job:worker/task:1/gpu:0"]
    found = told(capture(planes))
    data = encoded(found)
    assert [one["device"] for one in data["devices"]] == short
    assert [row[0] for row in devices_table(found).rows] == short
    assert all(name in dict(overlap_facts(found))["Busy"] for name in short)
    assert [one["name"] for one in data["stragglers"]] == short[1:]


def test_threads_of_pools():
    found = of_planes({
        "/host:CPU": {
            "python": markers(2),
            "tf_Compute/1": [("a/MatMul:MatMul", 0, 100)],
            "tf_Compute/2": [("ExecutorState::Process", 50, 100), ("b/Mul:Mul", 60, 20)],
            "tf_numa_-1_Eigen/3": [
                ("ThreadpoolListener::StartRegion", 10, 0),
                ("ThreadpoolListener::Record", 12, 0),
                ("ThreadpoolListener::StopRegion", 30, 0),
                ("ThreadpoolListener::StopRegion", 40, 0),
            ],
        },
    })  # fmt: skip
    pools = {pool.name: (pool.threads, pool.busy // PS) for pool in found.cpu.pools}
    assert pools == {"tf_Compute": (2, 200), "tf_numa_-1_Eigen": (1, 20)}
    assert (found.cpu.model // PS).tolist() == [100, 0]


def test_numbers_are_the_same_in_json_and_tables(samples):
    found = told(space_of(samples, "synthetic-gpu"))
    data = encoded(found)
    (device,) = data["devices"]
    (row,) = devices_table(found).rows
    assert row[:4] == [device[key] for key in ("device", "busy", "busy_us", "copy_wait_us")]
    assert len(device["busy_us_by_step"]) == 10
    first = gaps_table(found).rows[0]
    assert first[:3] == [data["gaps"][0][key] for key in ("step", "begin_us", "length_us")]
    assert all(len(f"{label:13}{text}") <= 80 for label, text in overlap_facts(found))
    assert np.isclose(data["launches"][0]["idle_share"], 0.5 / 66.9)


def test_a_queue_that_is_not_empty_is_no_wait_for_input():
    planes = {
        "/host:CPU": {
            "python": markers(2),
            "tf_data_iterator_get_next/1": [
                ("IteratorGetNextOp::DoCompute", 10, 60), ("IteratorGetNextOp::DoCompute", 110, 60)
            ],
            "tf_Compute/2": [
                ("cuLaunchKernel", 0, 5, {"correlation_id": 1}),
                ("cuLaunchKernel", 170, 5, {"correlation_id": 2}),
            ],
        },
        "/device:GPU:0": {STREAM: [
            ("gemm", 70, 30, {"correlation_id": 1}), ("gemm", 180, 20, {"correlation_id": 2})
        ]},
    }  # fmt: skip
    found = told(capture(planes))
    first, second = found.steps
    # launched at 0, begun at 70: the wait of the host holds nothing up
    assert first.breakdown[Category.INPUT] == 0
    assert second.breakdown[Category.INPUT] == 60 * PS
    (device,) = partial_of(list(breakdowns(capture(planes)))).first.devices
    waited = {reason.value: times for reason, times in device.waited.items()}
    assert waited["input"] == (0, 60 * PS)
    assert waited["launch"][0] == 70 * PS


@pytest.mark.parametrize(
    ("lines", "bound", "share"),
    [
        ({STREAM: [("gemm", 0, 80)]}, "compute-bound", 0.8),
        ({STREAM: [("gemm", 0, 30), ("ncclDevKernel_AllReduce", 30, 50)]},
         "communication-bound", 0.5),
        ({STREAM: [("gemm", 0, 30)], COPIES: [("MemcpyH2D", 20, 70)]}, "copy-bound", 0.6),
        ({STREAM: [("gemm", 0, 1)]}, "not recorded", 0.99),
    ],
)  # fmt: skip
def test_what_a_step_is_bound_by(lines, bound, share):
    planes = {"/host:CPU": {"python": markers(1)}, "/device:GPU:0": lines}
    verdict = told(capture(planes)).verdict
    assert verdict.name.value == bound
    assert verdict.share == pytest.approx(share)
    assert sum(verdict.evidence.values()) == pytest.approx(1)


def test_waiting_for_a_copy_of_xla_is_no_computing():
    shape = "f32[8]{0:T(128)}"
    done = f"%copy-done.2 = {shape} copy-done(({shape}, {shape[:-1]}S(5)}}, u32[]) %copy-start.2)"
    ops = [(done, 0, 90), ("%fusion.1 = f32[8] fusion()", 90, 10)]
    planes = {"/device:TPU:0": {"Steps": [("0", 0, 100)], "XLA Ops": ops}}
    found = told(capture(planes))
    assert found.verdict.name.value == "copy-bound"
    assert found.average.breakdown[Category.HOST_TO_DEVICE] == 90 * PS
    (device,) = found.devices
    assert (device.copy_wait, device.busy_mean, device.idle) == (90 * PS, 10 * PS, 0)


def test_devices_that_begin_late_are_idle_in_the_step_and_not_in_their_span():
    planes = {
        "/device:GPU:0": {STREAM: [("gemm", 0, 10), ("gemm", 15, 5)], "Steps": [("0", 0, 20)]},
        "/device:GPU:1": {STREAM: [("gemm", 80, 20)], "Steps": [("0", 80, 20)]},
    }
    first, second = told(capture(planes)).devices
    assert (first.idle, first.idle_in_span) == (85 * PS, pytest.approx(0.25))
    assert (second.idle, second.idle_in_span) == (80 * PS, pytest.approx(0.0))
    assert first.waited_for[WaitedFor.DEVICE] == 20 * PS


def test_who_waits_least_at_barriers_comes_last():
    planes = {
        f"/device:TPU:{core}": {
            "Steps": [("0", 0, 100)],
            "XLA Ops": [("%fusion.1 = f32[8] fusion()", 0, 90)],
            "XLA TraceMe": [("barrier-cores", 90, wait), ("dependency-wait", 0, 1)],
        }
        for core, wait in enumerate((1, 9, 10))
    }
    found = told(capture(planes))
    assert [one.barriers for one in found.devices] == [PS, 9 * PS, 10 * PS]
    said = dict(overlap_facts(found))["Barriers"]
    assert said == "/tpu:2 waited 10 µs, /tpu:0 1 µs: the others wait for /tpu:0"


def test_a_capture_without_some_of_its_towers_is_a_fragment():
    def tower(number, op):
        kernel = ("k", 0, 10, {"tf_op": f"replica_{number}/dense/{op}:{op}"})
        return {STREAM: [kernel], "Steps": [("0", 0, 10)]}

    def said(*planes):
        return missing_parts(capture(dict(planes)))

    first, third = "/device:GPU:0", "/device:GPU:2"
    assert said((first, tower(0, "MatMul")), (third, tower(1, "MatMul"))) == []
    (towers,) = said((first, tower(0, "MatMul")), (third, tower(2, "MatMul")))
    assert towers == "only the replicas 0, 2 of at least 3 were recorded"
    (products,) = said((first, tower(0, "Cast")))
    assert products == "no matrix product is among the kernels, and 1 node is named after one"
