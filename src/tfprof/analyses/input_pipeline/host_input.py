"""All that a capture tells about its input pipelines, host by host."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from tfprof.analyses.events.intervals import Intervals
from tfprof.analyses.input_events.event_names import is_root, together
from tfprof.analyses.input_events.queue_waits import fillers, queue_wait_rows, with_queue_waits
from tfprof.analyses.input_events.waits import wait_rows
from tfprof.analyses.input_pipeline.bottleneck import bottleneck, waiting
from tfprof.analyses.input_pipeline.buffer_fills import buffer_fill
from tfprof.analyses.input_pipeline.pipelines import Pipeline, pipelines
from tfprof.analyses.input_pipeline.prefetched_elements import ready_ahead
from tfprof.analyses.input_pipeline.session_input import fetches_of
from tfprof.analyses.input_pipeline.stage_functions import function_ops
from tfprof.analyses.input_pipeline.stage_kinds import kind_of
from tfprof.analyses.input_pipeline.stage_settings import (
    Settings,
    budget,
    fused_ops,
    noted,
    settings,
    written_as,
)
from tfprof.analyses.input_pipeline.stage_times import StageTimes, stage_times
from tfprof.analyses.input_pipeline.xprof_categories import work_of
from tfprof.analyses.step_time.category_codes import CATEGORIES
from tfprof.analyses.step_time.classify import Classified
from tfprof.analyses.step_time.device_events import on_device
from tfprof.analyses.step_time.host_events import on_threads
from tfprof.analyses.step_time.queued import queued
from tfprof.analyses.step_time.thread_regions import instruction_rows
from tfprof.analyses.steps.detect import find_steps
from tfprof.model.graph import Graph
from tfprof.model.medians import median_of
from tfprof.model.xspace import Plane, Space
from tfprof.results.categories import Category
from tfprof.results.input import HostInput, InputPipeline, InputStage, Waited
from tfprof.results.step_windows import Steps

Ints = npt.NDArray[np.int64]


def input_of_hosts(
    space: Space, first: int = 0, graph: Graph | None = None, *, functions: bool = True
) -> Iterator[HostInput]:
    """Of every host that has threads, in the order of the capture; `first` is the first's rank.

    `graph` tells which queues there are. What `functions` run takes most of the time to find out.
    """
    for rank, plane in enumerate(space.host_threads, first):
        devices = [device for device in space.devices if device.host == plane.host]
        did = [Classified(device, on_device(device)) for device in devices]
        steps = find_steps(space, plane.host)
        yield _input(rank, with_queue_waits(plane), steps, did, graph, functions=functions)


def _input(
    rank: int,
    plane: Plane,
    steps: Steps,
    devices: Sequence[Classified],
    graph: Graph | None,
    *,
    functions: bool,
) -> HostInput:
    queues = queue_wait_rows(plane)
    rows = together(plane, wait_rows(plane), queues)
    asked = Intervals.union(plane.events.start_ps[rows], plane.events.ends(rows))
    waits = asked.minus(_at_work(devices)).minus(_queued(plane, devices))
    trees = pipelines(plane)
    found = [_found(one, waits, steps, functions=functions) for one in trees.of_host]
    # what the model waits for most comes first
    found.sort(key=lambda one: -sum(stage.blocking for stage in one.stages))
    return HostInput(
        rank,
        plane.host,
        steps.rule if steps.windows else None,
        waiting(waits, steps, asked.starts),
        waiting(asked.minus(waits), steps, asked.starts),
        tuple(found),
        trees.device_side,
        sum(map(_copying, devices)),
        tuple(fetches_of(plane, queues, {}, graph, fillers(plane))),
    )


def _at_work(devices: Sequence[Classified]) -> Intervals:
    """When devices did what comes before the waiting for input, as in the time of steps."""
    first = CATEGORIES[: CATEGORIES.index(Category.INPUT)]
    return Intervals.none().join(*(one.intervals(what) for one in devices for what in first))


def _queued(plane: Plane, devices: Sequence[Classified]) -> Intervals:
    """When devices had work in their queues, as in the time of steps: they wait for its launch."""
    if not any(len(one.plane.events) for one in devices):
        return Intervals.none()
    threads = Classified(plane, on_threads(plane, (), instruction_rows(plane), with_devices=True))
    return Intervals.none().join(*queued([threads, *devices]).values())


def _copying(device: Classified) -> int:
    """How long data was copied to a device."""
    return int(device.plane.events.duration_ps[device.rows(Category.HOST_TO_DEVICE)].sum())


def _found(pipeline: Pipeline, waits: Intervals, steps: Steps, *, functions: bool) -> InputPipeline:
    times = stage_times(pipeline, waits)
    said = noted(pipeline)
    mine = Intervals.none().join(*(one.blocked for one in times))
    whole = waiting(mine, steps, _asked(pipeline))
    ran = tuple(function_ops(pipeline)) if functions else ()
    ran_in = partial(function_ops, pipeline) if not functions else lambda _share: ran
    slow = bottleneck(pipeline, times, ran_in, whole)
    return InputPipeline(
        pipeline.plane.host,
        pipeline.iterators,
        len(pipeline.first.calls),
        Waited.of(whole),
        pipeline.stages[slow.stage].path if slow is not None else None,
        slow.median if slow is not None else None,
        budget(pipeline, said),
        ran,
        tuple(_stages(pipeline, times, settings(pipeline, said))),
        slow,
    )


def _stages(
    pipeline: Pipeline, times: Sequence[StageTimes], how: Sequence[Settings]
) -> Iterator[InputStage]:
    whole = sum(one.self_time for one in times)
    ahead = ready_ahead(pipeline)
    for at, (stage, took, is_set) in enumerate(zip(pipeline.stages, times, how, strict=True)):
        yield InputStage(
            name=stage.path,
            label=stage.label,
            op=is_set.op,
            parent=pipeline.stages[stage.parent].path if stage.parent is not None else None,
            calls=len(stage.calls),
            total=took.total,
            self_time=took.self_time,
            self_share=took.self_time / whole if whole else None,
            blocking=took.blocking,
            unseen=took.unseen,
            asynchronous=stage.detached,
            parallelism=is_set.parallelism,
            most_parallel=is_set.most_parallel,
            autotuned=is_set.autotuned,
            autotune_mode=is_set.autotune_mode,
            buffered=is_set.buffer,
            ready_ahead=int(median_of(ahead[at])) if at in ahead else None,
            batch_size=is_set.batch_size,
            cycle_length=is_set.cycle_length,
            shapes=is_set.shapes,
            types=is_set.types,
            fused=fused_ops(is_set.op),
            work=work_of(stage.path),
            written_as=written_as(is_set.op),
            kind=kind_of(stage),
            depth=stage.depth,
            filled=buffer_fill(pipeline, at),
        )


def _asked(pipeline: Pipeline) -> Ints:
    """When a model asked for elements, by time; unknown where the capture shows no root."""
    calls = pipeline.first.calls if is_root(pipeline.first.path) else np.zeros(0, np.int64)
    return np.sort(pipeline.calls.start[calls])
