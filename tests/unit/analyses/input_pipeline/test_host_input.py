"""Input pipelines: which waits count, which stages there are, and which one is to blame."""

import numpy as np
import pytest
from pipeline_maker import Maker
from random_traces import capture

import tfprof
from tfprof.analyses.input_events.iterators import stage_path
from tfprof.analyses.input_events.waits import wait_rows
from tfprof.analyses.input_pipeline.host_input import input_of_hosts
from tfprof.analyses.input_pipeline.pipelines import Stage, pipelines
from tfprof.analyses.input_pipeline.stage_kinds import kind_of
from tfprof.analyses.input_pipeline.xprof_categories import work_of
from tfprof.results.input import InputWork, PrefetchBuffer, StageKind

MS = 1_000_000_000
ROOT = "Iterator::Root"
BIG = (1 << 63) + 12345


@pytest.fixture
def found(samples):
    def find(name):
        (host,) = input_of_hosts(tfprof.load(samples / f"xplane/{name}.xplane.pb").trace.space)
        return host

    return find


@pytest.fixture
def space(samples):
    return lambda name: tfprof.load(samples / f"xplane/{name}.xplane.pb").trace.space


# name, waits, stage to blame, share of the steps that is waited for
CAPTURES = [
    ("slow-cb", 8, "Iterator::Root::BatchV2::Map", (0.55, 0.72)),
    ("slow-trace", 8, "Iterator::Root::BatchV2::Map", (0.53, 0.66)),
    ("fast-cb", 8, None, (0.0, 0.01)),
    ("fast-trace", 8, "Iterator::Root::Prefetch::MapAndBatch", (0.36, 0.38)),
]


@pytest.mark.parametrize(("name", "calls", "stage", "between"), CAPTURES)
def test_known_captures(found, space, name, calls, stage, between):
    host = found(name)
    (pipeline,) = host.pipelines
    assert pipeline.bottleneck == stage
    assert between[0] <= host.waiting.share <= between[1]
    (threads,) = space(name).host_threads
    assert len(wait_rows(threads)) == calls == pipeline.calls
    assert host.device_side == 0


@pytest.mark.parametrize(("name", "self_time"), [("slow-cb", 1_204_683), ("slow-trace", 523_200)])
def test_the_map_takes_nearly_all(found, name, self_time):
    """XProf's removed tool blamed the batch: it read ids above 2**63 as 0."""
    (pipeline,) = found(name).pipelines
    map_ = pipeline.stages[2]
    assert (map_.label, map_.calls) == ("Map", 128)
    assert map_.self_time // 1_000_000 == self_time
    assert map_.self_time > 0.99 * sum(stage.self_time for stage in pipeline.stages)
    assert map_.self_time == map_.blocking


def test_functions_are_found_on_the_threads_that_run_them(found):
    (pipeline,) = found("slow-cb").pipelines
    assert {op.op for op in pipeline.functions[:20]} == {"ResizeBilinear"}
    assert {op.at for op in pipeline.functions} == {2}
    whole = sum(op.self_time for op in pipeline.functions)
    # not more than the map took, for it ran one after the other; and most of it
    assert 0.8 * pipeline.stages[2].self_time < whole < pipeline.stages[2].self_time
    assert all(op.runs % 128 == 0 for op in pipeline.functions)


def test_settings_are_what_the_iterators_note(found):
    (pipeline,) = found("fast-trace").pipelines
    _, prefetch, fused, source = pipeline.stages
    assert (prefetch.autotuned, prefetch.autotune_mode) == (True, "legacy")
    assert prefetch.buffered == PrefetchBuffer(0, 2, 0.625)
    assert (fused.parallelism, fused.autotuned, fused.batch_size) == (2, True, 16)
    assert fused.fused == ("ParallelMapDatasetV2", "BatchDatasetV2")
    assert (source.parallelism, source.autotuned, source.buffered) == (None, None, None)
    budget = pipeline.budget
    assert (budget.algorithm, budget.cpu, budget.threads) == ("DEFAULT", 2, 2)
    assert budget.ram == 9_335_000_000
    assert (budget.ram_used, budget.ram_of_machine) == (6_843_000_000, 25_274_000_000)


def test_elements_are_followed_through_the_buffer(found):
    (fast,) = found("fast-cb").pipelines
    (slow,) = found("fast-trace").pipelines
    ahead = [pipeline.stages[1].ready_ahead for pipeline in (fast, slow)]
    assert ahead[0] > 50 * MS
    assert ahead[1] < MS


def test_waits_without_iterators_are_still_waits(found):
    host = found("synthetic-gpu")
    assert not host.pipelines
    assert host.waiting.share == pytest.approx(0.6)


def _model_call(maker, start, end, root=7, line=0, name=ROOT):
    maker.add(line, "IteratorGetNextOp::DoCompute", start, end, id=start)
    maker.add(line, name, start, end, id=root)


def _spans(space):
    (threads,) = space.host_threads
    rows, events = wait_rows(threads), threads.events
    return sorted(zip(events.start_ps[rows].tolist(), events.end_ps[rows].tolist(), strict=True))


def test_nested_waits_count_once():
    maker = Maker()
    _model_call(maker, 10, 20)
    maker.add(0, "IteratorGetNextOp::DoCompute", 12, 15, id=3)
    _model_call(maker, 30, 50, line=1)
    maker.add(2, "IteratorGetNextAsOptionalOp::DoCompute", 40, 60, id=3)
    assert _spans(maker.space()) == [(10, 20), (30, 50), (40, 60)]


def test_what_a_producer_fetches_is_no_wait_of_the_model():
    maker = Maker()
    _model_call(maker, 10, 20)
    maker.add(1, "PrefetchProduce", 0, 100, element_id=1)
    maker.add(1, f"{ROOT}::Prefetch::Generator", 0, 100, id=8)
    maker.add(1, "IteratorGetNextOp::DoCompute", 40, 60, id=3)
    assert _spans(maker.space()) == [(10, 20)]


@pytest.mark.parametrize(
    "name",
    [
        "Iterator::Root",
        "EagerLocalExecute: IteratorGetNext",
        "while/IteratorGetNext:IteratorGetNext",
    ],
)
def test_without_the_kernel_something_else_tells(name):
    maker = Maker()
    maker.add(0, "python", 0, 100)
    maker.add(0, name, 10, 20, id=4)
    maker.add(0, name, 30, 35, id=4)
    assert _spans(maker.space()) == [(10, 20), (30, 35)]


def test_nothing_of_tf_data_is_nothing():
    maker = Maker()
    maker.add(0, "MatMul:MatMul", 0, 100)
    space = maker.space()
    assert _spans(space) == []
    (host,) = input_of_hosts(space)
    assert (host.waiting, list(host.pipelines)) == (None, [])


def test_without_ids_paths_tell_what_belongs_together():
    maker = Maker()
    for start in (0, 100):
        maker.add(0, "IteratorGetNextOp::DoCompute", start, start + 50)
        maker.add(0, ROOT, start, start + 50)
        maker.add(0, f"{ROOT}::Map", start, start + 40)
    (pipeline,) = pipelines(maker.space().planes[0]).of_host
    assert [stage.label for stage in pipeline.stages] == ["Root", "Map"]
    assert pipeline.iterators == 1


def test_epochs_are_one_pipeline_and_what_lives_beside_it_another():
    maker = Maker()
    for epoch, root in enumerate((BIG, 8)):
        for start in (0, 200):
            _model_call(maker, 1000 * epoch + start, 1000 * epoch + start + 10, root)
    for start in (50, 1050):
        _model_call(maker, start, start + 10, root=9)
    of_host = pipelines(maker.space().planes[0]).of_host
    assert sorted((one.iterators, len(one.first.calls)) for one in of_host) == [(1, 2), (2, 4)]


def test_ids_that_are_used_again_do_not_mix_epochs():
    maker = Maker()
    for epoch, root in enumerate((5, 6)):
        at = 1000 * epoch
        _model_call(maker, at, at + 100, root)
        maker.add(0, f"{ROOT}::Prefetch", at, at + 100, id=8, parent_id=root)
        maker.add(1, f"{ROOT}::Prefetch::Map", at + 10, at + 90, id=9, parent_id=8)
    # the other pipeline has an iterator of its own all the time
    for at in (200, 1200):
        _model_call(maker, at, at + 100, root=7)
        maker.add(0, f"{ROOT}::Take", at, at + 100, id=10, parent_id=7)
    first, second = pipelines(maker.space().planes[0]).of_host
    assert [(s.label, len(s.calls)) for s in first.stages] == [
        ("Root", 2), ("Prefetch", 2), ("Map", 2),
    ]  # fmt: skip
    assert [(s.label, len(s.calls)) for s in second.stages] == [("Root", 2), ("Take", 2)]


def _made(maker, at):
    maker.add(0, "EagerLocalExecute: MakeIterator", at - 20, at)
    maker.add(0, "MakeIterator:MakeIterator", at - 10, at - 5)


def _lives(maker):
    of_host = pipelines(maker.space().planes[0]).of_host
    return sorted((one.iterators, len(one.first.calls)) for one in of_host)


def test_an_iterator_made_where_another_was_has_its_id_and_is_another():
    maker = Maker()
    for epoch, root in enumerate((5, 5, 6, 5)):
        _made(maker, 1000 * epoch + 50)
        for at in (100, 300):
            _model_call(maker, 1000 * epoch + at, 1000 * epoch + at + 10, root)
    assert _lives(maker) == [(4, 8)]


def test_an_iterator_goes_on_while_others_are_made():
    """Those of a validation, which take each other's place."""
    maker = Maker()
    _made(maker, 50)
    for epoch in range(3):
        for at in (1000 * epoch + 100, 1000 * epoch + 300):
            _model_call(maker, at, at + 10, root=5)
            maker.add(0, f"{ROOT}::Map", at, at + 5, id=9, parent_id=5)
        _made(maker, 1000 * epoch + 500)
        at = 1000 * epoch + 600
        _model_call(maker, at, at + 10, root=6)
        maker.add(0, f"{ROOT}::Take", at, at + 5, id=10, parent_id=6)
    assert _lives(maker) == [(1, 6), (3, 3)]


def test_two_that_are_made_before_either_is_asked_are_two():
    maker = Maker()
    for at in (50, 80):
        _made(maker, at)
    for at in (100, 300):
        _model_call(maker, at, at + 10, root=5)
        _model_call(maker, at + 20, at + 30, root=6)
    assert _lives(maker) == [(1, 2), (1, 2)]


def test_a_loop_within_a_function_reads_from_below_itself():
    maker = Maker()
    loop = "ReduceIterator::Root::Prefetch::Scan"
    for at in (0, 1000):
        maker.add(0, "ReduceIterator::Root", at, at + 900, id=1)
        maker.add(1, "PrefetchProduce", at, at + 890, element_id=at)
        maker.add(1, loop, at, at + 880, id=3, parent_id=2)
        maker.add(1, f"{loop}::BatchV2", at, at + 100, id=4, parent_id=3)
        maker.add(1, f"{loop}::BatchV2::Map", at, at + 90, id=5, parent_id=4)
        # the step itself
        maker.add(1, "InstantiatedCapturedFunction::Run", at + 100, at + 880, id=77)
    space = maker.space()
    assert _spans(space) == [(0, 100), (1000, 1100)]
    (host,) = input_of_hosts(space)
    (pipeline,) = host.pipelines
    assert [(s.label, s.blocking) for s in pipeline.stages] == [
        ("BatchV2", 20), ("Map", 180),
    ]  # fmt: skip


def test_device_side_iterators_are_counted_not_shown():
    maker = Maker()
    _model_call(maker, 0, 10, root=1, name="Iterator::Prefetch")
    maker.add(1, "Iterator::Prefetch::Generator", 0, 9, id=2, parent_id=1)
    maker.add(2, ROOT, 0, 8, id=3)
    found = pipelines(maker.space().planes[0])
    assert [one.first.path for one in found.of_host] == [ROOT]
    assert found.device_side == 1


def test_ids_that_lead_in_circles_do_no_harm():
    maker = Maker()
    maker.add(0, ROOT, 0, 10, id=1, parent_id=3)
    maker.add(1, f"{ROOT}::Map", 0, 10, id=2, parent_id=1)
    maker.add(2, f"{ROOT}::Take", 0, 10, id=3, parent_id=4)
    maker.add(3, f"{ROOT}::Skip", 0, 10, id=4, parent_id=3)
    (host,) = input_of_hosts(maker.space())
    for pipeline in host.pipelines:
        assert all(stage.calls for stage in pipeline.stages)


def _slow_calls(waits, step=100 * MS):
    """A map that takes so many milliseconds in each step."""
    maker = Maker()
    for number, wait in enumerate(waits):
        start = number * step
        maker.add(1, "train", start, start + step - 1, step_num=number, _r=1)
        _model_call(maker, start, start + wait * MS)
        maker.add(0, f"{ROOT}::Map", start, start + wait * MS, id=8, parent_id=7)
    (host,) = input_of_hosts(maker.space())
    return host.pipelines[0]


def test_the_slowest_call_alone_is_no_bottleneck():
    assert _slow_calls([90, 1, 1, 1, 1, 1, 1, 1]).bottleneck is None
    assert _slow_calls([1, 1, 1, 1, 90, 1, 1, 1]).bottleneck is None


def test_waits_that_come_again_and_again_are_one():
    pipeline = _slow_calls([1, 1, 60, 1, 1, 60, 1, 1, 60, 1])
    assert pipeline.bottleneck == f"{ROOT}::Map"
    assert (pipeline.slow.calls, pipeline.slow.median) == (3, 60 * MS)


def test_little_of_a_step_is_no_bottleneck():
    assert _slow_calls([4] * 8).bottleneck is None
    assert _slow_calls([6] * 8).bottleneck == f"{ROOT}::Map"


def test_who_has_the_threads_is_to_blame_for_who_has_none():
    """A function that could run at once has to wait for the long ones of the stage below."""
    maker = Maker()
    for number in range(8):
        at = number * 100 * MS
        maker.add(2, "train", at, at + 100 * MS - 1, step_num=number, _r=1)
        _model_call(maker, at, at + 60 * MS)
        maker.add(0, f"{ROOT}::ParallelMapV2", at, at + 60 * MS, id=8, parent_id=7)
        maker.add(1, "ParallelMapProduce", at, at + 2 * MS, element_id=number)
        maker.add(1, f"{ROOT}::ParallelMapV2::Map", at, at + MS, id=9, parent_id=8)
        maker.add(1, "InstantiatedCapturedFunction::Run", at, at + MS // 2, id=100 + number)
        maker.add(
            1, "InstantiatedCapturedFunction::RunAsync", at + MS, at + 2 * MS, id=200 + number
        )
        maker.add(3, "ExecutorState::Process", at, at + 99 * MS, id=100 + number)
        maker.add(3, "slow:PyFunc", at, at + 98 * MS)
        maker.add(4, "ExecutorState::Process", at + 59 * MS, at + 60 * MS, id=200 + number)
        maker.add(4, "add:AddV2", at + 59 * MS, at + 60 * MS)
    (host,) = input_of_hosts(maker.space())
    (pipeline,) = host.pipelines
    assert [op.op for op in pipeline.functions] == ["PyFunc", "AddV2"]
    assert pipeline.bottleneck == f"{ROOT}::ParallelMapV2::Map"
    assert pipeline.stages[pipeline.slow.held_up].label == "ParallelMapV2"
    (brief,) = input_of_hosts(maker.space(), functions=False)
    assert brief.pipelines[0].slow == pipeline.slow


@pytest.mark.parametrize("name", [name for name, *_ in CAPTURES])
def test_the_stage_is_the_same_without_a_look_at_all_functions(space, name):
    (whole,), (brief,) = (input_of_hosts(space(name), functions=it) for it in (True, False))
    assert [one.slow for one in brief.pipelines] == [one.slow for one in whole.pipelines]
    assert not any(one.functions for one in brief.pipelines)


def test_what_began_before_the_capture_is_told():
    maker = Maker()
    for start in (0, 1000):
        _model_call(maker, start, start + 500)
        maker.add(0, f"{ROOT}::Prefetch", start, start + 500, id=8, parent_id=7)
    # what fills the buffer for the first call is not in the capture
    maker.add(1, "PrefetchProduce", 900, 1500, element_id=5)
    maker.add(1, f"{ROOT}::Prefetch::Map", 900, 1500, id=9, parent_id=8)
    (host,) = input_of_hosts(maker.space())
    _, prefetch, map_ = host.pipelines[0].stages
    assert map_.asynchronous
    assert (prefetch.blocking, prefetch.unseen) == (500, 500)
    assert (map_.blocking, map_.self_time) == (500, 600)


@pytest.mark.parametrize(
    ("event", "path"),
    [
        ("Iterator::Root::FlatMap[7]::Range", "Iterator::Root::FlatMap::Range"),
        ("Iterator::Root::Zip[1]::Map", "Iterator::Root::Zip[1]::Map"),
        ("Iterator::Root::ParallelInterleaveV4[12]::TFRecord",
         "Iterator::Root::ParallelInterleaveV4::TFRecord"),
    ],
)  # fmt: skip
def test_inputs_one_after_the_other_are_one_stage(event, path):
    assert stage_path(event) == path


@pytest.mark.parametrize(
    ("path", "kind", "work"),
    [
        ("Iterator::Root::TFRecord", StageKind.FILES, InputWork.DEMANDED_READ),
        ("Iterator::Root::Prefetch::TFRecordV2", StageKind.FILES, InputWork.ADVANCED_READ),
        ("Iterator::Root::Prefetch::Map", StageKind.MAP, InputWork.PREPROCESSING),
        ("Iterator::Root::ParallelMapV2", StageKind.PARALLEL_MAP, InputWork.PREPROCESSING),
        ("Iterator::Root::MapAndBatch", StageKind.PARALLEL_MAP, InputWork.PREPROCESSING),
        ("Iterator::Root::FlatMap::Generator", StageKind.GENERATOR, InputWork.PREPROCESSING),
        ("Iterator::Root::BatchV2", StageKind.BATCH, InputWork.PREPROCESSING),
        ("Iterator::Root", StageKind.ROOT, InputWork.PREPROCESSING),
        ("Iterator::Root::Take", StageKind.OTHER, InputWork.PREPROCESSING),
    ],
)
def test_stages_are_known_by_their_names(path, kind, work):
    stage = Stage(path, None, 0, detached=False, calls=np.zeros(0, np.int64))
    assert (kind_of(stage), work_of(path)) == (kind, work)


def test_a_wait_while_a_device_computes_holds_nothing_up():
    """The host runs ahead: it waits for the next input, and the device is not done yet."""
    steps = [("train", 100 * number, 95, {"step_num": number}) for number in range(4)]
    waits = [("IteratorGetNextOp::DoCompute", 100 * number + 5, 60) for number in range(4)]
    roots = [(ROOT, 100 * number + 5, 60) for number in range(4)]

    def host_with(kernels):
        stream = [("gemm", 100 * number, kernels) for number in range(4)]
        (host,) = input_of_hosts(
            capture(
                {
                    "/host:CPU": {"python": [*steps, *waits, *roots]},
                    "/device:GPU:0": {"Stream #1": stream},
                }
            )
        )
        return host

    busy, idle = host_with(99), host_with(5)
    assert (busy.waiting.waited, busy.hidden.waited) == (0, 240_000_000)
    assert busy.pipelines[0].bottleneck is None
    assert (idle.waiting.waited, idle.hidden.waited) == (240_000_000, 0)
    assert idle.pipelines[0].bottleneck == ROOT
