"""What tfprof has rules for."""

from __future__ import annotations

from typing import Any

from tfprof.model import units
from tfprof.ops.float_ops import rules as original_rules
from tfprof.ops.rule import Rule, rules
from tfprof.views.result import Result
from tfprof.views.shapes import Column, Report, Table, Unit, Value

_NAMED = 6


def op_rules() -> Result:
    """Every op type with a rule, by family."""
    families: dict[str, dict[str, Rule]] = {}
    for op, rule in sorted(rules().items()):
        families.setdefault(rule.family, {})[op] = rule
    rows: list[list[Value]] = [
        [family, len(members), _names(members)] for family, members in sorted(families.items())
    ]
    columns = [
        Column("family", "family"),
        Column("count", "ops", Unit.COUNT),
        Column("ops", "such as", Unit.PROSE),
    ]
    total = sum(len(members) for members in families.values())
    title = f"{units.plural(total, 'op type')} in {len(families)} families"
    data = {
        "ops": [_data(op, rule) for members in families.values() for op, rule in members.items()]
    }
    return Result("rules", [], [], data, Report(title, "", [Table(columns, rows)]))


def _names(members: dict[str, Rule]) -> str:
    """The ones that most people meet, which have the shortest names."""
    shown = sorted(members, key=lambda op: (op.startswith("_"), len(op), op))[:_NAMED]
    return ", ".join(shown) + (", ..." if len(members) > _NAMED else "")


def _data(op: str, rule: Rule) -> dict[str, Any]:
    return {
        "op": op,
        "family": rule.family,
        "macs": rule.macs is not None,
        "flops": rule.macs is not None or rule.work is not None,
        "float_ops": op in original_rules(),
        "values": rule.values is not None,
        "alias": rule.alias,
        "reuse": list(rule.reuse),
        "scratch": rule.scratch is not None,
    }
