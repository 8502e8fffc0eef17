"""What is kept of a run: the numbers of its row, its steps, and what it is compared by."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from tfprof.analyses.comparison.matching import unnumbered
from tfprof.analyses.runtime.step_samples import model_ops
from tfprof.errors import TfprofError
from tfprof.model.hosts import LeftOut
from tfprof.model.known_run import Fact, KnownRun, Moment, TimeSource, not_read
from tfprof.model.profile import ProfileData
from tfprof.model.quantity import Quantity
from tfprof.model.remembered import remembering
from tfprof.model.units import as_micros
from tfprof.printable import place
from tfprof.reports.diff.layers_of import Layers
from tfprof.reports.diff.query import Query as DiffQuery
from tfprof.reports.diff.same_work import CONNECTIONS, facts_of, fingerprint
from tfprof.reports.diff.sides import PERIOD, Side
from tfprof.reports.shared.whole_hosts import with_whole_hosts
from tfprof.reports.summary.brief import Brief
from tfprof.sources.find.runs_at_place import RunRead
from tfprof.sources.history.entries import MOST_OPS, MOST_PERIODS, without_floors

_LONGEST_REASON = 500
_LONGEST_TEXT = 2_000
# run metadata has microseconds since 1970; what was before TensorFlow is no such time
_FIRST_US, _LAST_US = 1.4e15, 4.0e15
# TensorFlow calls a capture after the time it began
_CAPTURE_NAME = re.compile(r"(\d{4})_(\d\d)_(\d\d)_(\d\d)_(\d\d)_(\d\d)")


def known_run(read: RunRead, modified_ns: int = 0, folder: Path | None = None) -> KnownRun:
    """`modified_ns` is when its files were written last; a run that cannot be read says why.

    `folder` is where whoever asks sees its path from; None where the path is as it was named.
    """
    path, written = _seen(read.path, folder), _of_files(modified_ns)
    if isinstance(read.found, TfprofError):
        return not_read(path, read.kind, _reason(read.found), written)
    try:
        moment = _moment(read.found, path, folder) or written
        return _known(path, read.kind, read.found, moment)
    except TfprofError as fault:
        return not_read(path, read.kind, _reason(fault), written)


def _reason(fault: TfprofError) -> str:
    return place(fault.what)[:_LONGEST_REASON]


def _seen(path: Path, folder: Path | None) -> str:
    if folder is None or not path.is_relative_to(folder):
        return str(path)
    return str(path.relative_to(folder))


@remembering()
def _known(path: str, kind: str, data: ProfileData, moment: Moment | None) -> KnownRun:
    side = Side(path, [data], DiffQuery(), estimates_measured=False)
    row, told = side.row(), side.summary
    period = side.parts().get(PERIOD)
    return KnownRun(
        path,
        kind,
        moment,
        _kept(row.params),
        _kept(row.flops),
        _kept(_step(row.step_us)),
        _kept(row.input_bound),
        _kept(row.peak_bytes),
        () if period is None else _thinned(period.runs[0].tolist()),
        {one.value: _short(as_micros(took)) for one, took in row.breakdown.items() if took},
        {what: Fact(fact.value, fact.text[:_LONGEST_TEXT]) for what, fact in _facts(side).items()},
        _ops(side),
        _state(told),
        left_out=tuple(
            LeftOut(place(one.host)[:_LONGEST_REASON], place(one.why)[:_LONGEST_REASON])
            for one in with_whole_hosts(data).left_out
        ),
    )


def _state(told: Brief) -> str | None:
    return None if told.recorded is None else told.recorded.state


def _step(step: Quantity) -> Quantity:
    return step if step.known else replace(step, reason=step.reason or "no steps")


def _kept(one: Quantity) -> Quantity:
    """What a file can hold: no formula with roundings in it, no number that is none."""
    found = without_floors(one)
    number = found.number
    if number is not None and not (math.isfinite(number) and number >= 0):
        return Quantity.unknown("it came out as no number")
    reason = found.reason[:_LONGEST_REASON] or ("" if found.known else "nobody says it")
    return Quantity(found.value, found.kind, place(reason))


def _thinned(periods: list[float]) -> tuple[float, ...]:
    """Every so many-th of more than anybody needs."""
    step = max(1, -(-len(periods) // MOST_PERIODS))
    return tuple(_short(one) for one in periods[::step])


def _short(micros: float) -> float:
    """To the nanosecond: an index need not hold digits that nobody measured."""
    return round(micros, 3)


def _facts(side: Side) -> Mapping[str, Fact]:
    found = facts_of(side)
    wired = _connections(side.layers)
    return found if wired is None else {**found, CONNECTIONS: wired}


def _connections(layers: Layers) -> Fact | None:
    """Which layer reads which, without the numbers that Keras gives: the same for the same."""
    if not layers.reads:
        return None
    wires = sorted(
        f"{unnumbered(name)} < {', '.join(sorted(map(unnumbered, reads)))}"
        for name, reads in layers.reads.items()
    )
    told = {"classes": layers.are_classes, "wires": wires}
    return Fact(fingerprint(told), f"{len(wires):,} layers")


def _ops(side: Side) -> Mapping[str, tuple[int, float]]:
    if not side.measured:
        return {}
    found = model_ops(side.measured[0][0])
    ranked = sorted(found.runs, key=lambda op: -found.share.get(op, 0.0))
    return {op: (found.runs[op], round(found.share.get(op, 0.0), 6)) for op in ranked[:MOST_OPS]}


def _moment(data: ProfileData, path: str, folder: Path | None) -> Moment | None:
    """What the recorder wrote down; else when the capture began."""
    record = data.record
    if record is not None and record.started is not None:
        return Moment(record.started, TimeSource.RECORD)
    begun = _capture_ns(data)
    if begun is not None:
        return Moment(datetime.fromtimestamp(begun / 1e9, UTC), TimeSource.CAPTURE)
    places = [path, *(_seen(one.path.parent, folder) for one in data.inputs if one.used)]
    named = (found for one in places for found in [_CAPTURE_NAME.search(one)] if found)
    for found in named:
        try:
            at = datetime(*map(int, found.groups()), tzinfo=UTC)  # type: ignore[arg-type,misc]
        except ValueError:
            continue
        return Moment(at, TimeSource.NAME)
    return None


def _capture_ns(data: ProfileData) -> float | None:
    spaces = data.hosts.spaces
    began = [one.start_ns for space in spaces for one in space.environments.values()]
    told = [float(one) for one in began if one]
    if not spaces:
        trace = data.recorded
        starts = trace.executions.start if trace is not None else None
        told = [float(starts.min()) * 1e3] if starts is not None and len(starts) else []
    known = [one for one in told if _FIRST_US <= one / 1e3 <= _LAST_US]
    return min(known, default=None)


def _of_files(modified_ns: int) -> Moment | None:
    if modified_ns <= 0:
        return None
    try:
        at = datetime.fromtimestamp(modified_ns / 1e9, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return Moment(at, TimeSource.FILE)
