"""A difference on a screen: whether it is the same work, what changed most, and what is noise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tfprof.model import units
from tfprof.model.units import as_micros
from tfprof.reports.diff.same_work import differing, one_sided
from tfprof.reports.diff.sides import PERIOD
from tfprof.reports.diff.view_models import (
    SHOWN,
    counts,
    layers,
    layers_in_words,
    pair_columns,
    peaks,
    share_of,
    signed,
    signed_number,
    totals,
)
from tfprof.results.answered import Answered
from tfprof.results.categories import Category
from tfprof.results.diff import DiffResult, DiffRow, RowKind, SideRow
from tfprof.views.shapes import (
    Bar,
    Bars,
    Column,
    Facts,
    Fold,
    Notes,
    OneScreen,
    Part,
    PartKind,
    Report,
    Table,
    Unit,
    Value,
    without_empty,
)

_LABELS = {category.value: category.label for category in Category}
_PARTS_TOLD = 2
_TITLES = {
    RowKind.STEP: "What a step's time went to",
    RowKind.PHASE: "By phase",
    RowKind.LAYER: "By layer",
    RowKind.OP: "By op type",
}


def view(answered: Answered[DiffResult]) -> Report:
    found = answered.data
    several = len(found.sides) > 2
    parts: list[Part] = [
        Facts(list(_facts(found))),
        *([_sides(found.sides)] if several else []),
        _bars(found.sides),
        *(_times(found.rows, kind) for kind in _TITLES),
        totals(found.rows),
        peaks(found.rows),
        layers(found),
        counts(found.rows, RowKind.CLASS),
        counts(found.rows, RowKind.OP),
        _tensors(found.rows),
        Notes(answered.notes),
    ]
    timed = any(row.is_time for row in found.rows)
    screen = None if timed or several else OneScreen(len(answered.notes), (), spare=1)
    return Report(*answered.subject.lines, without_empty(parts), screen)


def _facts(found: DiffResult) -> Iterator[tuple[str, str]]:
    before, after = found.sides[0], found.sides[-1]
    if before.captures or after.captures or "/" in before.name + after.name:
        yield "Before", _side(before)
        yield "After", _side(after)
    yield "Same work", _same(found)
    told = found.summary
    if told.step_before_us is not None and told.step_after_us is not None:
        yield "Step", _step(found)
        because = list(_because(found))
        if because:
            yield "Because", ", ".join(because)
    yield "Changed", _changed(found)
    moved = layers_in_words(found)
    if moved:
        yield "Layers", moved


def _side(side: SideRow) -> str:
    said = [side.name]
    if side.captures:
        said.append(units.plural(side.captures, "capture"))
        said.append(f"{units.plural(side.steps, 'step')} compared")
    return ", ".join(said)


def _same(found: DiffResult) -> str:
    told = found.summary.same_work
    word = {True: "yes", False: "no", None: "not known"}[told]
    other = "; ".join(differing(found.comparable))
    alike = [one.what for one in found.comparable if one.same]
    if other:
        return f"{word}: {other}"
    if told and one_sided(found.comparable):
        word = "as far as both tell"
    colon = ";" if told is None else ":"
    return f"{word}{colon} the same {', '.join(alike)}" if alike else word


def _step(found: DiffResult) -> str:
    told = found.summary
    row = next(r for r in found.rows if r.kind is RowKind.STEP and r.name == PERIOD)
    before, after = told.step_before_us or 0.0, told.step_after_us or 0.0
    relative = f" ({row.relative:+.1%})" if row.relative is not None else ""
    word = {True: "a change", False: "within the noise", None: "too few steps to tell"}
    said = f"{units.duration(before)} → {units.duration(after)}{relative}: {word[row.significant]}"
    if row.interval is not None:
        low, high = (signed_number(units.duration, value) for value in row.interval)
        said += f" (95%: {low} to {high})"
    return said


def _because(found: DiffResult) -> Iterator[str]:
    """The parts that moved most, if the step moved."""
    parts = [r for r in found.rows if r.kind is RowKind.STEP and r.name != PERIOD and r.change]
    if found.summary.step_significant:
        ranked = sorted(parts, key=lambda row: (row.significant is not True, -row.size))
        for row in ranked[:_PARTS_TOLD]:
            yield f"{_label(row)} {signed(units.duration, row)}"


def _changed(found: DiffResult) -> str:
    timed = [row for row in found.rows if row.is_time]
    sure = sum(row.significant is True for row in timed)
    exact = sum(row.significant is True for row in found.rows if not row.is_time)
    said = [f"{sure} of {units.plural(len(timed), 'time')}"] if timed else []
    said.append(f"{units.plural(exact, 'exact number')}" if exact else "nothing that is exact")
    return ", ".join(said)


def _sides(sides: Sequence[SideRow]) -> Table:
    """The table of a story: each side, and what became of the first."""
    first = sides[0].step_us.number
    return Table(
        [
            Column("name", "side"),
            Column("step_us", "step", Unit.MICROS),
            Column("relative", "to the first", Unit.SHARE),
            Column("input_bound", "waits for input", Unit.SHARE),
            Column("params", "params", Unit.SCALED),
            Column("flops", "FLOPs", Unit.SCALED),
            Column("peak_bytes", "peak", Unit.BYTES),
        ],
        [
            [
                one.name, one.step_us,
                one.step_us.number / first if first and one.step_us.number else None,
                one.input_bound, one.params, one.flops, one.peak_bytes,
            ]
            for one in sides
        ],
    )  # fmt: skip


def _bars(sides: Sequence[SideRow]) -> Bars:
    """An average step of each side."""
    kinds = [c for c in Category if any(one.breakdown.get(c) for one in sides)]
    rows = [
        Bar(str(at), [as_micros(one.breakdown.get(c, 0.0)) for c in kinds])
        for at, one in enumerate(sides, 1)
        if one.breakdown
    ]
    columns = [Column("side", "side"), *(Column(c.value, c.label, Unit.MICROS) for c in kinds)]
    table = Table(
        columns, [[one.name, *row.parts] for one, row in zip(sides, rows, strict=False)],
        "An average step of each side",
    )  # fmt: skip
    return Bars(
        "An average step of each side", "side", [PartKind(c.value, c.label) for c in kinds], rows,
        table,
    )  # fmt: skip


def _times(rows: Iterable[DiffRow], kind: RowKind) -> Table:
    mine = [row for row in rows if row.kind is kind and row.is_time]
    cells: list[Sequence[Value]] = [
        [_label(row), row.before, row.after, row.change, share_of(row), _word(row)]
        for row in sorted(mine, key=lambda row: row.significant is not True)
        if row.before or row.after
    ]
    columns = [Column("name", kind.value), *pair_columns(Unit.MICROS), Column("noise", "")]
    return Table(columns, cells, _TITLES[kind], Fold(SHOWN))


def _label(row: DiffRow) -> str:
    return _LABELS.get(row.name, row.name) if row.kind is RowKind.STEP else row.name


def _word(row: DiffRow) -> str:
    if row.significant is None:
        return "?"
    return "changed" if row.significant else "noise"


def _tensors(rows: Iterable[DiffRow]) -> Table:
    mine = [row for row in rows if row.kind is RowKind.TENSOR]
    mine.sort(key=lambda row: -row.size)
    cells = [
        [row.name, row.metric, row.before if isinstance(row.before, str) else None, row.after]
        for row in mine
        if row.metric != "largest_change"
    ]
    columns = [Column("name", "tensor"), Column("metric", "what"),
               Column("before", "before"), Column("after", "after", Unit.SHARE)]  # fmt: skip
    return Table(columns, cells, "Tensors of the checkpoints", Fold(SHOWN * 2))
