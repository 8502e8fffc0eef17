"""The numbers behind the answer about input: microseconds and bytes."""

from __future__ import annotations

from typing import Any

from tfprof.analyses.input_pipeline.bottleneck import Waiting
from tfprof.analyses.input_pipeline.found import FoundPipeline, FoundStage, HostInput
from tfprof.analyses.input_pipeline.functions import FunctionOp
from tfprof.analyses.input_pipeline.settings import Buffer, fused_ops
from tfprof.answers.input_advice import changes

PS = 1_000_000  # picoseconds of a microsecond
_FUNCTION_OPS = 100


def stages_data(hosts: list[HostInput]) -> list[dict[str, Any]]:
    found = [pipeline for host in hosts for pipeline in host.pipelines]
    return [
        _stage(pipeline, stage, number)
        for number, pipeline in enumerate(found)
        for stage in pipeline.stages
    ]


def _stage(pipeline: FoundPipeline, found: FoundStage, number: int) -> dict[str, Any]:
    stage, how = found.stage, found.settings
    whole = pipeline.self_time
    return {
        "name": stage.path,
        "label": stage.label,
        "op": how.op,
        "parent": pipeline.stages[stage.parent].stage.path if stage.parent is not None else None,
        "pipeline": number,
        "calls": len(stage.calls),
        "total_us": found.times.total / PS,
        "self_us": found.times.self_time / PS,
        "self_share": found.times.self_time / whole if whole else None,
        "blocking_us": found.times.blocking / PS,
        "unseen_us": found.times.unseen / PS,
        "asynchronous": stage.detached,
        "parallelism": how.parallelism,
        "most_parallel": how.most_parallel,
        "autotuned": how.autotuned,
        "autotune_mode": how.autotune_mode,
        "buffered": _buffer(how.buffer),
        "ready_ahead_us": found.ahead / PS if found.ahead is not None else None,
        "batch_size": how.batch_size,
        "cycle_length": how.cycle_length,
        "shapes": how.shapes,
        "types": how.types,
        "fused": list(fused_ops(how.op)),
        "work": found.work.value,
    }


def _buffer(buffer: Buffer | None) -> dict[str, Any] | None:
    if buffer is None:
        return None
    return {"median": buffer.median, "limit": buffer.limit, "empty": buffer.empty}


def pipelines_data(hosts: list[HostInput]) -> list[dict[str, Any]]:
    return [_pipeline(host.host, found) for host in hosts for found in host.pipelines]


def _pipeline(host: str, found: FoundPipeline) -> dict[str, Any]:
    budget, slow = found.budget, found.bottleneck
    return {
        "host": host,
        "iterators": found.pipeline.iterators,
        "calls": len(found.pipeline.first.calls),
        **waiting_data(found.waiting),
        "bottleneck": name_of(found),
        "bottleneck_median_us": slow.median / PS if slow is not None else None,
        "advice": changes(found),
        "algorithm": budget.algorithm,
        "cpu_budget": budget.cpu,
        "ram_budget_bytes": budget.ram,
        "ram_used_bytes": budget.ram_used,
        "ram_of_machine_bytes": budget.ram_of_machine,
        "threads": budget.threads,
        "intra_op_threads": budget.intra_op_threads,
        "functions": [_op(found, op) for op in found.functions[:_FUNCTION_OPS]],
    }


def _op(found: FoundPipeline, op: FunctionOp) -> dict[str, Any]:
    return {
        "stage": found.stages[op.stage].stage.path,
        "name": op.name,
        "op": op.type,
        "runs": op.runs,
        "self_us": op.self_time / PS,
    }


def name_of(found: FoundPipeline) -> str | None:
    slow = found.bottleneck
    return found.stages[slow.stage].stage.path if slow is not None else None


def waiting_data(found: Waiting | None) -> dict[str, Any]:
    """Without anything to compare with, nothing is known."""
    if found is None:
        return {"waited_us": None, "time_us": None, "period_us": None, "share": None}
    return {
        "waited_us": found.waited / PS,
        "time_us": found.time / PS,
        "period_us": found.period / PS,
        "share": found.share,
    }


def work_data(hosts: list[HostInput]) -> dict[str, float]:
    """XProf's kinds of input work, self times summed."""
    found: dict[str, float] = {}
    for host in hosts:
        for work, time in host.work().items():
            found[work.value] = found.get(work.value, 0) + time / PS
    return found
