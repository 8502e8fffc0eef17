"""Models on a screen: totals, memory, layers and what they are made of; the most first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from tfprof.model.dims import Dim, formula
from tfprof.model.quantity import Quantity
from tfprof.results.diff import DiffResult, DiffRow, RowKind
from tfprof.views.shapes import Column, Fold, Table, Unit, Value

SHOWN = 8
_WORDS = ("changed", "new", "gone", "renamed")
# by kind: what the table is called, and its first column
_COUNTED = {RowKind.CLASS: ("Layers of a class", "class"), RowKind.OP: ("Ops", "op")}
# MACs are half of the FLOPs: JSON has them
_TOTALS = {"params": "parameters", "flops": "FLOPs", "flops_all": "FLOPs, all ops",
           "nodes": "nodes", "trainable_params": "trainable"}  # fmt: skip
# a longer formula is no number that a table could show beside others
_LONGEST = 14


def pair_columns(unit: Unit) -> list[Column]:
    return [
        Column("before", "before", unit),
        Column("after", "after", unit),
        Column("change", "change", unit),
        Column("relative", "relative", Unit.SHARE),
    ]


def totals(rows: Iterable[DiffRow]) -> Table:
    mine = {row.metric: row for row in rows if row.kind is RowKind.TOTAL}
    cells: list[Sequence[Value]] = [
        [label, *_numbers(mine[metric])]
        for metric, label in _TOTALS.items()
        if metric in mine and mine[metric].significant is not False and not _is_long(mine[metric])
    ]
    return Table([Column("metric", "model"), *pair_columns(Unit.SCALED)], cells, "The model")


def _is_long(row: DiffRow) -> bool:
    """The FLOPs of all ops: where their formula is no short one, JSON has it."""
    values = [one.value for one in row.quantities or ()]
    long = [one for one in values if isinstance(one, Dim) and len(formula(one)) > _LONGEST]
    return row.metric == "flops_all" and bool(long)


def peaks(rows: Iterable[DiffRow]) -> Table:
    mine = [row for row in rows if row.metric.endswith("_bytes") and row.change]
    cells: list[Sequence[Value]] = [[row.name, *_numbers(row)] for row in mine]
    columns = [Column("name", "device"), *pair_columns(Unit.BYTES)]
    return Table(columns, cells, "Peak memory", Fold(SHOWN))


def counts(rows: Iterable[DiffRow], kind: RowKind) -> Table:
    """Classes of layers, or op types."""
    mine = [row for row in rows if row.kind is kind and row.metric == "count"]
    mine.sort(key=lambda row: -row.size)
    title, name = _COUNTED[kind]
    cells: list[Sequence[Value]] = [[row.name, *_numbers(row)] for row in mine]
    return Table([Column("name", name), *pair_columns(Unit.COUNT)], cells, title, Fold(SHOWN))


def _numbers(row: DiffRow) -> list[Value]:
    """Formulas as people write them."""
    cells: Sequence[Value] = row.quantities or (row.before, row.after, row.change)
    return [*cells, share_of(row)]


def share_of(row: DiffRow) -> Value:
    """What was nothing is new; of formulas, a share is known where it is the same for all sizes."""
    if row.relative is None:
        return "new" if row.before == 0 else "" if isinstance(row.change, str) else None
    return row.relative


def layers(found: DiffResult) -> Table:
    """Layers that are new, gone, renamed, fed by others, of another shape or of other costs."""
    told = _by_layer(found.rows)
    cells: list[Sequence[Value]] = [
        [name, _word(one), _became(one), _moved(one, "params"), _moved(one, "flops")]
        for name, one in sorted(told.items(), key=_by_effect(found))
    ]
    columns = [
        Column("layer", "layer"), Column("what", "what"), Column("became", "is", Unit.PROSE),
        Column("params", "params", Unit.SCALED), Column("flops", "FLOPs", Unit.SCALED),
    ]  # fmt: skip
    return Table(columns, cells, "Layers", Fold(SHOWN))


def layers_in_words(found: DiffResult) -> str:
    """5 changed, 171 new, 160 gone; nothing where none did."""
    words = [_word(one) for one in _by_layer(found.rows).values()]
    return ", ".join(f"{words.count(word):,} {word}" for word in _WORDS if word in words)


def _by_layer(rows: Iterable[DiffRow]) -> dict[str, dict[str, DiffRow]]:
    mine: dict[str, dict[str, DiffRow]] = {}
    for row in rows:
        if row.kind is RowKind.LAYER and not row.is_time:
            mine.setdefault(row.name, {})[row.metric] = row
    return mine


def _by_effect(found: DiffResult) -> Callable[[tuple[str, Mapping[str, DiffRow]]], float]:
    """What moves the most of all that moved, in parameters or FLOPs; names alone move nothing."""
    moved = {
        metric: sum(row.size for row in found.rows if _is_cost(row, metric))
        for metric in ("params", "flops")
    }

    def effect(pair: tuple[str, Mapping[str, DiffRow]]) -> float:
        rows = pair[1]
        shares = [rows[one].size / all_ for one, all_ in moved.items() if all_ and one in rows]
        return -max(shares, default=0.0) - 1e-9 * (_word(rows) != "renamed")

    return effect


def _is_cost(row: DiffRow, metric: str) -> bool:
    return row.kind is RowKind.LAYER and row.metric == metric


def _word(told: Mapping[str, DiffRow]) -> str:
    if "layer" in told:
        return "new" if told["layer"].before is None else "gone"
    only = {*told} <= {"name", "reads"}
    return "renamed" if "name" in told and only else "changed"


def _became(told: Mapping[str, DiffRow]) -> str:
    if "layer" in told:
        return str(told["layer"].after or told["layer"].before)
    said = [str(told["name"].after)] if "name" in told else []
    said += [
        f"{told[metric].before or '?'} → {told[metric].after or '?'}"
        for metric in ("output_shape", "class")
        if metric in told
    ]
    if "reads" in told:
        said.append(f"reads {told['reads'].after or 'nothing'}")
    return ", ".join(said)


def _moved(told: Mapping[str, DiffRow], metric: str) -> Value:
    row = told.get(metric)
    return "" if row is None else row.quantities[2] if row.quantities else row.change


def signed(write: Callable[[float], str], row: DiffRow) -> str:
    """A change with its sign; formulas as people write them."""
    moved = row.quantities[2] if row.quantities is not None else Quantity(row.change_number)
    value = moved.value
    if value is None:
        return "?"
    if isinstance(value, Dim):
        text = formula(value)
        return f"−{text[1:]}" if text.startswith("-") else f"+{text}"
    return signed_number(write, value)


def signed_number(write: Callable[[float], str], value: float) -> str:
    return f"{'−' if value < 0 else '+'}{write(abs(value))}"
