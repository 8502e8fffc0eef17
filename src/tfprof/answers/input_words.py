"""Sentences and tables of the answer about input."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tfprof.analyses.input_pipeline.bottleneck import Bottleneck, Waiting
from tfprof.analyses.input_pipeline.found import FoundPipeline, FoundStage, HostInput
from tfprof.analyses.input_pipeline.functions import FunctionOp
from tfprof.analyses.input_pipeline.kinds import Kind, kind_of
from tfprof.analyses.input_pipeline.limits import MATTERS
from tfprof.analyses.input_pipeline.settings import fused_ops, written_as
from tfprof.answers.common import fold
from tfprof.answers.input_bound import input_bound, limit_passed
from tfprof.answers.input_data import PS
from tfprof.model import units
from tfprof.views.shapes import Column, Table, Unit, Value

_OPS_SHOWN = 4


def waiting_text(found: Waiting) -> str:
    mean = units.duration(found.time / found.periods / PS)
    each = f"a step of {mean}" if found.by_steps else f"{mean} from call to call"
    waited = units.duration(found.waited / found.periods / PS)
    share = units.share(found.waited, found.time)
    return f"{waited} in {each} ({share}): {verdict(found.share)}"


def verdict(share: float) -> str:
    return f"{input_bound(share)} ({limit_passed(share)})"


def bottleneck_text(found: FoundPipeline) -> str:
    slow = found.bottleneck
    return _why_none(found) if slow is None else _blocking(found, slow)


def _blocking(found: FoundPipeline, slow: Bottleneck) -> str:
    stage = found.stages[slow.stage]
    share = units.share(stage.times.blocking, sum(one.times.blocking for one in found.stages))
    all_ = slow.calls == slow.of_calls
    calls = f"{slow.calls:,} calls" if all_ else f"the {slow.calls:,} calls that wait"
    wait = f"{units.duration(slow.median / PS)} in the median of {calls}"
    if slow.held_up is not None:
        other = found.stages[slow.held_up].stage.label
        return f"{_named(stage)}: its function takes the threads that {other} waits for, {wait}"
    return f"{_named(stage)}: {share} of the wait, {wait}"


def _named(stage: FoundStage) -> str:
    """With what it was written as, where that is another word."""
    op = stage.settings.op
    written = " + ".join(fused_ops(op)) or written_as(op)
    return f"{stage.stage.label} ({written})" if written else stage.stage.label


def _why_none(found: FoundPipeline) -> str:
    if found.waiting is not None and found.waiting.share >= MATTERS:
        return "none: what is waited for is one slow call"
    ahead = [one.ahead for one in found.stages if one.ahead is not None]
    if ahead:
        return f"none: elements are ready {units.duration(ahead[0] / PS)} before they are taken"
    return "none"


def budget_text(found: FoundPipeline) -> str:
    """What it hands over, and how large it may grow, as far as it is told."""
    budget, shapes = found.budget, found.stages[0].settings.shapes
    said = [units.plural(len(found.pipeline.first.calls), "call")]
    if shapes:
        said[0] += f" for {shapes}"
    if found.pipeline.iterators > 1:
        said.append(f"{found.pipeline.iterators:,} iterators, one after the other")
    if budget.threads is not None:
        said.append(units.plural(budget.threads, "thread"))
    if budget.ram is not None:
        said.append(f"RAM budget {units.size(budget.ram)}")
    if budget.ram_used is not None and budget.ram_of_machine is not None:
        share = units.share(budget.ram_used, budget.ram_of_machine)
        said.append(f"{share} of {units.size(budget.ram_of_machine)} RAM in use")
    return ", ".join(said)


def stage_table(found: FoundPipeline, title: str) -> Table:
    """The tree, a stage a row, each below what reads from it."""
    columns = [
        Column("stage", "stage"),
        Column("calls", "calls", Unit.COUNT),
        Column("self_us", "self", Unit.MICROS),
        Column("self_share", "share", Unit.SHARE),
        Column("blocking_us", "blocking", Unit.MICROS),
        Column("how", "×parallel, buffer", Unit.PROSE),
    ]
    slow = found.bottleneck.stage if found.bottleneck is not None else None
    rows = [_stage_row(found, one, mark=at == slow) for at, one in enumerate(found.stages)]
    return Table(columns, rows, title)


def _stage_row(found: FoundPipeline, one: FoundStage, *, mark: bool) -> list[Value]:
    depth = one.stage.depth
    drawn = " " * (depth - 1) + "└ " if depth else ""
    whole = found.self_time
    return [
        drawn + one.stage.label + (" ◀" if mark else ""),
        len(one.stage.calls),
        one.times.self_time / PS,
        one.times.self_time / whole if whole else 0.0,
        one.times.blocking / PS,
        ", ".join(_how(one)),
    ]


def _how(one: FoundStage) -> Iterator[str]:
    how = one.settings
    tuned = " auto" if how.autotuned else ""
    if how.parallelism is not None:
        yield f"×{how.parallelism}{tuned}"
    if how.batch_size is not None:
        yield f"batch {how.batch_size:,}"
    if how.buffer is not None and how.buffer.limit is not None:
        empty = f", {how.buffer.empty:.0%} empty" if how.buffer.empty else ""
        yield f"{how.buffer.median:,.10g}/{how.buffer.limit:,}{tuned}{empty}"


def function_table(found: FoundPipeline) -> Table:
    """The types of op that cost most: in functions of the bottleneck if it calls any, else all."""
    slow = found.bottleneck.stage if found.bottleneck is not None else None
    mine = [op for op in found.functions if op.stage == slow]
    title = f"op in {found.stages[slow].stage.label}" if mine and slow is not None else "op"
    ops = mine or list(found.functions)
    rows = _by_type(ops)
    whole = sum(op.self_time for op in ops)
    columns = [
        Column("op", "op"),
        Column("runs", "runs", Unit.COUNT),
        Column("self_us", "time", Unit.MICROS),
        Column("share", "share", Unit.SHARE),
        Column("node", "costliest node"),
    ]
    shown: list[list[Value]] = [
        [kind, runs, time / PS, time / whole if whole else 0.0, node]
        for kind, runs, time, node in rows[:_OPS_SHOWN]
    ]
    rest = fold([time for _, _, time, _ in rows[_OPS_SHOWN:]], whole)
    return Table(columns, shown, title, rest)


def _by_type(ops: Sequence[FunctionOp]) -> list[tuple[str, int, int, str]]:
    """Type, runs, time and the node that took most of it."""
    found: dict[str, tuple[int, int, str]] = {}
    for op in ops:
        # the costliest come first
        runs, time, node = found.get(op.type, (0, 0, op.name))
        found[op.type] = (runs + op.runs, time + op.self_time, node)
    rows = [(kind, *values) for kind, values in found.items()]
    return sorted(rows, key=lambda row: (-row[2], row[0]))


def notes(hosts: Sequence[HostInput]) -> Iterator[str]:
    for host in hosts:
        for found in host.pipelines:
            for one in found.stages:
                yield from _rewritten(one)
                yield from _unseen(one)
        if host.hidden is not None and host.hidden.share >= MATTERS:
            time = units.duration(host.hidden.waited / host.hidden.periods / PS)
            share = units.share(host.hidden.share, 1)
            each = "a step" if host.hidden.by_steps else "a call"
            yield (
                f"The host waits another {time} {each} ({share}) while a device is at work: "
                "that holds nothing up."
            )
        if host.device_side:
            count = units.plural(host.device_side, "iterator")
            yield f"{count} that only hand elements to a device are left out."


def _rewritten(one: FoundStage) -> Iterator[str]:
    """What tf.data made of what was written."""
    label, fused = one.stage.label, fused_ops(one.settings.op)
    if fused and kind_of(one.stage) is not Kind.ROOT:
        yield f"{label} is {' and '.join(fused)}, which tf.data runs as one."
    elif label.startswith("Parallel") and not written_as(one.settings.op).startswith("Parallel"):
        yield f"{label} was written as {written_as(one.settings.op)}: tf.data made it parallel."


def _unseen(one: FoundStage) -> Iterator[str]:
    if one.times.unseen > MATTERS * max(1, one.times.total):
        time = units.duration(one.times.unseen / PS)
        yield f"{time} of waiting at {one.stage.label} come before the stage below is first seen."
