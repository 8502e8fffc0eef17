"""What to change about a pipeline: only where it helps, and nothing that is not known."""

from dataclasses import replace

import pytest

import tfprof
from tfprof.analyses.advice.of_runs.input_bound import changes
from tfprof.analyses.input_pipeline.host_input import input_of_hosts
from tfprof.reports.input.partial import InputPartial
from tfprof.results.input import Waiting


@pytest.fixture
def host(samples):
    """A parallel map and batch that the model waits for."""
    (found,) = input_of_hosts(tfprof.load(samples / "xplane/fast-trace.xplane.pb").trace.space)
    return found


def advised(host, **changed):
    (pipeline,) = host.pipelines
    stages = list(pipeline.stages)
    at = pipeline.slow.stage
    stages[at] = replace(stages[at], **changed)
    return [one.advice for one in changes(replace(pipeline, stages=tuple(stages)))]


def test_nothing_is_to_be_changed_where_the_model_hardly_waits(host):
    assert InputPartial((host,)).finish().pipelines[0].advice
    quick = replace(host, waiting=Waiting(1, 100, 10, 10, by_steps=True))
    assert InputPartial((quick,)).finish().pipelines[0].advice == ()


@pytest.mark.parametrize(
    ("parallelism", "autotuned", "said"),
    [
        (None, None, "how many elements map works on at once was not recorded"),
        (1, True, "map works on 1 element at once, as autotuned"),
        (2, True, "map already works on 2 elements at once"),
        (1, False, "map uses 1 of 2 threads: give it num_parallel_calls=tf.data.AUTOTUNE"),
    ],
)
def test_what_is_said_about_threads_is_known(host, parallelism, autotuned, said):
    first = advised(host, parallelism=parallelism, autotuned=autotuned)[0]
    assert first.startswith(said)


def test_without_a_number_of_threads_there_is_nothing_to_compare_with(host):
    (pipeline,) = host.pipelines
    budget = replace(pipeline.budget, cpu=None, threads=None)
    bare = replace(host, pipelines=(replace(pipeline, budget=budget),))
    said = advised(bare, parallelism=1, autotuned=False)[0]
    assert (
        said == "map works on 1 element at once: num_parallel_calls=tf.data.AUTOTUNE may find more."
    )
