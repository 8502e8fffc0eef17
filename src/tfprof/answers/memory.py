"""How much memory a step needs before it runs, and the batch that fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tfprof.analyses.computed import TRAIN, Computed, computed
from tfprof.analyses.memory.estimate import Peak, Piece, guess_from, largest_batch, peak, pieces
from tfprof.analyses.memory.program import MODELS, MemoryModel
from tfprof.analyses.params import count_parameters
from tfprof.analyses.reach import extent
from tfprof.analyses.roles import Role
from tfprof.analyses.static_costs import static_costs
from tfprof.answers.common import used_inputs
from tfprof.answers.static import Question
from tfprof.errors import InputMissing, UsageError
from tfprof.model import units
from tfprof.model.dims import BATCH
from tfprof.model.graph import Graph
from tfprof.model.profile import ProfileData
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

CPU = "/cpu:0"
_LIVE_SHOWN = 8
_SCHEDULE_BATCH = 8
_DEFAULT_MARGIN = 0.05
_SOME_BATCHES = (1, 2, 4, 8)


@dataclass(frozen=True, slots=True)
class MemoryQuestion:
    """Besides what is computed: for which batches, on which device, in how many bytes."""

    question: Question
    batches: tuple[int, ...] = ()
    model: str = "cpu-tf"
    budget: int | None = None
    margin: float = _DEFAULT_MARGIN
    executed: bool = False
    dtype: str | None = None


class Estimator:
    """Peaks of one model for any batch, each worked out once."""

    def __init__(
        self,
        data: ProfileData,
        question: Question,
        model: MemoryModel,
        part: Computed | None = None,
    ) -> None:
        if data.graph is None:
            raise InputMissing(
                "no graph: memory is estimated from a graph",
                hint="`tfprof doctor PATH` lists what is there.",
            )
        self.graph: Graph = data.graph
        self.model = model
        self._data, self._question = data, question
        self.is_fixed = part is not None  # a graph that ran has the sizes of its run
        self.part = part or computed(data, question.mode, question.fetch, question.signature)
        self._peaks: dict[int, Peak] = {}
        self.persistent = _persistent(data, self.part)

    def at(self, batch: int) -> Peak:
        if batch not in self._peaks:
            sizes = {**self._question.sizes, **({} if self.is_fixed else {BATCH: batch})}
            given = replace(self._question, sizes=sizes).given(self.part.mode)
            costs = static_costs(self._data, self.part, given)
            self._peaks[batch] = peak(costs, self.graph, batch, self.model)
        return self._peaks[batch]

    def pieces(self) -> list[Piece]:
        """The transient peak as lines over the batch."""
        sizes = {name: size for name, size in self._question.sizes.items() if name != BATCH}
        given = replace(self._question, sizes=sizes).given(self.part.mode)
        costs = static_costs(self._data, self.part, given)
        return pieces(costs, self.graph, _SCHEDULE_BATCH, self.model)

    def largest(self, budget: int, *, parallel: bool = False, margin: float = 0.0) -> int:
        """The largest batch whose total fits."""

        def needs(batch: int) -> int:
            found = self.at(batch)
            transient = found.interval[1] if parallel else found.expected
            return int((transient + self.persistent) * (1 + margin))

        lines = self.pieces()
        return largest_batch(needs, budget, guess_from(lines, budget - self.persistent) + 1)


def _persistent(data: ProfileData, part: Computed) -> int:
    """The variables: all of them where the model trains, its own where it predicts."""
    parameters = count_parameters(data, extent(data))
    own = (Role.TRAINABLE, Role.NON_TRAINABLE)
    known = all(parameters.by_role[role].value is not None for role in own)
    if part.mode == TRAIN or not known:
        return parameters.bytes
    return int(sum(parameters.bytes_of(role) for role in own))


def as_executed(data: ProfileData, asked: MemoryQuestion) -> Estimator:
    """Of the graph that ran, after TensorFlow had rewritten it: the run metadata holds it."""
    partitions = data.trace.partitions if data.trace is not None else ()
    graphs = [one.load() for one in partitions if one.kind == _PARTITION]
    if not graphs:
        raise InputMissing(
            "no graph as it was executed: the run metadata has no partition graphs",
            hint="Trace with RunOptions(output_partition_graphs=True).",
        )
    # one graph a device: the one that does the work is by far the largest
    graph = max(graphs, key=len)
    ran = replace(data, graph=graph)
    rows = np.arange(len(graph))
    part = Computed(rows, TRAIN, "the step as it was executed")
    estimator = Estimator(ran, replace(asked.question, sizes={}), _model(asked.model), part)
    if data.graph is not None:
        estimator.persistent = _persistent(data, computed(data))
    return estimator


def memory(data: ProfileData, asked: MemoryQuestion) -> Result:
    if asked.executed and (asked.batches or asked.budget is not None):
        raise UsageError(
            "what was executed has the batch of its run",
            hint="Leave out --batch and --device-memory.",
        )
    if asked.executed:
        estimator = as_executed(data, asked)
    else:
        estimator = Estimator(data, asked.question, _model(asked.model))
    batches = asked.batches or (asked.question.sizes.get(BATCH, 1),)
    peaks = [estimator.at(batch) for batch in batches]
    lines = [] if asked.executed else estimator.pieces()
    fits = _fits(estimator, asked)
    warnings = [*data.warnings, *_warnings(peaks[0])]
    facts = Facts(list(_facts(estimator, peaks[0], lines, asked, fits)))
    halved = _halved(data, asked, peaks[0], fits) if asked.dtype is not None else None
    if halved is not None:
        facts = Facts([*facts.rows, ("What if", halved[0])])
    parts_shown: list[Part] = [_live_table(peaks[0])]
    if len(peaks) > 1:
        curve = Curve(data.title, [one.expected for one in peaks])
        parts_shown = [_batches_table(estimator, peaks), Series(batches, [curve])]
    content = _data(estimator, peaks, lines, fits)
    if halved is not None:
        content["what_if"] = halved[1]
    label = _EXECUTED if asked.executed else _LABEL
    parts = without_empty([facts, *parts_shown, Notes([*warnings, label])])
    return Result("memory", used_inputs(data), warnings, content, Report(data.title, "", parts))


_LABEL = "Estimated from the graph as written; nothing was run."
_EXECUTED = "Estimated from the graph that TensorFlow executed."
_PARTITION = "partition"


def _halved(
    data: ProfileData, asked: MemoryQuestion, before: Peak, fits: dict[str, int | None]
) -> tuple[str, dict[str, Any]]:
    """Activations, gradients and scratch in half the bytes; the variables stay as they are."""
    model = replace(_model(asked.model), half=True)
    estimator = Estimator(data, asked.question, model)
    after = estimator.at(before.batch)
    text = (
        f"{asked.dtype}: {units.size(after.expected)} at the peak instead of "
        f"{units.size(before.expected)}"
    )
    found: dict[str, Any] = {
        "dtype": asked.dtype,
        "peak_bytes": {CPU: after.expected},
        "saved_bytes": {CPU: before.expected - after.expected},
        "max_batch": None,
        "kind": "modelled",
    }
    if asked.budget is not None:
        found["max_batch"] = estimator.largest(asked.budget)
        text += f", batch {found['max_batch']} instead of {fits['max_batch']} fits"
    return f"{text} (modelled; variables stay float32)", found


def against(first: ProfileData, second: ProfileData, asked: MemoryQuestion) -> Result:
    """Two models over the same batches: a curve each, and what lies between them."""
    one, other = (Estimator(data, asked.question, _model(asked.model)) for data in (first, second))
    batches = asked.batches or _SOME_BATCHES
    pairs = [(one.at(batch), other.at(batch)) for batch in batches]
    columns = [
        Column("batch", "batch", Unit.COUNT),
        Column("first", "first", Unit.BYTES),
        Column("second", "second", Unit.BYTES),
        Column("difference", "difference", Unit.BYTES),
        Column("share", "of the first", Unit.SHARE),
    ]
    rows: list[list[Value]] = [
        [a.batch, a.expected, b.expected, b.expected - a.expected, b.expected / a.expected]
        for a, b in pairs
    ]
    curves = [
        Curve(f"first: {first.title}", [a.expected for a, _ in pairs]),
        Curve(f"second: {second.title}", [b.expected for _, b in pairs]),
    ]
    warnings = [*first.warnings, *second.warnings, *_warnings(pairs[0][0])]
    facts = Facts(
        [
            ("First", f"{first.title}, {one.part.what}"),
            ("Second", f"{second.title}, {other.part.what}"),
        ]
    )
    notes = Notes([*warnings, _LABEL])
    parts: list[Part] = [facts, Table(columns, rows), Series(batches, curves), notes]
    content = _data(
        one, [a for a, _ in pairs], one.pieces(), {"max_batch": None, "safe_batch": None}
    )
    content["against"] = _data(
        other, [b for _, b in pairs], other.pieces(), {"max_batch": None, "safe_batch": None}
    )
    inputs = [*used_inputs(first), *used_inputs(second)]
    return Result("memory", inputs, warnings, content, Report("", "", without_empty(parts)))


def _model(name: str) -> MemoryModel:
    if name not in MODELS:
        raise UsageError(f"no memory model is called {name!r}", hint=f"One of {', '.join(MODELS)}.")
    return MODELS[name]


def _fits(estimator: Estimator, asked: MemoryQuestion) -> dict[str, int | None]:
    if asked.budget is None:
        return {"max_batch": None, "safe_batch": None}
    return {
        "max_batch": estimator.largest(asked.budget),
        "safe_batch": estimator.largest(asked.budget, parallel=True, margin=asked.margin),
    }


def _warnings(found: Peak) -> list[str]:
    if not found.unknown:
        return found.notes
    count = units.plural(len(found.unknown), "tensor")
    return [*found.notes, f"{count} of unknown size count as nothing: {found.unknown[0]}, ..."]


def _facts(
    estimator: Estimator,
    found: Peak,
    lines: Sequence[Piece],
    asked: MemoryQuestion,
    fits: dict[str, int | None],
) -> list[tuple[str, str]]:
    batch = [] if estimator.is_fixed else [f"batch {found.batch}"]
    low, high = found.interval
    spread = f" ({units.size(low)} to {units.size(high)})" if low != high else ""
    rows = [
        ("Computed", ", ".join([estimator.part.what, *batch, f"model {estimator.model.name}"])),
        ("Peak", f"{units.size(found.expected)} beside the variables{spread}"),
        ("Variables", units.size(estimator.persistent)),
        ("Total", units.size(found.expected + estimator.persistent)),
    ]
    rows += [("Formula", _piece_text(piece)) for piece in list(lines)[-2:]]
    rows += [("At the peak", f"{found.at}: {_kinds_text(found)}")]
    if asked.budget is not None:
        rows.append(("Fits", _fits_text(asked, fits)))
    return rows


def _piece_text(piece: Piece) -> str:
    to = f"{piece.to}" if piece.to is not None else "any"
    return f"{piece.slope:,}·B + {piece.intercept:,} bytes for B from {piece.start} to {to}"


def _kinds_text(found: Peak) -> str:
    sums: dict[str, int] = {}
    for one in found.live:
        sums[one.kind] = sums.get(one.kind, 0) + one.bytes
    ordered = sorted(sums.items(), key=lambda pair: -pair[1])
    return ", ".join(f"{kind} {units.size(size)}" for kind, size in ordered)


def _fits_text(asked: MemoryQuestion, fits: dict[str, int | None]) -> str:
    budget = units.size(asked.budget or 0)
    if not fits["max_batch"]:
        return f"not even one sample in {budget}"
    return (
        f"batch {fits['max_batch']} in {budget}; safe: {fits['safe_batch']} "
        f"(more workers, {asked.margin:.0%} to spare)"
    )


def _live_table(found: Peak) -> Table:
    columns = [
        Column("name", "alive at the peak"),
        Column("op", "op"),
        Column("kind", "kind"),
        Column("bytes", "bytes", Unit.BYTES),
        Column("share", "share", Unit.SHARE),
    ]
    rows: list[list[Value]] = [
        [one.name, one.op, one.kind, one.bytes, one.bytes / found.expected]
        for one in found.live[:_LIVE_SHOWN]
    ]
    rest = found.live[_LIVE_SHOWN:]
    share = units.share(sum(one.bytes for one in rest), found.expected) if found.expected else "0%"
    folded = f"{len(rest):,} more ({share})" if rest else ""
    return Table(columns, rows, folded=folded)


def _batches_table(estimator: Estimator, peaks: Sequence[Peak]) -> Table:
    columns = [
        Column("batch", "batch", Unit.COUNT),
        Column("peak_bytes", "peak", Unit.BYTES),
        Column("low", "one by one", Unit.BYTES),
        Column("high", "many workers", Unit.BYTES),
        Column("total_bytes", "with variables", Unit.BYTES),
    ]
    rows: list[list[Value]] = [
        [p.batch, p.expected, p.sequential, p.parallel, p.expected + estimator.persistent]
        for p in peaks
    ]
    return Table(columns, rows)


def _data(
    estimator: Estimator,
    peaks: Sequence[Peak],
    lines: Sequence[Piece],
    fits: dict[str, int | None],
) -> dict[str, Any]:
    first, held = peaks[0], estimator.persistent
    return {
        "memory_kind": "estimated",
        "model": estimator.model.name,
        "computed": estimator.part.what,
        "devices": {
            CPU: {
                "peak_bytes": first.expected,
                "persistent_bytes": held,
                "total_bytes": first.expected + held,
                "interval": list(first.interval),
                "peak_at": first.at,
                "live_at_peak": [
                    {"name": one.name, "op": one.op, "kind": one.kind, "bytes": one.bytes}
                    for one in first.live
                ],
                "curve": None,
                "pieces": [
                    {"from": p.start, "to": p.to, "slope": p.slope, "intercept": p.intercept}
                    for p in lines
                ],
            }
        },
        "batches": [
            {
                "batch": p.batch,
                "peak_bytes": {CPU: p.expected},
                "persistent_bytes": {CPU: held},
                "total_bytes": {CPU: p.expected + held},
            }
            for p in peaks
        ],
        **fits,
    }
