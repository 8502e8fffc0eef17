"""All that a capture tells about its input pipelines, host by host."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tfprof.analyses.input_pipeline.bottleneck import Bottleneck, Waiting, bottleneck, waiting
from tfprof.analyses.input_pipeline.categories import Work, work_of
from tfprof.analyses.input_pipeline.elements import ready_ahead
from tfprof.analyses.input_pipeline.functions import FunctionOp, function_ops
from tfprof.analyses.input_pipeline.pipelines import Pipeline, Stage, pipelines
from tfprof.analyses.input_pipeline.settings import Budget, Settings, budget, noted, settings
from tfprof.analyses.input_pipeline.times import StageTimes, stage_times
from tfprof.analyses.input_pipeline.waits import wait_rows
from tfprof.analyses.intervals import Intervals
from tfprof.analyses.step_time.categories import Category
from tfprof.analyses.step_time.codes import code_of
from tfprof.analyses.step_time.device_events import on_device
from tfprof.analyses.steps.detect import find_steps
from tfprof.analyses.steps.windows import Steps, StepWindow
from tfprof.model.xspace import Plane, Space


@dataclass(frozen=True, slots=True)
class FoundStage:
    """`ahead` is how many picoseconds a usual element was ready before it was taken."""

    stage: Stage
    times: StageTimes
    settings: Settings
    work: Work
    ahead: int | None


@dataclass(frozen=True, slots=True)
class FoundPipeline:
    pipeline: Pipeline
    stages: Sequence[FoundStage]
    budget: Budget
    functions: Sequence[FunctionOp]
    waiting: Waiting | None
    bottleneck: Bottleneck | None

    @property
    def self_time(self) -> int:
        return sum(one.times.self_time for one in self.stages)


@dataclass(frozen=True, slots=True)
class HostInput:
    """`waiting` is for all pipelines together; `device_side` iterators are not among them.

    `copying` is how long data was copied to devices, in picoseconds.
    """

    host: str
    steps: Steps
    waiting: Waiting | None
    pipelines: Sequence[FoundPipeline]
    device_side: int
    copying: int

    def work(self) -> dict[Work, int]:
        """Self times by kind of work; what is copied to devices is put there for a step."""
        found = dict.fromkeys(Work, 0)
        for stage in (stage for one in self.pipelines for stage in one.stages):
            found[stage.work] += stage.times.self_time
        found[Work.ENQUEUE] += self.copying
        return found


def input_of_hosts(space: Space) -> Iterator[HostInput]:
    """Of every host that has threads, in the order of the capture."""
    for plane in space.host_threads:
        devices = [device for device in space.devices if device.host == plane.host]
        yield _input(plane, find_steps(space, plane.host), sum(map(_copying, devices)))


def _copying(device: Plane) -> int:
    """How long data was copied to a device."""
    copies = on_device(device) == code_of(Category.HOST_TO_DEVICE)
    return int(device.events.duration_ps[copies].sum())


def _input(plane: Plane, steps: Steps, copying: int) -> HostInput:
    rows = wait_rows(plane)
    waits = Intervals.union(plane.events.start_ps[rows], plane.events.end_ps[rows])
    trees = pipelines(plane)
    found = [_found(one, waits, steps.windows) for one in trees.of_host]
    # what the model waits for most comes first
    found.sort(key=lambda one: -sum(stage.times.blocking for stage in one.stages))
    return HostInput(
        plane.host, steps, waiting(waits, steps.windows), found, trees.device_side, copying
    )


def _found(pipeline: Pipeline, waits: Intervals, windows: Sequence[StepWindow]) -> FoundPipeline:
    times = stage_times(pipeline, waits)
    said = noted(pipeline)
    ahead = ready_ahead(pipeline)
    mine = Intervals.none().join(*(one.blocked for one in times))
    whole = waiting(mine, windows)
    functions = function_ops(pipeline)
    return FoundPipeline(
        pipeline,
        [
            FoundStage(
                stage,
                times[at],
                how,
                work_of(stage.path),
                int(np.median(ahead[at])) if at in ahead else None,
            )
            for at, (stage, how) in enumerate(
                zip(pipeline.stages, settings(pipeline, said), strict=True)
            )
        ],
        budget(pipeline, said),
        functions,
        whole,
        bottleneck(pipeline, times, functions, whole),
    )
