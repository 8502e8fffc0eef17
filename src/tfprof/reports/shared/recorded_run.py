"""What the record of a run adds to answers, and how it is said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from datetime import datetime

import numpy as np

from tfprof.model import units
from tfprof.model.dims import BATCH
from tfprof.model.medians import median_of
from tfprof.model.profile import ProfileData
from tfprof.model.quantity import Quantity
from tfprof.model.run_record import (
    Ending,
    Process,
    RecordedCapture,
    RecordedEpoch,
    RunRecord,
    RunState,
)
from tfprof.reports.shared.question import Question
from tfprof.results.recorded_run import CaptureRow, EpochRow, RecordedRun, TraceOverhead

_CAPTURE = "XPlane"
_STATES = {RunState.GONE: "killed"}
_MICROS = 1e6
_SHOWN_ARGUMENTS = 60
# fewer periods than this tell of chance, not of tracing
_ENOUGH = 2
_VERSIONS = {"tensorflow": "TensorFlow", "keras": "Keras", "tf_keras": "tf_keras"}


def recorded_run(data: ProfileData) -> RecordedRun | None:
    record = data.record
    if record is None:
        return None
    first, ending = record.first or Process(0), _ending(record)
    read = captures_read(data)
    begun = [one.first_step for one in read if one.first_step is not None]
    ended = [one.last_step for one in read if one.last_step is not None]
    return RecordedRun(
        record.program.name or None,
        record.program.arguments,
        None if ending.state is None else _STATES.get(ending.state, ending.state.value),
        ending.exit_code,
        ending.by,
        _iso(record.started),
        _iso(record.ended),
        first.versions,
        dict(Counter(one.kind or one.name for one in first.devices)),
        first.strategy,
        first.batch,
        max(len(record.processes), record.ranks or 0, 1),
        first.steps.count if first.steps is not None else None,
        min(begun, default=None),
        max(ended, default=None),
        _sampled_us(record),
    )


def _sampled_us(record: RunRecord) -> float | None:
    """Of a program that somebody else started there is no name."""
    known = not record.program.name and record.sampled_s is not None
    return record.sampled_s * _MICROS if known and record.sampled_s is not None else None


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat().replace("+00:00", "Z")


def _ending(record: RunRecord) -> Ending:
    """Of the whole run. Who wrote that it runs may have been killed before its processes."""
    whole, each = record.ending, [one.ending for one in record.processes]
    if whole.state is not RunState.RUNNING or any(one.state is RunState.RUNNING for one in each):
        return whole
    worst = (RunState.GONE, RunState.FAILED, RunState.ENDED)
    return next((one for state in worst for one in each if one.state is state), whole)


def captures_read(data: ProfileData) -> list[RecordedCapture]:
    """What the record says of the captures that were read, by rank."""
    return _read_of(data, data.record.processes if data.record is not None else ())


def _read_of(data: ProfileData, processes: Iterable[Process]) -> list[RecordedCapture]:
    names = {one.path.parent.name for one in data.inputs if one.used and one.format == _CAPTURE}
    return [one for process in processes for one in process.captures if one.name in names]


def run_text(run: RecordedRun) -> str:
    """In one line: what ran, with what, how much of it was captured, how it ended."""
    said = [_program(run), _versions(run), _where(run)]
    said += [f"batch {run.batch:,}"] if run.batch is not None else []
    if run.sampled_us is not None:
        said.append(f"sampled for {units.duration(run.sampled_us)}")
    return " · ".join(one for one in (*said, _captured(run), ending_text(run)) if one)


def _program(run: RecordedRun) -> str:
    name = (run.program or "").rpartition("/")[2]
    whole = " ".join([name, *run.arguments]).strip()
    return whole if len(whole) <= _SHOWN_ARGUMENTS else f"{whole[: _SHOWN_ARGUMENTS - 1]}…"


def _versions(run: RecordedRun) -> str:
    known = (
        f"{word} {run.versions[key]}" for key, word in _VERSIONS.items() if key in run.versions
    )
    return ", ".join(known)


def _where(run: RecordedRun) -> str:
    devices = ", ".join(f"{count} {kind}" for kind, count in run.devices.items())
    processes = f"{run.ranks} processes" if run.ranks > 1 else ""
    return ", ".join(one for one in (processes, devices, run.strategy) if one)


def _captured(run: RecordedRun) -> str:
    of = f" of {run.steps:,}" if run.steps is not None else ""
    if run.first_step is None or run.last_step is None:
        return f"{units.plural(run.steps, 'step')}, none captured" if run.steps is not None else ""
    if run.first_step == run.last_step:
        return f"step {run.first_step:,}{of} captured"
    return f"steps {run.first_step:,} to {run.last_step:,}{of} captured"


def ending_text(run: RecordedRun) -> str:
    """Nothing where all went well."""
    if run.state == "killed":
        return "ended without a word (killed?)"
    if run.state == "running":
        return "still running, as far as its record tells"
    if run.ended_by is not None and run.ended_by.startswith("signal"):
        return f"ended by {run.ended_by}"
    if run.state == "failed" or run.exit_code:
        code = f" with exit code {run.exit_code}" if run.exit_code is not None else ""
        how = " after an exception" if run.ended_by == "exception" and not code else ""
        return f"failed{code}{how}"
    return ""


def trace_overhead(data: ProfileData) -> TraceOverhead | None:
    """Of the first rank: captured steps against those that were taken while no tracer was on."""
    first = data.record.first if data.record is not None else None
    if first is None or first.steps is None:
        return None
    untraced = first.steps.untraced_us
    traced = [period for one in _read_of(data, [first]) for period in one.step_us]
    if len(traced) < _ENOUGH or len(untraced) < _ENOUGH:
        return None
    with_it, without = median_of(traced), median_of(untraced)
    if without <= 0:
        return None
    share = Quantity.estimated(with_it / without - 1)
    varies = median_of(np.abs(np.array(untraced) - without)) / without
    return TraceOverhead(with_it, without, share, varies, len(traced), len(untraced))


def overhead_text(found: TraceOverhead) -> str:
    share = found.share.number or 0.0
    more = f"~{share:.1%} longer than" if share > 0 else "no longer than"
    varies = ", less than they vary" if 0 < share < found.varies else ""
    return (
        f"{more} untraced steps{varies}: median {units.duration(found.traced_us)} of "
        f"{found.traced_steps:,} captured, {units.duration(found.untraced_us)} of "
        f"{found.untraced_steps:,} others"
    )


def capture_rows(data: ProfileData) -> tuple[CaptureRow, ...]:
    """Those that are still there, the oldest first; nothing where there is but one."""
    first = data.record.first if data.record is not None else None
    there = {one.path.parent.name: one.used for one in data.inputs if one.format == _CAPTURE}
    known = [one for one in (first.captures if first is not None else ()) if one.name in there]
    rows = tuple(_capture(one, read=there[one.name]) for one in known)
    return rows if len(rows) > 1 else ()


def _capture(one: RecordedCapture, *, read: bool) -> CaptureRow:
    period = median_of(one.step_us) if one.step_us else None
    return CaptureRow(one.name, one.first_step, one.last_step, period, one.kept_as, read)


def epoch_rows(data: ProfileData) -> tuple[EpochRow, ...]:
    first = data.record.first if data.record is not None else None
    return tuple(map(_epoch, first.epochs)) if first is not None else ()


def _epoch(one: RecordedEpoch) -> EpochRow:
    parts = {name: one.parts[name] * _MICROS for name in one.parts}
    lasted = one.seconds * _MICROS
    return EpochRow(
        one.epoch,
        lasted,
        parts.get("data"),
        parts.get("step"),
        parts.get("callbacks"),
        parts.get("validation"),
        parts.get("checkpoint"),
        max(0.0, lasted - sum(parts.values())),
    )


def batch_of_run(data: ProfileData) -> int | None:
    first = data.record.first if data.record is not None else None
    return first.batch if first is not None else None


def with_batch_of_run(data: ProfileData, question: Question, open_: Collection[str]) -> Question:
    """Where the graph leaves the batch open, and nobody says it, it is that of the run."""
    batch = batch_of_run(data)
    if batch is None or BATCH not in open_ or BATCH in question.sizes:
        return question
    return replace(question, sizes={**question.sizes, BATCH: batch})


def said_of_batch(batch: int) -> str:
    return f"the batch is {batch:,}, as in the run; --batch N tells it for others"


def said_by_recorder(data: ProfileData) -> Iterator[str]:
    """What it warned of while the program ran; of several processes, which."""
    processes = data.record.processes if data.record is not None else ()
    for process in processes:
        whose = f"{process.name}: " if len(processes) > 1 else ""
        yield from (f"while it ran: {whose}{text}" for text in process.warnings)
