"""What each host of a capture tells about its input, without the events."""

from __future__ import annotations

from tfprof.analyses.input_pipeline.found import (
    FoundInput,
    FoundPipeline,
    FoundStage,
    input_of_hosts,
)
from tfprof.analyses.input_pipeline.functions import FunctionOp
from tfprof.analyses.input_pipeline.kinds import kind_of
from tfprof.analyses.input_pipeline.settings import fused_ops, written_as
from tfprof.model.xspace import Space
from tfprof.results.input import FunctionRow, HostInput, InputPipeline, InputStage, Waited


def host_inputs(space: Space) -> tuple[HostInput, ...]:
    return tuple(_host(rank, one) for rank, one in enumerate(input_of_hosts(space)))


def _host(rank: int, found: FoundInput) -> HostInput:
    return HostInput(
        rank,
        found.host,
        found.steps.rule if found.steps.windows else None,
        found.waiting,
        found.hidden,
        tuple(_pipeline(found.host, number, one) for number, one in enumerate(found.pipelines)),
        found.device_side,
        found.copying,
    )


def _pipeline(host: str, number: int, found: FoundPipeline) -> InputPipeline:
    slow = found.bottleneck
    return InputPipeline(
        host,
        found.pipeline.iterators,
        len(found.pipeline.first.calls),
        Waited.of(found.waiting),
        found.stages[slow.stage].stage.path if slow is not None else None,
        slow.median if slow is not None else None,
        (),
        found.budget,
        tuple(_function(found, op) for op in found.functions),
        number,
        tuple(_stage(found, stage, number) for stage in found.stages),
        slow,
    )


def _function(found: FoundPipeline, op: FunctionOp) -> FunctionRow:
    stage = found.stages[op.stage].stage.path
    return FunctionRow(stage, op.name, op.type, op.runs, op.self_time, op.stage)


def _stage(pipeline: FoundPipeline, found: FoundStage, number: int) -> InputStage:
    stage, how, times = found.stage, found.settings, found.times
    whole = pipeline.self_time
    return InputStage(
        name=stage.path,
        label=stage.label,
        op=how.op,
        parent=pipeline.stages[stage.parent].stage.path if stage.parent is not None else None,
        pipeline=number,
        calls=len(stage.calls),
        total=times.total,
        self_time=times.self_time,
        self_share=times.self_time / whole if whole else None,
        blocking=times.blocking,
        unseen=times.unseen,
        asynchronous=stage.detached,
        parallelism=how.parallelism,
        most_parallel=how.most_parallel,
        autotuned=how.autotuned,
        autotune_mode=how.autotune_mode,
        buffered=how.buffer,
        ready_ahead=found.ahead,
        batch_size=how.batch_size,
        cycle_length=how.cycle_length,
        shapes=how.shapes,
        types=how.types,
        fused=fused_ops(how.op),
        work=found.work,
        written_as=written_as(how.op),
        kind=kind_of(stage),
        depth=stage.depth,
    )
