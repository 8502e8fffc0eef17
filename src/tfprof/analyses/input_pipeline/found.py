"""All that a capture tells about its input pipelines, host by host."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tfprof.analyses.input_events.names import is_root
from tfprof.analyses.input_events.waits import wait_rows
from tfprof.analyses.input_pipeline.bottleneck import Bottleneck, Waiting, bottleneck, waiting
from tfprof.analyses.input_pipeline.categories import Work, work_of
from tfprof.analyses.input_pipeline.elements import ready_ahead
from tfprof.analyses.input_pipeline.functions import FunctionOp, function_ops
from tfprof.analyses.input_pipeline.pipelines import Pipeline, Stage, pipelines
from tfprof.analyses.input_pipeline.settings import Budget, Settings, budget, noted, settings
from tfprof.analyses.input_pipeline.times import StageTimes, stage_times
from tfprof.analyses.intervals import Intervals
from tfprof.analyses.step_time.categories import Category
from tfprof.analyses.step_time.classify import Classified
from tfprof.analyses.step_time.codes import CATEGORIES
from tfprof.analyses.step_time.device_events import on_device
from tfprof.analyses.steps.detect import find_steps
from tfprof.analyses.steps.windows import Steps
from tfprof.model.xspace import Plane, Space

Ints = npt.NDArray[np.int64]


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

    `hidden` is the waiting that holds nothing up, as devices are at work meanwhile. `copying` is
    how long data was copied to devices, in picoseconds.
    """

    host: str
    steps: Steps
    waiting: Waiting | None
    hidden: Waiting | None
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
        did = [Classified(device, on_device(device)) for device in devices]
        yield _input(plane, find_steps(space, plane.host), did)


def _input(plane: Plane, steps: Steps, devices: Sequence[Classified]) -> HostInput:
    rows = wait_rows(plane)
    asked = Intervals.union(plane.events.start_ps[rows], plane.events.end_ps[rows])
    waits = asked.minus(_at_work(devices))
    trees = pipelines(plane)
    found = [_found(one, waits, steps) for one in trees.of_host]
    # what the model waits for most comes first
    found.sort(key=lambda one: -sum(stage.times.blocking for stage in one.stages))
    return HostInput(
        plane.host,
        steps,
        waiting(waits, steps, asked.starts),
        waiting(asked.minus(waits), steps, asked.starts),
        found,
        trees.device_side,
        sum(map(_copying, devices)),
    )


def _at_work(devices: Sequence[Classified]) -> Intervals:
    """When devices did what comes before the waiting for input, as in the time of steps."""
    first = CATEGORIES[: CATEGORIES.index(Category.INPUT)]
    return Intervals.none().join(*(one.intervals(what) for one in devices for what in first))


def _copying(device: Classified) -> int:
    """How long data was copied to a device."""
    return int(device.plane.events.duration_ps[device.rows(Category.HOST_TO_DEVICE)].sum())


def _found(pipeline: Pipeline, waits: Intervals, steps: Steps) -> FoundPipeline:
    times = stage_times(pipeline, waits)
    said = noted(pipeline)
    ahead = ready_ahead(pipeline)
    mine = Intervals.none().join(*(one.blocked for one in times))
    whole = waiting(mine, steps, _asked(pipeline))
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


def _asked(pipeline: Pipeline) -> Ints:
    """When a model asked for elements, by time; unknown where the capture shows no root."""
    calls = pipeline.first.calls if is_root(pipeline.first.path) else np.zeros(0, np.int64)
    return np.sort(pipeline.calls.start[calls])
