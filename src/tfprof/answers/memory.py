"""How much memory a step needs before it runs, and the batch that fits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tfprof.analyses.memory.estimate import Peak, Piece
from tfprof.answers.common import folded, used_inputs
from tfprof.answers.estimator import Estimator, as_executed, memory_model
from tfprof.answers.model_steps import AddedSteps, KerasSteps, steps_of
from tfprof.answers.what_if import Progress, WhatIfQuestion, WhatIfs, what_ifs
from tfprof.errors import UsageError
from tfprof.model import units
from tfprof.model.dims import BATCH
from tfprof.model.profile import ProfileData
from tfprof.reports.shared.question import Question
from tfprof.views.result import Result
from tfprof.views.shapes import (
    Column,
    Curve,
    Facts,
    Notes,
    Part,
    Report,
    Series,
    Table,
    Unit,
    Value,
    without_empty,
)

_LIVE_SHOWN = 8
_DEFAULT_MARGIN = 0.05
_SOME_BATCHES = (1, 2, 4, 8)
Fits = dict[str, int | None]


@dataclass(frozen=True, slots=True)
class MemoryQuestion:
    """Besides what is computed: for which batches, on which device, in how many bytes.

    `optimizer` asks for a training step where the graph has none.
    """

    question: Question
    batches: tuple[int, ...] = ()
    model: str = "cpu-tf"
    budget: int | None = None
    margin: float = _DEFAULT_MARGIN
    executed: bool = False
    optimizer: str | None = None
    workspace: int | None = None
    what_if: WhatIfQuestion = field(default_factory=WhatIfQuestion)


def memory(data: ProfileData, asked: MemoryQuestion, progress: Progress | None = None) -> Result:
    if asked.executed:
        return _executed(data, asked)
    estimator = estimator_of(data, asked)
    batches = asked.batches or (asked.question.sizes.get(BATCH, 1),)
    peaks = [estimator.at(batch) for batch in batches]
    lines = estimator.pieces()
    fits = _fits(estimator, asked)
    helps = WhatIfs()
    if asked.what_if.is_asked:
        helps = what_ifs(estimator, asked.what_if, batches[-1], asked.budget, progress)
    facts = [*_facts(estimator, batches[0], peaks[0], lines, asked, fits), *helps.facts]
    shown: list[Part] = [Facts(facts)]
    if len(peaks) > 1:
        shown += [_batches_table(estimator, batches, peaks)]
        shown += [Series(batches, _curves(data.title, estimator, helps, batches))]
    else:
        shown += [_live_table(highest(peaks[0]))]
    warnings = [*data.warnings, *_warnings(estimator)]
    notes = Notes([*warnings, *helps.notes, _label(estimator)])
    content = _data(estimator, batches, peaks, lines, fits)
    if helps.content:
        content["what_if"] = helps.content
    parts = without_empty([*shown, *helps.tables, notes])
    return Result("memory", used_inputs(data), warnings, content, Report(data.title, "", parts))


def estimator_of(data: ProfileData, asked: MemoryQuestion) -> Estimator:
    """Of the model as it is, or with a training step added to what only predicts."""
    model = memory_model(asked.model, asked.workspace)
    return Estimator(steps_of(data, asked.question, asked.optimizer), model)


def _executed(data: ProfileData, asked: MemoryQuestion) -> Result:
    if asked.batches or asked.budget is not None or asked.what_if.is_asked:
        raise UsageError(
            "what was executed has the batch and the ops of its run",
            hint="Leave out --batch, --device-memory and the what-ifs.",
        )
    ran = as_executed(data, asked.question, memory_model(asked.model))
    peaks = ran.at(1)
    warnings = [*data.warnings, *_warnings(ran)]
    facts = Facts(list(_facts(ran, 1, peaks, {}, asked, _NOT_ASKED)))
    parts = without_empty([facts, _live_table(highest(peaks)), Notes([*warnings, _EXECUTED])])
    content = _data(ran, (1,), [peaks], {}, _NOT_ASKED)
    return Result("memory", used_inputs(data), warnings, content, Report(data.title, "", parts))


def _label(estimator: Estimator) -> str:
    if isinstance(estimator.steps, AddedSteps):
        return _ADDED
    return _BY_LAYERS if isinstance(estimator.steps, KerasSteps) else _LABEL


_LABEL = "Estimated from the graph as written; nothing was run."
_BY_LAYERS = "Estimated from the layers of the file; nothing was run."
_ADDED = "Estimated: gradients and updates are added to a model that only predicts."
_EXECUTED = "Estimated from the graph that TensorFlow executed."
_NOT_ASKED: Fits = {"max_batch": None, "safe_batch": None}


def highest(peaks: Mapping[str, Peak]) -> Peak:
    """Of the device that needs most."""
    return max(peaks.values(), key=lambda one: one.expected)


def _curves(
    title: str, estimator: Estimator, helps: WhatIfs, batches: Sequence[int]
) -> list[Curve]:
    curves = [Curve(title, [estimator.highest(batch).expected for batch in batches])]
    for name, other in helps.changed:
        curves.append(Curve(name, [other.highest(batch).expected for batch in batches]))
    return curves


def against(first: ProfileData, second: ProfileData, asked: MemoryQuestion) -> Result:
    """Two models over the same batches: a curve each, and what lies between them."""
    one, other = (estimator_of(data, asked) for data in (first, second))
    batches = asked.batches or _SOME_BATCHES
    pairs = [(one.highest(batch).expected, other.highest(batch).expected) for batch in batches]
    columns = [
        Column("batch", "batch", Unit.COUNT),
        Column("first", "first", Unit.BYTES),
        Column("second", "second", Unit.BYTES),
        Column("difference", "difference", Unit.BYTES),
        Column("share", "of the first", Unit.SHARE),
    ]
    rows: list[list[Value]] = [
        [batch, a, b, b - a, b / a if a else 0.0]
        for batch, (a, b) in zip(batches, pairs, strict=True)
    ]
    curves = [
        Curve(f"first: {first.title}", [a for a, _ in pairs]),
        Curve(f"second: {second.title}", [b for _, b in pairs]),
    ]
    warnings = [*first.warnings, *second.warnings, *_warnings(one), *_warnings(other)]
    warnings = list(dict.fromkeys(warnings))
    facts = Facts(
        [
            ("First", f"{first.title}, {one.part.what}"),
            ("Second", f"{second.title}, {other.part.what}"),
        ]
    )
    notes = Notes([*warnings, _LABEL])
    parts: list[Part] = [facts, Table(columns, rows), Series(batches, curves), notes]
    content, beside = (
        _data(it, batches, [it.at(batch) for batch in batches], it.pieces(), _NOT_ASKED)
        for it in (one, other)
    )
    content["against"] = beside
    inputs = [*used_inputs(first), *used_inputs(second)]
    return Result("memory", inputs, warnings, content, Report("", "", without_empty(parts)))


def _fits(estimator: Estimator, asked: MemoryQuestion) -> Fits:
    if asked.budget is None:
        return _NOT_ASKED
    return {
        "max_batch": estimator.largest(asked.budget),
        "safe_batch": estimator.largest(asked.budget, parallel=True, margin=asked.margin),
    }


def _warnings(estimator: Estimator) -> list[str]:
    unknown = estimator.unknown
    if not unknown:
        return estimator.notes
    count = units.plural(len(unknown), "tensor")
    return [*estimator.notes, f"{count} of unknown size count as nothing: {unknown[0]}, ..."]


def _facts(
    estimator: Estimator,
    batch: int,
    peaks: Mapping[str, Peak],
    lines: Mapping[str, Sequence[Piece]],
    asked: MemoryQuestion,
    fits: Fits,
) -> Iterator[tuple[str, str]]:
    said = [] if estimator.is_fixed else [f"batch {batch}"]
    yield "Computed", ", ".join([estimator.part.what, *said, f"model {estimator.model.name}"])
    if len(peaks) == 1:
        (device, found), *_ = peaks.items()
        held = sum(estimator.persistent.values())
        yield "Peak", f"{units.size(found.expected)} beside the variables{_spread(found)}"
        yield "Variables", units.size(held)
        yield "Total", units.size(found.expected + held)
        yield from (("Formula", _piece_text(piece)) for piece in lines.get(device, [])[-2:])
    else:
        for device in sorted({*peaks, *estimator.persistent}):
            yield device, _device_text(peaks.get(device), estimator.persistent.get(device, 0))
    found = highest(peaks)
    if found.at:
        yield "At the peak", f"{found.at}: {_kinds_text(found)}"
    if asked.budget is not None:
        yield "Fits", _fits_text(asked, fits, estimator)


def _spread(found: Peak) -> str:
    low, high = found.interval
    return f" ({units.size(low)} to {units.size(high)})" if low != high else ""


def _device_text(found: Peak | None, held: int) -> str:
    if found is None:
        return f"{units.size(held)} of variables"
    return (
        f"{units.size(found.expected)}{_spread(found)} at the peak, {units.size(held)} of "
        f"variables: {units.size(found.expected + held)}"
    )


def _piece_text(piece: Piece) -> str:
    to = f"{piece.to}" if piece.to is not None else "any"
    return f"{piece.slope:,}·B + {piece.intercept:,} bytes for B from {piece.start} to {to}"


def _kinds_text(found: Peak) -> str:
    sums: dict[str, int] = {}
    for one in found.live:
        sums[one.kind] = sums.get(one.kind, 0) + one.bytes
    ordered = sorted(sums.items(), key=lambda pair: -pair[1])
    return ", ".join(f"{kind} {units.size(size)}" for kind, size in ordered)


def _fits_text(asked: MemoryQuestion, fits: Fits, estimator: Estimator) -> str:
    budget = units.size(asked.budget or 0)
    most = fits["max_batch"]
    if not most:
        return f"not even one sample in {budget}"
    found = estimator.highest(most)
    return (
        f"batch {most} in {budget}; safe: {fits['safe_batch']} (at most, "
        f"{asked.margin:.0%} to spare); bound by {_largest_kind(found)}"
    )


def _largest_kind(found: Peak) -> str:
    sums: dict[str, int] = {}
    for one in found.live:
        sums[one.kind] = sums.get(one.kind, 0) + one.bytes
    return max(sums, key=sums.__getitem__, default="variables")


def _live_table(found: Peak) -> Table:
    columns = [
        Column("name", "alive at the peak"),
        Column("op", "op"),
        Column("kind", "kind"),
        Column("bytes", "bytes", Unit.BYTES),
        Column("share", "share", Unit.SHARE),
    ]
    rows: list[list[Value]] = [
        [one.name, one.op, one.kind, one.bytes, one.bytes / max(1, found.expected)]
        for one in found.live[:_LIVE_SHOWN]
    ]
    rest = found.live[_LIVE_SHOWN:]
    share = units.share(sum(one.bytes for one in rest), found.expected) if found.expected else "0%"
    return Table(columns, rows, folded=folded(len(rest), share) if rest else "")


def _batches_table(
    estimator: Estimator, batches: Sequence[int], peaks: Sequence[Mapping[str, Peak]]
) -> Table:
    """Of several devices the one that needs most stands for all."""
    columns = [
        Column("batch", "batch", Unit.COUNT),
        Column("peak_bytes", "peak", Unit.BYTES),
        Column("low", "at least", Unit.BYTES),
        Column("high", "at most", Unit.BYTES),
        Column("total_bytes", "with variables", Unit.BYTES),
    ]
    rows: list[list[Value]] = []
    for batch, by_device in zip(batches, peaks, strict=True):
        device, one = max(by_device.items(), key=lambda pair: pair[1].expected)
        held = estimator.persistent.get(device, 0)
        rows.append([batch, one.expected, one.least, one.most, one.expected + held])
    return Table(columns, rows)


def _data(
    estimator: Estimator,
    batches: Sequence[int],
    peaks: Sequence[Mapping[str, Peak]],
    lines: Mapping[str, Sequence[Piece]],
    fits: Fits,
) -> dict[str, Any]:
    held = estimator.persistent
    return {
        "memory_kind": "estimated",
        "model": estimator.model.name,
        "computed": estimator.part.what,
        "devices": {
            device: _device_data(one, held.get(device, 0), lines.get(device, ()))
            for device, one in peaks[0].items()
        },
        "batches": [
            {
                "batch": batch,
                "peak_bytes": {device: one.expected for device, one in found.items()},
                "persistent_bytes": {device: held.get(device, 0) for device in found},
                "total_bytes": {
                    device: one.expected + held.get(device, 0) for device, one in found.items()
                },
            }
            for batch, found in zip(batches, peaks, strict=True)
        ],
        **fits,
    }


def _device_data(one: Peak, held: int, lines: Sequence[Piece]) -> dict[str, Any]:
    return {
        "peak_bytes": one.expected,
        "persistent_bytes": held,
        "total_bytes": one.expected + held,
        "interval": list(one.interval),
        "peak_at": one.at,
        "live_at_peak": [
            {"name": it.name, "op": it.op, "kind": it.kind, "bytes": it.bytes} for it in one.live
        ],
        "curve": None,
        "pieces": [
            {"from": p.start, "to": p.to, "slope": p.slope, "intercept": p.intercept} for p in lines
        ],
    }
