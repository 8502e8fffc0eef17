"""What is this model, what does it cost, where does the cost sit? One screen."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tfprof.analyses.executed_types import executed_types
from tfprof.analyses.keras_costs import KerasCosts
from tfprof.analyses.roles import Role
from tfprof.analyses.run_cost import RunCost
from tfprof.answers import keras_static
from tfprof.answers.common import NO_STEPS, fold, recognised, used_inputs, written_by
from tfprof.answers.digest import LARGEST_IN_A_SECOND, Digest, digest
from tfprof.answers.keras_layers import keras_data, layer_rows, layers_table
from tfprof.answers.missing import missing_inputs
from tfprof.answers.static import data_of, open_sizes, warnings_of
from tfprof.answers.stored_values import (
    Done,
    Measured,
    bad_values,
    measure,
    tensors_data,
    values_table,
)
from tfprof.answers.summary_facts import facts
from tfprof.errors import UsageError
from tfprof.model import units
from tfprof.model.profile import ProfileData
from tfprof.renderers.wrapped import SCREEN_LINES, SCREEN_WIDTH, fact_lines, note_lines
from tfprof.reports.shared.question import Question
from tfprof.views.result import Result
from tfprof.views.shapes import (
    Column,
    Facts,
    Notes,
    Report,
    Table,
    Unit,
    Value,
    without_empty,
)
from tfprof.wire import dtypes

_LEAST_ROWS = 2
# blank line, heading, and the line that folds the rest
_TABLE_FRAME = 3
_SAYS_LEAST = ("Op log", "Checkpoint", "Inputs")
_NOTES_SHOWN = 2
_ROWS_IN_DATA = 20
_COMPUTED = ("macs", "flops", "flops_all", "float_ops")


def summary(
    data: ProfileData,
    signature: str | None = None,
    *,
    stats: bool = False,
    done: Done | None = None,
    question: Question | None = None,
) -> Result:
    """`stats` also reads every value of the checkpoint; `question` makes open sizes concrete."""
    known = digest(data, signature, question or Question(signature=signature))
    top, top_by = _top(known)
    measured = _measured(data, done) if stats else None
    bad = bad_values(data.checkpoint, measured) if data.checkpoint and measured else []
    missing = (f"{m.what} would add {m.adds}" for m in missing_inputs(known))
    subtitle = recognised(data.inputs) + written_by(data)
    said = Facts(list(facts(known)))
    notes = Notes([*bad, *data.warnings, *missing][:_NOTES_SHOWN])
    warned = len(bad) + len(data.warnings)
    while len(notes.lines) > warned and _room(subtitle, said, notes) <= _TABLE_FRAME:
        notes = Notes(notes.lines[:-1])  # where the cost sits comes before what could be added
    # warnings stay; where they take the room of the table, what was given says least
    for label in _SAYS_LEAST:
        if _room(subtitle, said, notes) < _TABLE_FRAME + _LEAST_ROWS:
            said = Facts([row for row in said.rows if row[0] != label])
    tables = _tables(known, top, top_by, measured, _room(subtitle, said, notes))
    return Result(
        "summary",
        used_inputs(data),
        [*bad, *data.warnings, *_unknowns(known)],
        _as_data(known, top, top_by) | _stored_data(data, measured) | keras_data(data.keras),
        Report(data.title, subtitle, without_empty([said, *tables, notes])),
    )


def _room(subtitle: str, said: Facts, notes: Notes) -> int:
    """The lines of one screen that are left for tables."""
    taken = 1 + len(textwrap.wrap(subtitle, SCREEN_WIDTH))
    for lines in (fact_lines(said, SCREEN_WIDTH), note_lines(notes, SCREEN_WIDTH)):
        taken += len(lines) + 1 if lines else 0
    return SCREEN_LINES - taken


def _tables(
    known: Digest,
    top: list[dict[str, Any]],
    top_by: str | None,
    measured: Measured | None,
    room: int,
) -> list[Table]:
    """Where the cost sits: values if they were asked for, else time, layers or variables."""
    checkpoint = known.data.checkpoint
    one = room - _TABLE_FRAME
    if one < 1:
        return []
    if measured is not None and checkpoint is not None:
        return [values_table(checkpoint, measured, one)]
    if top_by == "time":
        two = room - 2 * _TABLE_FRAME
        if two < 2 * _LEAST_ROWS:
            return [_types_table(top, one)]
        return [_types_table(top, two - two // 2), _nodes_table(top, two // 2)]
    if known.data.keras is not None and top:
        return [layers_table(top, one)]
    return [_variables_table(top, one)] if top_by == "params" else []


def _measured(data: ProfileData, done: Done | None) -> Measured:
    if data.checkpoint is None:
        raise UsageError("--stats needs a checkpoint", hint="tfprof CHECKPOINT --stats")
    return measure(data.checkpoint, done)


def _stored_data(data: ProfileData, measured: Measured | None) -> dict[str, Any]:
    checkpoint = data.checkpoint
    if checkpoint is None:
        return {}
    return {
        "checkpoint": {
            "path": checkpoint.path,
            "version": checkpoint.version,
            "shards": checkpoint.shards,
            "tensors": tensors_data(checkpoint, measured),
        }
    }


def _top(known: Digest) -> tuple[list[dict[str, Any]], str | None]:
    """The costliest rows: by time if there was a run, else by parameters."""
    if known.run is not None:
        types = executed_types(known.data)
        return [
            {
                "name": cost.name,
                "op": cost.op or types.get(cost.name),
                "time_us": cost.micros,
                "requested_bytes": cost.requested,
                "runs": cost.runs,
            }
            for cost in known.run.nodes
        ], "time"
    if known.data.keras is not None:
        return layer_rows(known.data.keras), "params"
    held = [v for v in known.parameters.variables if v.elements]
    held.sort(key=lambda v: (-(v.elements or 0), v.name))
    graph = known.data.graph
    if not held:
        return [], None
    return [
        {
            "name": v.name,
            "op": graph.ops[graph.index[v.name]] if graph is not None else None,
            "shape": list(v.shape or ()),
            "params": v.elements,
            "role": v.role.value if v.role else None,
        }
        for v in held
    ], "params"


def _types_table(top: list[dict[str, Any]], shown: int) -> Table:
    """Time by op type."""
    kinds: dict[str, list[float]] = {}
    for row in top:
        sums = kinds.setdefault(row["op"] or "(not in the graph)", [0, 0, 0])
        for place, key in enumerate(("runs", "time_us", "requested_bytes")):
            sums[place] += row[key] or 0
    ordered = sorted(kinds.items(), key=lambda item: (-item[1][1], item[0]))
    whole = sum(sums[1] for sums in kinds.values())
    columns = [
        Column("op", "op type"),
        Column("runs", "runs", Unit.COUNT),
        Column("time_us", "time", Unit.MICROS),
        Column("share", "share", Unit.SHARE),
        Column("requested_bytes", "requested", Unit.BYTES),
    ]
    rows: list[list[Value]] = [
        [kind, runs, time, time / whole if whole else 0, requested]
        for kind, (runs, time, requested) in ordered[:shown]
    ]
    rest = [sums[1] for _, sums in ordered[shown:]]
    title = "Costliest op types"
    return _without_requests(Table(columns, rows, title, fold(rest, whole)), top)


def _nodes_table(top: list[dict[str, Any]], shown: int) -> Table:
    whole = sum(row["time_us"] for row in top)
    columns = [
        Column("name", "node"),
        Column("time_us", "time", Unit.MICROS),
        Column("share", "share", Unit.SHARE),
        Column("requested_bytes", "requested", Unit.BYTES),
    ]
    rows: list[list[Value]] = [
        [r["name"], r["time_us"], r["time_us"] / whole if whole else 0, r["requested_bytes"]]
        for r in top[:shown]
    ]
    rest = [row["time_us"] for row in top[shown:]]
    return _without_requests(Table(columns, rows, "Costliest nodes", fold(rest, whole)), top)


def _without_requests(table: Table, top: list[dict[str, Any]]) -> Table:
    """A capture of TensorFlow 2 does not tell what ops asked their allocators for."""
    if any(row["requested_bytes"] is not None for row in top):
        return table
    return replace(table, columns=table.columns[:-1], rows=[list(row[:-1]) for row in table.rows])


def _variables_table(top: list[dict[str, Any]], shown: int) -> Table:
    whole = sum(row["params"] for row in top)
    columns = [
        Column("name", "variable"),
        Column("shape", "shape"),
        Column("role", "role"),
        Column("params", "params", Unit.COUNT),
        Column("share", "share", Unit.SHARE),
    ]
    rows: list[list[Value]] = [
        [r["name"], units.shape(tuple(r["shape"])), r["role"], r["params"], r["params"] / whole]
        for r in top[:shown]
    ]
    rest = [row["params"] for row in top[shown:]]
    return Table(columns, rows, "Largest variables", fold(rest, whole))


def _as_data(known: Digest, top: list[dict[str, Any]], top_by: str | None) -> dict[str, Any]:
    parameters = known.parameters
    run = known.run
    return {
        "params": {
            **{role.value: parameters.by_role[role].value for role in Role},
            "total": parameters.total.value,
            "bytes": parameters.bytes_by_dtype,
        },
        **_computed(known),
        **_memory_data(known),
        "time": {
            "step_us": run.span_us if run and run.steps else None,
            "op_us": run.op_us if run else None,
            "span_us": run.span_us * max(1, run.steps) if run else None,
            "steps": run.steps or None if run else None,
            **({"input_bound": known.steps.input_share} if known.steps else {}),
        },
        "requested_bytes": run.requested if run else None,
        "nodes": len(known.part.rows) if known.data.graph is not None else None,
        "function_nodes": known.part.function_nodes if known.data.graph is not None else None,
        "ops": known.op_counts,
        "inputs": [
            {"name": s.name, "dtype": dtypes.name(s.dtype), "shape": _dims(s.shape)}
            for s in known.inputs
        ],
        "top": top[:_ROWS_IN_DATA],
        "top_by": top_by,
    }


def _memory_data(known: Digest) -> dict[str, Any]:
    """What was measured comes before what is estimated."""
    memory = known.memory
    estimated = memory and {device: one.expected for device, one in memory.peaks.items()}
    if not known.measured:
        kind = "estimated" if estimated is not None else None
        return {"peak_memory": estimated, "memory_kind": kind}
    measured = {one.device: one.peak for one in known.measured}
    found: dict[str, Any] = {"peak_memory": measured, "memory_kind": "measured"}
    return found if estimated is None else found | {"estimated_peak_memory": estimated}


def _computed(known: Digest) -> dict[str, Any]:
    """FLOPs of the graph; an op log has the last word on what tfprof counts."""
    keys = (*_COMPUTED, "uncounted_ops", "phases", "computed")
    nothing: dict[str, Any] = dict.fromkeys(keys) | {"symbols": []}
    found: dict[str, Any] = {}
    if known.static is not None:
        found = data_of(known.static)
    elif known.keras is not None:
        found = keras_static.data_of(known.keras, known.question)
    if known.logged_float_ops is not None:
        found["float_ops"] = known.logged_float_ops
        found.pop("float_ops_formula", None)
    # a formula stands beside its number
    return {
        key: (found.get(key, empty) if key in nothing else found[key])
        for name, empty in nothing.items()
        for key in (name, f"{name}_formula")
        if key in nothing or key in found
    }


def _dims(shape: tuple[int | None, ...] | None) -> list[int | None] | None:
    return None if shape is None else list(shape)


def _unknowns(known: Digest) -> list[str]:
    """Every null of the data, with its reason."""
    found: dict[str, list[str]] = {}
    for role in Role:
        quantity = known.parameters.by_role[role]
        if quantity.value is None:
            found.setdefault(quantity.reason, []).append(f"params.{role.value}")
    if known.parameters.total.value is None:
        found.setdefault(known.parameters.total.reason, []).append("params.total")
    if known.memory is None and not known.measured:
        found.setdefault(_why_no_memory(known), []).extend(["peak_memory", "memory_kind"])
    if known.static is None and known.keras is not None:
        numbers = _computed(known)
        nulls = [key for key in (*_COMPUTED, "uncounted_ops") if numbers[key] is None]
        formulas = [key for key in nulls if f"{key}_formula" in numbers]
        if formulas:
            found.setdefault("formulas: --batch 32 makes them numbers", []).extend(formulas)
        lost = [key for key in nulls if key not in formulas]
        if lost:
            found.setdefault("; ".join(_of_layers(known.keras)), []).extend(lost)
    elif known.static is None:
        found.setdefault(_why_not_computed(known), []).extend([*_COMPUTED, "uncounted_ops"])
    else:
        numbers = data_of(known.static)
        formulas = [key for key in _COMPUTED if key in numbers and numbers[key] is None]
        if formulas:
            asks = " ".join(open_sizes(known.static))
            found.setdefault(f"formulas: {asks} makes them numbers", []).extend(formulas)
    for reason, keys in _unknown_of_the_run(known.run):
        found.setdefault(reason, []).extend(keys)
    if known.data.graph is None:
        found.setdefault("no graph was given", []).extend(["nodes", "function_nodes"])
    warnings = [f"{', '.join(keys)}: {reason}" for reason, keys in found.items()]
    return warnings + (warnings_of(known.static) if known.static is not None else [])


def _unknown_of_the_run(run: RunCost | None) -> Iterator[tuple[str, list[str]]]:
    if run is None:
        yield "no run was given", ["time", "requested_bytes"]
        return
    if not run.steps:
        yield NO_STEPS, ["time.step_us", "time.steps"]
    if run.requested is None:
        yield "a capture does not tell", ["requested_bytes"]


def _why_no_memory(known: Digest) -> str:
    if known.static is None:
        return _why_not_computed(known)
    return f"sizes are open: {' '.join(open_sizes(known.static))} tells"


def _of_layers(costs: KerasCosts) -> list[str]:
    return [*keras_static.missing(costs), "layers have no count of the original's"]


def _why_not_computed(known: Digest) -> str:
    if known.data.graph is None:
        return "no graph was given"
    return f"more than {LARGEST_IN_A_SECOND:,} nodes take a while: `tfprof layers` counts them"
