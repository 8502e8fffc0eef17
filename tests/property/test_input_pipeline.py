"""Times of random pipelines add up, whatever their ids and threads are."""

import random

import numpy as np
import pytest
from pipeline_maker import Maker, call, detached_calls, random_chain, random_tree

from tfprof.analyses.events.intervals import Intervals
from tfprof.analyses.input_events.waits import wait_rows
from tfprof.analyses.input_pipeline.pipelines import pipelines
from tfprof.analyses.input_pipeline.stage_times import stage_times

LENGTH = 10_000


def _made(rng, tree):
    """The tree called a few times by the model, one call after the other."""
    maker = Maker()
    cuts = sorted(rng.sample(range(LENGTH), 2 * rng.randint(1, 6)))
    spans = list(zip(cuts[::2], cuts[1::2], strict=True))
    for start, end in spans:
        maker.add(0, "IteratorGetNextOp::DoCompute", start, end, id=1)
        call(maker, rng, tree, 0, (start, end))
    detached_calls(maker, rng, tree, LENGTH, 0)
    return maker.space(), spans


def _timed(space):
    (threads,) = space.host_threads
    rows = wait_rows(threads)
    waits = Intervals.union(threads.events.start_ps[rows], threads.events.end_ps[rows])
    (pipeline,) = pipelines(threads).of_host
    return pipeline, stage_times(pipeline, waits), waits


@pytest.mark.parametrize("seed", range(60))
def test_self_times_on_one_thread_are_the_time_of_the_root(seed):
    rng = random.Random(seed)  # noqa: S311
    tree = random_tree(rng)
    space, spans = _made(rng, tree)
    pipeline, times, _ = _timed(space)
    whole = sum(end - start for start, end in spans)
    assert {stage.path for stage in pipeline.stages} == {one.name for one in tree.stages()}
    assert not any(stage.detached for stage in pipeline.stages)
    assert sum(one.self_time for one in times) == whole
    assert sum(one.blocking for one in times) == whole
    # on one thread, all that a stage does is waited for
    assert all(one.self_time == one.blocking for one in times)
    assert sum(len(stage.calls) for stage in pipeline.stages) == len(pipeline.calls)


@pytest.mark.parametrize("seed", range(60))
def test_what_blocks_adds_up_to_the_wait_on_any_threads(seed):
    rng = random.Random(1000 + seed)  # noqa: S311
    chain = random_chain(rng)
    space, _ = _made(rng, chain)
    pipeline, times, waits = _timed(space)
    assert [stage.path for stage in pipeline.stages] == [one.name for one in chain.stages()]
    assert [stage.detached for stage in pipeline.stages] == [one.detached for one in chain.stages()]
    assert sum(one.blocking for one in times) == waits.length
    for stage, one in zip(pipeline.stages, times, strict=True):
        assert 0 <= one.self_time <= one.total
        assert (one.own >= 0).all()
        spans = Intervals.union(pipeline.calls.start[stage.calls], pipeline.calls.end[stage.calls])
        assert one.blocked.both(spans).length == one.blocking <= spans.length


@pytest.mark.parametrize("seed", range(30))
def test_blocking_is_what_an_instant_by_instant_look_says(seed):
    """At each picosecond of a wait, the lowest stage that the chain of calls reaches blocks."""
    rng = random.Random(2000 + seed)  # noqa: S311
    space, _ = _made(rng, random_chain(rng))
    pipeline, times, waits = _timed(space)
    running = np.zeros((len(pipeline.stages), LENGTH), bool)
    for at, stage in enumerate(pipeline.stages):
        for row in stage.calls.tolist():
            running[at, pipeline.calls.start[row] : pipeline.calls.end[row]] = True
    waiting = np.zeros(LENGTH, bool)
    for start, end in zip(waits.starts.tolist(), waits.ends.tolist(), strict=True):
        waiting[start:end] = True
    reached = np.logical_and.accumulate(running, axis=0) & waiting
    below = np.vstack([reached[1:], np.zeros((1, LENGTH), bool)])
    assert [one.blocking for one in times] == (reached & ~below).sum(axis=1).tolist()
