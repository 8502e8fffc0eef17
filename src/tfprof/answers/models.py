"""A folder of several models: one line each, and the command for one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tfprof.analyses.roles import Role
from tfprof.answers.common import folded, shell_path, used_inputs
from tfprof.answers.digest import Digest
from tfprof.model import units
from tfprof.views.result import Result
from tfprof.views.shapes import Column, Notes, Part, Report, Table, Unit, Value

_ROWS_SHOWN = 17
_NOTES_SHOWN = 2


def models(
    folder: str, known: list[Digest], warnings: Sequence[str], unread: Sequence[str]
) -> Result:
    known = sorted(known, key=lambda d: (-(d.parameters.total.value or 0), d.data.title))
    columns = [
        Column("name", "model"),
        Column("nodes", "nodes", Unit.COUNT),
        Column("params", "params", Unit.COUNT),
        Column("optimizer", "optimizer", Unit.COUNT),
        Column("time_us", "step", Unit.MICROS),
    ]
    rows = [_row(folder, d) for d in known]
    parts: list[Part] = [
        Table(
            columns,
            rows[:_ROWS_SHOWN],
            folded=folded(len(rows) - _ROWS_SHOWN) if len(rows) > _ROWS_SHOWN else "",
        )
    ]
    paths = [shell_path(i.path) for i in known[0].data.inputs if i.used] if known else []
    example = [f"One of them: tfprof {' '.join(paths)}"] if paths else []
    parts.append(Notes([*example, *unread][:_NOTES_SHOWN]))
    return Result(
        "summary",
        [pair for d in known for pair in used_inputs(d.data)],
        [*warnings, *(w for d in known for w in d.data.warnings), *unread],
        {"models": [_as_data(folder, d) for d in known]},
        Report(folder, units.plural(len(known), "model"), parts),
    )


def _name(folder: str, d: Digest) -> str:
    try:
        return str(Path(d.data.title).relative_to(folder))
    except ValueError:
        return d.data.title


def _model_params(d: Digest) -> int | float | None:
    """Without the optimizer's, where it is known what is whose."""
    by_role = d.parameters.by_role
    trainable = by_role[Role.TRAINABLE]
    return trainable.value if trainable.value is not None else d.parameters.total.value


def _row(folder: str, d: Digest) -> list[Value]:
    optimizer = d.parameters.by_role[Role.OPTIMIZER].value
    return [
        _name(folder, d),
        len(d.part.rows) if d.data.graph is not None else None,
        _model_params(d),
        optimizer or "",
        d.run.span_us if d.run and d.run.steps else "",
    ]


def _as_data(folder: str, d: Digest) -> dict[str, Any]:
    return {
        "name": _name(folder, d),
        "inputs": [{"path": p, "format": f} for p, f in used_inputs(d.data)],
        "nodes": len(d.part.rows) if d.data.graph is not None else None,
        "params": {
            **{role.value: d.parameters.by_role[role].value for role in Role},
            "total": d.parameters.total.value,
            "bytes": d.parameters.bytes_by_dtype,
        },
        "time": {"step_us": d.run.span_us if d.run and d.run.steps else None},
    }
