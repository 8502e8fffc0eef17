"""The four views as text, laid out as the original tool lays them out."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tfprof.renderers.original_text import memory, number, time
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
_Write = Callable[[int], str]


def tree_text(view: CostTreeView) -> str:
    """Legend, then a line a node: self/total of what is selected."""
    lines = ["node name | " + " | ".join(_tree_titles(view.select))]
    for row in view.rows:
        fields = ", ".join(_tree_fields(row, view.select))
        lines.append(f"{'  ' * row.indent}{row.name} ({fields})")
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


def _tree_fields(row: CostRow, select: frozenset[str]) -> Iterator[str]:
    def both(column: int, write: _Write) -> str:
        own = write(row.own[column]) if row.accounted else "--"
        return f"{own}/{write(row.total[column])}"

    if "params" in select:
        if row.shape:
            yield "x".join(str(dim) for dim in row.shape)
        yield f"{both(c.PARAMS, number)} params"
    if "float_ops" in select:
        yield f"{both(c.FLOAT_OPS, number)} flops"
    yield from (both(column, memory) for key, column, _ in _MEMORY if key in select)
    yield from (both(column, time) for column, _ in _times(select))
    if "device" in select and row.device:
        yield row.device
    if "op_types" in select:
        yield "|".join(row.types)
    if "occurrence" in select:
        yield f"{both(c.RUNS, str)}|{both(c.DEFINED, str)}"
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
        text += "\n\n" + "".join(f"{_signature(s)}\n" for s in row.signatures)
    return text


def _op_cells(row: OpCostRow, view: OpCostView) -> Iterator[str]:
    select = view.select

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
    if "input_shapes" in select:
        yield ""


def _signature(signature: c.InputSignature) -> str:
    shapes = ",\t".join(_input(at, shape) for at, shape in signature.shapes)
    counts = f"(run*{signature.runs}|defined*{signature.defined})"
    return f"input_type: {shapes}\t{counts}\texec_time: {time(signature.micros)}"
