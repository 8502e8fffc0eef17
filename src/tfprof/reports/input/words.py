"""Sentences and tables of the answer about input."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tfprof.model import units
from tfprof.model.units import as_micros
from tfprof.reports.shared.input_bound import input_bound, limit_passed
from tfprof.results.input import (
    Bottleneck,
    FunctionRow,
    InputPipeline,
    InputResult,
    InputStage,
    StageKind,
    Waiting,
)
from tfprof.results.input_bound import MATTERS
from tfprof.views.shapes import Column, Fold, Table, Unit, Value

_OPS_SHOWN = 4


def waiting_text(found: Waiting) -> str:
    mean = units.duration_ps(found.time / found.periods)
    each = f"a step of {mean}" if found.by_steps else f"{mean} from call to call"
    waited = units.duration_ps(found.waited / found.periods)
    share = units.share(found.waited, found.time)
    return f"{waited} in {each} ({share}): {verdict(found.share)}"


def verdict(share: float) -> str:
    return f"{input_bound(share)} ({limit_passed(share)})"


def bottleneck_text(found: InputPipeline) -> str:
    return _why_none(found) if found.slow is None else _blocking(found, found.slow)


def _blocking(found: InputPipeline, slow: Bottleneck) -> str:
    stage = found.stages[slow.stage]
    share = units.share(stage.blocking, sum(one.blocking for one in found.stages))
    all_ = slow.calls == slow.of_calls
    calls = f"{slow.calls:,} calls" if all_ else f"the {slow.calls:,} calls that wait"
    wait = f"{units.duration_ps(slow.median)} in the median of {calls}"
    if slow.held_up is not None:
        other = found.stages[slow.held_up].label
        return f"{_named(stage)}: its function takes the threads that {other} waits for, {wait}"
    return f"{_named(stage)}: {share} of the wait, {wait}"


def _named(stage: InputStage) -> str:
    """With what it was written as, where that is another word."""
    written = " + ".join(stage.fused) or stage.written_as
    return f"{stage.label} ({written})" if written else stage.label


def _why_none(found: InputPipeline) -> str:
    if found.waited.share is not None and found.waited.share >= MATTERS:
        return "none: what is waited for is one slow call"
    ahead = [one.ready_ahead for one in found.stages if one.ready_ahead is not None]
    if ahead:
        return f"none: elements are ready {units.duration_ps(ahead[0])} before they are taken"
    return "none"


def budget_text(found: InputPipeline) -> str:
    """What it hands over, and how large it may grow, as far as it is told."""
    budget, shapes = found.budget, found.stages[0].shapes
    said = [units.plural(found.calls, "call")]
    if shapes:
        said[0] += f" for {shapes}"
    if found.iterators > 1:
        said.append(f"{found.iterators:,} iterators, one after the other")
    if budget.threads is not None:
        said.append(units.plural(budget.threads, "thread"))
    if budget.ram is not None:
        said.append(f"RAM budget {units.size(budget.ram)}")
    if budget.ram_used is not None and budget.ram_of_machine is not None:
        share = units.share(budget.ram_used, budget.ram_of_machine)
        said.append(f"{share} of {units.size(budget.ram_of_machine)} RAM in use")
    return ", ".join(said)


def stage_table(found: InputPipeline, title: str) -> Table:
    """The tree, a stage a row, each below what reads from it."""
    columns = [
        Column("stage", "stage"),
        Column("calls", "calls", Unit.COUNT),
        Column("self_us", "self", Unit.MICROS),
        Column("self_share", "share", Unit.SHARE),
        Column("blocking_us", "blocking", Unit.MICROS),
        Column("how", "×parallel, buffer", Unit.PROSE),
    ]
    slow = found.slow.stage if found.slow is not None else None
    rows = [_stage_row(one, mark=at == slow) for at, one in enumerate(found.stages)]
    return Table(columns, rows, title)


def _stage_row(one: InputStage, *, mark: bool) -> list[Value]:
    drawn = " " * (one.depth - 1) + "└ " if one.depth else ""
    return [
        drawn + one.label + (" ◀" if mark else ""),
        one.calls,
        as_micros(one.self_time),
        one.self_share or 0.0,
        as_micros(one.blocking),
        ", ".join(_how(one)),
    ]


def _how(one: InputStage) -> Iterator[str]:
    tuned = " auto" if one.autotuned else ""
    if one.parallelism is not None:
        yield f"×{one.parallelism}{tuned}"
    if one.batch_size is not None:
        yield f"batch {one.batch_size:,}"
    buffer = one.buffered
    if buffer is not None and buffer.limit is not None:
        empty = f", {buffer.empty:.0%} empty" if buffer.empty else ""
        yield f"{buffer.median:,.10g}/{buffer.limit:,}{tuned}{empty}"


def function_table(found: InputPipeline) -> Table:
    """The types of op that cost most: in functions of the bottleneck if it calls any, else all."""
    slow = found.slow.stage if found.slow is not None else None
    mine = [op for op in found.functions if op.at == slow]
    title = f"op in {found.stages[slow].label}" if mine and slow is not None else "op"
    ops = mine or found.functions
    whole = sum(op.self_time for op in ops)
    columns = [
        Column("op", "op"),
        Column("runs", "runs", Unit.COUNT),
        Column("self_us", "time", Unit.MICROS),
        Column("share", "share", Unit.SHARE),
        Column("node", "costliest node"),
    ]
    rows: list[list[Value]] = [
        [kind, runs, as_micros(time), time / whole if whole else 0.0, node]
        for kind, runs, time, node in _by_type(ops)
    ]
    return Table(columns, rows, title, fold=Fold(_OPS_SHOWN, "self_us", as_micros(whole)))


def _by_type(ops: Sequence[FunctionRow]) -> list[tuple[str, int, int, str]]:
    """Type, runs, time and the node that took most of it."""
    found: dict[str, tuple[int, int, str]] = {}
    for op in ops:
        # the costliest come first
        runs, time, node = found.get(op.op, (0, 0, op.name))
        found[op.op] = (runs + op.runs, time + op.self_time, node)
    rows = [(kind, *values) for kind, values in found.items()]
    return sorted(rows, key=lambda row: (-row[2], row[0]))


def notes(found: InputResult) -> Iterator[str]:
    for host in found.hosts:
        for one in (stage for pipeline in host.pipelines for stage in pipeline.stages):
            yield from _rewritten(one)
            yield from _unseen(one)
            yield from _filled(one)
        if host.hidden is not None and host.hidden.share >= MATTERS:
            time = units.duration_ps(host.hidden.waited / host.hidden.periods)
            share = units.share(host.hidden.share, 1)
            each = "a step" if host.hidden.by_steps else "a call"
            who = "The host" if found.host is None else host.host
            yield (
                f"{who} waits another {time} {each} ({share}) while a device is at work: "
                "that holds nothing up."
            )
        if host.device_side:
            count = units.plural(host.device_side, "iterator")
            of = "" if found.host is None else f" of {host.host}"
            yield f"{count}{of} that only hand elements to a device are left out."


def _rewritten(one: InputStage) -> Iterator[str]:
    """What tf.data made of what was written."""
    if one.fused and one.kind is not StageKind.ROOT:
        yield f"{one.label} is {' and '.join(one.fused)}, which tf.data runs as one."
    elif one.label.startswith("Parallel") and not one.written_as.startswith("Parallel"):
        yield f"{one.label} was written as {one.written_as}: tf.data made it parallel."


def _filled(one: InputStage) -> Iterator[str]:
    fill = one.filled
    if fill is None:
        return
    calls = "one call" if fill.calls == 1 else f"each of {fill.calls:,} calls"
    time = units.duration_ps(fill.time)
    yield (
        f"{one.label} filled its buffer with {fill.elements:,} elements in {calls}, {time}: so "
        "does every epoch at its start. A smaller buffer_size fills sooner."
    )


def _unseen(one: InputStage) -> Iterator[str]:
    if one.unseen > MATTERS * max(1, one.total):
        time = units.duration_ps(one.unseen)
        yield f"{time} of waiting at {one.label} come before the stage below is first seen."
