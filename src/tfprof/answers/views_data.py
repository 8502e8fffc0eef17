"""The four views as results: the text of the original, and the data behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tfprof.analyses.accounting.nodes import Nodes, build_nodes
from tfprof.analyses.inference.sites import Given
from tfprof.answers.common import used_inputs
from tfprof.answers.cost_views import (
    code_view,
    graph_view,
    op_view,
    scope_view,
    with_what_is_asked,
)
from tfprof.errors import UsageError
from tfprof.model.options import Options, traced
from tfprof.model.profile import ProfileData
from tfprof.views import costs as c
from tfprof.views.costs import CostTreeView, OpCostView
from tfprof.views.result import Result
from tfprof.views.shapes import Report

_KEYS = {
    "params": c.PARAMS, "float_ops": c.FLOAT_OPS, "bytes": c.BYTES, "peak_bytes": c.PEAK,
    "residual_bytes": c.RESIDUAL, "output_bytes": c.OUTPUT, "micros": c.MICROS,
    "accelerator_micros": c.ACCELERATOR, "cpu_micros": c.CPU, "occurrence": c.RUNS,
}  # fmt: skip
VIEWS: Mapping[str, Callable[[ProfileData, Options, Nodes | None], CostTreeView | OpCostView]] = {
    "scope": scope_view,
    "graph": graph_view,
    "op": op_view,
    "code": code_view,
}
_WHOLE = "times are of the whole capture, not of one step"


def start_of(data: ProfileData) -> Options | None:
    """What the options of the early style start from, if not from the README's."""
    return traced() if data.graph is None and data.trace is not None else None


def cost_view(
    command: str, data: ProfileData, options: Options, nodes: Nodes | None = None
) -> CostTreeView | OpCostView:
    """One of the four views; an unknown step is an error that lists the known ones."""
    steps = data.trace.steps if data.trace is not None else ()
    if options.step >= 0 and options.step not in steps:
        known = ", ".join(str(step) for step in steps) or "none"
        raise UsageError(f"step {options.step} was not recorded", hint=f"Recorded steps: {known}.")
    return VIEWS[command](data, options, nodes)


def view_result(
    command: str,
    data: ProfileData,
    options: Options,
    nodes: Nodes | None = None,
    given: Given | None = None,
) -> Result:
    """`nodes` that were prepared for an earlier question save their preparation."""
    if nodes is None:
        data = with_what_is_asked(data, options, given)
        nodes = build_nodes(data, options.step, compat=options.compat)
    view = cost_view(command, data, options, nodes)

    def content() -> dict[str, Any]:
        return _op_data(view) if isinstance(view, OpCostView) else _tree_data(view)

    return Result(command, used_inputs(data), warnings_of(data), content, Report("", "", [view]))


def warnings_of(data: ProfileData) -> list[str]:
    """Those of the files, and what all four views lack."""
    warnings = list(data.warnings)
    if data.graph is None:
        warnings.append("no graph was given: nodes are known by the run alone")
    if data.trace is not None and len(data.trace.executions) and not data.trace.steps:
        warnings.append(_WHOLE)
    return warnings


def _tree_data(view: CostTreeView) -> dict[str, Any]:
    rows = view.rows
    columns = zip(
        rows.names,
        rows.parent.tolist(),
        rows.accounted.tolist(),
        rows.own.tolist(),
        rows.total.tolist(),
        strict=True,
    )
    return {
        "nodes": [
            {
                "id": position,
                "parent": parent if parent >= 0 else None,
                "name": name,
                "accounted": accounted,
                "self": _named(own),
                "total": _named(total),
            }
            for position, (name, parent, accounted, own, total) in enumerate(columns)
        ]
    }


def _op_data(view: OpCostView) -> dict[str, Any]:
    return {
        "rows": [
            {"op": row.op, "self": _named(row.own), "occurrence": row.nodes} for row in view.rows
        ],
        "total": _named(view.root_total),
    }


def _named(costs: Sequence[int]) -> dict[str, int]:
    return {key: costs[column] for key, column in _KEYS.items()}
