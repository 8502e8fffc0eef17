"""The four views as text, laid out as the original tool lays them out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tfprof.model import metrics
from tfprof.model.quantity import Kind
from tfprof.printable import are_printable, printable, printable_lines
from tfprof.renderers.text.original_numbers import CORRECTED, ORIGINAL, Spelling, Write
from tfprof.renderers.text.tensor_dump import tensor_dump
from tfprof.results import trees as c
from tfprof.results.trees import ROOT_NAME, CostRows, OpCostRow, Shape
from tfprof.views.trees import CostTreeView, OpCostView
from tfprof.wire.distinct import alike, numbered

Column = Iterable[str | None]
# by the column of a metric, of some rows
_Costs = Mapping[int, npt.NDArray[np.int64]]
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_MEMORY = (metrics.BYTES, metrics.PEAK, metrics.RESIDUAL, metrics.OUTPUT)
_TIMES = (metrics.MICROS, metrics.ACCELERATOR, metrics.CPU)
_COUNTS = (metrics.PARAMS, metrics.FLOAT_OPS)
_UNKNOWN, _LEAST = Kind.UNKNOWN.mark, Kind.AT_LEAST.mark


def _spelling(style: str) -> Spelling:
    return ORIGINAL if style == "original" else CORRECTED


def tree_text(view: CostTreeView) -> str:
    """A line a node: self/total of what is selected; the late style has a legend above."""
    spelling, early = _spelling(view.style), view.style == "early"
    legend = []
    if not early:
        titles = _op_titles(view.select) if view.of_code else _tree_titles(view.select)
        legend.append("node name | " + " | ".join(titles))
    of_rows = _code_columns if view.of_code else _tree_columns
    columns = list(of_rows(view.rows, view.select, spelling, early=early))
    is_framed = bool(view.select) or not early
    quick = _quick_lines(view.rows, columns) if is_framed else None
    if quick is not None:
        return "".join([*(f"{line}\n" for line in legend), *quick])
    fields = _joined(columns, len(view.rows))
    framed = (f" ({text})" for text in fields) if is_framed else repeat("")
    lines = _lines(view.rows, framed)
    return "\n".join([*legend, lines]) + "\n"


def _quick_lines(rows: CostRows, columns: list[Column]) -> list[str] | None:
    """Pieces of all lines, if there are only names and costs in them, and nothing to spell out."""
    if len(columns) != 1 or rows.hidden is not None or rows.values:
        return None
    costs = columns[0]
    if not isinstance(costs, _Shared) or not are_printable(rows.names):
        return None
    depths = range(int(rows.indent.max(initial=0)) + 1)
    pieces = [""] * (3 * len(rows))
    pieces[0::3] = _Shared(["  " * depth for depth in depths], rows.indent)
    pieces[1::3] = rows.names
    pieces[2::3] = _Shared([f" ({text})\n" for text in costs.texts], costs.which)
    return pieces


def _joined(columns: list[Column], count: int) -> Iterable[str]:
    """The texts of each row; None is left out."""
    if not columns:
        return repeat("", count)
    if any(None in column for column in columns):
        rows = zip(*columns, strict=True)
        return (", ".join(text for text in row if text is not None) for row in rows)
    return map(", ".join, zip(*columns, strict=True))


def _lines(rows: CostRows, framed: Iterable[str]) -> str:
    named = zip(rows.indent.tolist(), rows.names, framed, strict=False)
    if rows.hidden is None and not rows.values:
        return printable_lines([f"{'  ' * indent}{name}{text}" for indent, name, text in named])
    return "\n".join(_lines_with_more(rows, named))


def _lines_with_more(rows: CostRows, named: Iterable[tuple[int, str, str]]) -> Iterator[str]:
    """With how many nodes were passed over, and the values of tensors."""
    # a line about hidden nodes pushes what stands below it one level in
    extra: list[int] = []
    hidden = rows.hidden.tolist() if rows.hidden is not None else [0] * len(rows)
    for at, (indent, name, text) in enumerate(named):
        more = extra[rows.parent[at]] if at else 0
        if hidden[at]:
            yield f"{'  ' * (indent + more)}...hidden {hidden[at]}..."
            more += 1
        extra.append(more)
        yield printable("  " * (indent + more) + name + text)
        value = rows.values.get(at)
        if value is not None:
            yield tensor_dump(value.values, value.shape).removesuffix("\n")


def _tree_titles(select: frozenset[str]) -> Iterator[str]:
    columns = (*_chosen(_COUNTS, select), *_chosen(_MEMORY, select), *_times(select))
    yield from (metrics.METRICS[column].title for column in columns)
    if "device" in select:
        yield "assigned devices"
    if "op_types" in select:
        yield "op types"
    if "occurrence" in select:
        yield metrics.METRICS[metrics.RUNS].title
    if "input_shapes" in select:
        yield "input shapes"


def _chosen(columns: Sequence[int], select: frozenset[str]) -> list[int]:
    return [column for column in columns if metrics.NAMES[column] in select]


def _times(select: frozenset[str]) -> Sequence[int]:
    """The time of both has both beside it."""
    return _TIMES if "micros" in select else _chosen(_TIMES, select)


class _Cell(NamedTuple):
    """A cost as it is written."""

    column: int
    write: Write
    unit: str = ""


class _Shared(Iterable[str]):
    """A text for each of many rows, of which most share one."""

    def __init__(self, texts: Sequence[str], which: Ints) -> None:
        self.texts, self.which = texts, which

    def __iter__(self) -> Iterator[str]:
        found: list[str] = np.array(self.texts, object)[self.which].tolist()
        return iter(found)


def _texts(rows: CostRows, *cells: _Cell) -> _Shared:
    """The cells of each row, as one text.

    Most rows of a large graph cost nothing, and many others the same: they share it.
    """
    used = [cell.column for cell in cells]
    used += [metrics.LOST_OF[column] for column in used if column in metrics.LOST_OF]
    differs = ~rows.accounted
    for column in used:
        differs |= rows.own[:, column] != 0
        differs |= rows.total[:, column] != 0
    costly = np.flatnonzero(differs)
    counts = rows.accounted[costly]
    of_rows = [{key: costs[:, key][costly] for key in used} for costs in (rows.own, rows.total)]
    ones, like = alike([counts, *(column for costs in of_rows for column in costs.values())])
    own, total = ({key: np.append(0, costs[key][ones]) for key in used} for costs in of_rows)
    counts = np.append(True, counts[ones])
    columns: list[list[str]] = []
    for cell in cells:
        # without an accelerator all time is that of the CPU
        before = zip(columns, cells, strict=False)
        same = [texts for texts, other in before if _is_alike(cell, other, own, total)]
        columns.append(same[0] if same else _both(own, total, counts, cell, rows.unknown))
    which = np.zeros(len(rows), np.int64)
    which[costly] = like + 1
    return _Shared([*map(", ".join, zip(*columns, strict=True))], which)


def _is_alike(cell: _Cell, other: _Cell, own: _Costs, total: _Costs) -> bool:
    """Whether both are written with the same texts; one run tells all times, or none."""
    one, two = cell.column, other.column
    return {one, two} <= {*_TIMES} and all(
        np.array_equal(costs[one], costs[two]) for costs in (own, total)
    )


def _both(
    own: _Costs, total: _Costs, counts: Mask, cell: _Cell, unknown: Mapping[str, str]
) -> list[str]:
    """A row's own cost, unless it does not count, and the total."""
    column, write, unit = cell
    if metrics.NAMES[min(column, metrics.RUNS)] in unknown and column != metrics.DEFINED:
        totals, owns = [_UNKNOWN] * len(counts), [_UNKNOWN] * len(counts)
    else:
        totals, owns = (_known(costs, column, write) for costs in (total, own))
    for at in np.flatnonzero(~counts).tolist():
        owns[at] = "--"
    return [f"{one}/{all_}{unit}" for one, all_ in zip(owns, totals, strict=True)]


def _known(costs: _Costs, column: int, write: Write) -> list[str]:
    """Of a sum that misses a part the known one; unknown where none is."""
    texts = _written(costs[column], write)
    lost = metrics.LOST_OF.get(column)
    for at in np.flatnonzero(costs[lost]).tolist() if lost is not None else ():
        texts[at] = f"{_LEAST}{texts[at]}" if costs[column][at] else _UNKNOWN
    return texts


def _written(values: Ints, write: Write) -> list[str]:
    """Each number as text; most numbers of a column occur many times."""
    distinct, which = numbered(values)
    return [*_Shared([*map(write, distinct.tolist())], which)]


def _costs(select: frozenset[str], spelling: Spelling, *, early: bool) -> list[_Cell]:
    cells = [_Cell(column, spelling.memory) for column in _chosen(_MEMORY, select)]
    if early and "micros" in select:
        return [*cells, _Cell(metrics.MICROS, spelling.time)]
    return cells + [_Cell(column, spelling.time) for column in _times(select)]


def _counts(select: frozenset[str], spelling: Spelling) -> list[_Cell]:
    units = {metrics.PARAMS: " params", metrics.FLOAT_OPS: " flops"}
    return [_Cell(column, spelling.number, units[column]) for column in _chosen(_COUNTS, select)]


def _code_columns(
    rows: CostRows, select: frozenset[str], spelling: Spelling, *, early: bool
) -> Iterator[Column]:
    cells = [*_costs(select, spelling, early=early), *_counts(select, spelling)]
    if cells:
        yield _texts(rows, *cells)
    if "device" in select:
        yield ["|".join(devices) if devices else None for devices in rows.devices]
    if "op_types" in select:
        yield ["|".join(types) for types in rows.types]
    if "occurrence" in select:
        yield ["occurrence N/A in code view"] * len(rows)
    if "input_shapes" in select:
        yield ["input_shapes N/A in code view"] * len(rows)


def _tree_columns(
    rows: CostRows, select: frozenset[str], spelling: Spelling, *, early: bool
) -> Iterator[Column]:
    if "params" in select:
        shapes = map(rows.shapes.get, range(len(rows)))
        yield ["x".join(map(str, shape)) if shape else None for shape in shapes]
    cells = [*_counts(select, spelling), *_costs(select, spelling, early=early)]
    if cells:
        yield _texts(rows, *cells)
    if "device" in select:
        yield [device or None for device in rows.device]
    if "op_types" in select:
        yield ["|".join(types) for types in rows.types]
    if "occurrence" in select:
        runs = _texts(rows, _Cell(metrics.RUNS, spelling.number))
        defined = _texts(rows, _Cell(metrics.DEFINED, spelling.number))
        yield [f"{ran}|{made}" for ran, made in zip(runs, defined, strict=True)]
    if "input_shapes" in select:
        yield ["|".join(_input(at, shape) for at, shape in inputs) for inputs in rows.inputs]


def _input(at: int, shape: Shape | None) -> str:
    return f"{at}:{'unknown' if shape is None else 'x'.join(str(dim) for dim in shape) or '1'}"


def op_text(view: OpCostView) -> str:
    """Legend, then a row a type: its own cost, with the running and its own share."""
    if view.empty_graph:
        known = view.root_total.known(view.unknown)
        root = OpCostRow(ROOT_NAME, known, view.root_total, view.root_total, 0)
        return _op_row(root, view) + "\n"
    lines = ["node name | " + " | ".join(_op_titles(view.select))]
    lines += [_op_row(row, view) for row in view.rows]
    return "\n".join(lines) + "\n"


def _op_titles(select: frozenset[str]) -> Iterator[str]:
    columns = (*_chosen(_MEMORY, select), *_times(select), *_chosen(_COUNTS, select))
    yield from (metrics.METRICS[column].title for column in columns)
    if "device" in select:
        yield "assigned devices"
    if "op_types" in select:
        yield "op types"
    if "occurrence" in select:
        yield "op occurrence (run|defined)"
    if "input_shapes" in select:
        yield "input shapes"


def _op_row(row: OpCostRow, view: OpCostView) -> str:
    text = printable(f"{row.op:<25}" + ", ".join(_op_cells(row, view)))
    if "input_shapes" in view.select and row.nodes:
        write = _spelling(view.style).time
        most_runs_first = sorted((-s.runs, _signature(s, write)) for s in row.signatures)
        text += "\n\n" + "".join(f"{line}\n" for _, line in most_runs_first)
    return text


def _op_cells(row: OpCostRow, view: OpCostView) -> Iterator[str]:
    select = view.select
    spelling = _spelling(view.style)
    number, time, memory = spelling.number, spelling.time, spelling.memory

    def cell(column: int, own: str, guard: int) -> str:
        whole = view.root_total[column]
        if metrics.NAMES[column] in view.unknown:
            return _UNKNOWN.rjust(30)
        if row.own.lacks(column, view.unknown):
            own = f"{_LEAST}{own}" if row.own[column] else f"{_UNKNOWN} {metrics.NAMES[column]}"
        shares = (0.0, 0.0)
        if guard > 0:
            shares = (100.0 * row.total[column] / whole, 100.0 * row.own[column] / whole)
        return f"{own} ({shares[0]:.2f}%, {shares[1]:.2f}%)".rjust(30)

    for column in _chosen(_MEMORY, select):
        yield cell(column, memory(row.own[column]), row.own[column])
    for column in _times(select):
        yield cell(column, time(row.own[column]), row.total[column])
    for column in _chosen(_COUNTS, select):
        text = f"{number(row.own[column])} {metrics.NAMES[column]}"
        yield cell(column, text, row.total[column])
    if "device" in select:
        yield "|".join(row.devices)
    if "op_types" in select:
        yield "|".join(row.types)
    if "occurrence" in select:
        runs = _UNKNOWN if "occurrence" in view.unknown else row.own[metrics.RUNS]
        yield f"{runs}|{row.nodes}".rjust(10)


def _signature(signature: c.InputSignature, write: Write) -> str:
    shapes = ",\t".join(_input(at, shape) for at, shape in signature.shapes)
    counts = f"(run*{signature.runs}|defined*{signature.defined})"
    return f"input_type: {shapes}\t{counts}\texec_time: {write(signature.micros)}"
