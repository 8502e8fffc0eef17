"""The four views as text, laid out as the original tool lays them out."""

from __future__ import annotations

from collections.abc import Iterator

from tfprof.renderers.original_text import CORRECTED, ORIGINAL, Spelling, Write
from tfprof.renderers.tensor_dump import tensor_dump
from tfprof.views import costs as c
from tfprof.views.costs import ROOT_NAME, CostRow, CostTreeView, InputShape, OpCostRow, OpCostView

_MEMORY = (
    ("bytes", c.BYTES, "requested bytes"),
    ("peak_bytes", c.PEAK, "peak bytes"),
    ("residual_bytes", c.RESIDUAL, "residual bytes"),
    ("output_bytes", c.OUTPUT, "output bytes"),
)
_TIMES = (
    ("accelerator_micros", c.ACCELERATOR, "accelerator execution time"),
    ("cpu_micros", c.CPU, "cpu execution time"),
)
_TOTAL_TIME = (c.MICROS, "total execution time")


def _spelling(style: str) -> Spelling:
    return ORIGINAL if style == "original" else CORRECTED


def tree_text(view: CostTreeView) -> str:
    """A line a node: self/total of what is selected; the late style has a legend above."""
    spelling, early = _spelling(view.style), view.style == "early"
    lines = []
    if not early:
        titles = _op_titles(view.select) if view.of_code else _tree_titles(view.select)
        lines.append("node name | " + " | ".join(titles))
    of_row = _code_fields if view.of_code else _tree_fields
    # a line about hidden nodes pushes what stands below it one level in
    extra: list[int] = []
    for row in view.rows:
        more = extra[row.parent] if row.parent >= 0 else 0
        if row.hidden:
            lines.append(f"{'  ' * (row.indent + more)}...hidden {row.hidden}...")
            more += 1
        extra.append(more)
        fields = ", ".join(of_row(row, view.select, spelling, early=early))
        shown = f" ({fields})" if view.select or not early else ""
        lines.append(f"{'  ' * (row.indent + more)}{row.name}{shown}")
        if row.value is not None:
            lines.append(tensor_dump(row.value.values, row.value.shape).removesuffix("\n"))
    return "\n".join(lines) + "\n"


def _tree_titles(select: frozenset[str]) -> Iterator[str]:
    if "params" in select:
        yield "# parameters"
    if "float_ops" in select:
        yield "# float_ops"
    yield from (title for key, _, title in _MEMORY if key in select)
    yield from (title for _, title in _times(select))
    if "device" in select:
        yield "assigned devices"
    if "op_types" in select:
        yield "op types"
    if "occurrence" in select:
        yield "op count (run|defined)"
    if "input_shapes" in select:
        yield "input shapes"


def _times(select: frozenset[str]) -> Iterator[tuple[int, str]]:
    if "micros" in select:
        yield _TOTAL_TIME
    yield from (
        (column, title) for key, column, title in _TIMES if key in select or "micros" in select
    )


def _both(row: CostRow, column: int, write: Write) -> str:
    own = write(row.own[column]) if row.accounted else "--"
    return f"{own}/{write(row.total[column])}"


def _costs(
    row: CostRow, select: frozenset[str], spelling: Spelling, *, early: bool
) -> Iterator[str]:
    yield from (_both(row, column, spelling.memory) for key, column, _ in _MEMORY if key in select)
    if early and "micros" in select:
        yield _both(row, c.MICROS, spelling.time)
        return
    yield from (_both(row, column, spelling.time) for column, _ in _times(select))


def _code_fields(
    row: CostRow, select: frozenset[str], spelling: Spelling, *, early: bool
) -> Iterator[str]:
    yield from _costs(row, select, spelling, early=early)
    if "params" in select:
        yield f"{_both(row, c.PARAMS, spelling.number)} params"
    if "float_ops" in select:
        yield f"{_both(row, c.FLOAT_OPS, spelling.number)} flops"
    if "device" in select and row.devices:
        yield "|".join(row.devices)
    if "op_types" in select:
        yield "|".join(row.types)
    if "occurrence" in select:
        yield "occurrence N/A in code view"
    if "input_shapes" in select:
        yield "input_shapes N/A in code view"


def _tree_fields(
    row: CostRow, select: frozenset[str], spelling: Spelling, *, early: bool
) -> Iterator[str]:
    if "params" in select:
        if row.shape:
            yield "x".join(str(dim) for dim in row.shape)
        yield f"{_both(row, c.PARAMS, spelling.number)} params"
    if "float_ops" in select:
        yield f"{_both(row, c.FLOAT_OPS, spelling.number)} flops"
    yield from _costs(row, select, spelling, early=early)
    if "device" in select and row.device:
        yield row.device
    if "op_types" in select:
        yield "|".join(row.types)
    if "occurrence" in select:
        runs = _both(row, c.RUNS, spelling.number)
        yield f"{runs}|{_both(row, c.DEFINED, spelling.number)}"
    if "input_shapes" in select:
        yield "|".join(_input(at, shape) for at, shape in row.inputs)


def _input(at: int, shape: InputShape) -> str:
    return f"{at}:{'unknown' if shape is None else 'x'.join(str(dim) for dim in shape) or '1'}"


def op_text(view: OpCostView) -> str:
    """Legend, then a row a type: its own cost, with the running and its own share."""
    if view.empty_graph:
        root = OpCostRow(ROOT_NAME, view.root_total, view.root_total, 0)
        return _op_row(root, view) + "\n"
    lines = ["node name | " + " | ".join(_op_titles(view.select))]
    lines += [_op_row(row, view) for row in view.rows]
    return "\n".join(lines) + "\n"


def _op_titles(select: frozenset[str]) -> Iterator[str]:
    yield from (title for key, _, title in _MEMORY if key in select)
    yield from (title for _, title in _times(select))
    if "params" in select:
        yield "# parameters"
    if "float_ops" in select:
        yield "# float_ops"
    if "device" in select:
        yield "assigned devices"
    if "op_types" in select:
        yield "op types"
    if "occurrence" in select:
        yield "op occurrence (run|defined)"
    if "input_shapes" in select:
        yield "input shapes"


def _op_row(row: OpCostRow, view: OpCostView) -> str:
    text = f"{row.op:<25}" + ", ".join(_op_cells(row, view))
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
        shares = (0.0, 0.0)
        if guard > 0:
            shares = (100.0 * row.total[column] / whole, 100.0 * row.own[column] / whole)
        return f"{own} ({shares[0]:.2f}%, {shares[1]:.2f}%)".rjust(30)

    for key, column, _ in _MEMORY:
        if key in select:
            yield cell(column, memory(row.own[column]), row.own[column])
    for column, _ in _times(select):
        yield cell(column, time(row.own[column]), row.total[column])
    if "params" in select:
        yield cell(c.PARAMS, f"{number(row.own[c.PARAMS])} params", row.total[c.PARAMS])
    if "float_ops" in select:
        yield cell(c.FLOAT_OPS, f"{number(row.own[c.FLOAT_OPS])} float_ops", row.total[c.FLOAT_OPS])
    if "device" in select:
        yield "|".join(row.devices)
    if "op_types" in select:
        yield "|".join(row.types)
    if "occurrence" in select:
        yield f"{row.own[c.RUNS]}|{row.nodes}".rjust(10)


def _signature(signature: c.InputSignature, write: Write) -> str:
    shapes = ",\t".join(_input(at, shape) for at, shape in signature.shapes)
    counts = f"(run*{signature.runs}|defined*{signature.defined})"
    return f"input_type: {shapes}\t{counts}\texec_time: {write(signature.micros)}"
