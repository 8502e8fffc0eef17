"""What tfprof has rules for."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from tfprof.model import units
from tfprof.ops.rule import Rule, rules
from tfprof.results.answered import SCHEMA, Answered, Subject
from tfprof.results.rules import OpRule, RulesResult
from tfprof.views.shapes import Column, Report, Table, Unit, Value

_NAMED = 6


def op_rules() -> Answered[RulesResult]:
    """Every op type with a rule, by family."""
    families: dict[str, list[OpRule]] = {}
    for op, rule in sorted(rules().items()):
        families.setdefault(rule.family, []).append(_known(op, rule))
    known = tuple(one for members in families.values() for one in members)
    title = f"{units.plural(len(known), 'op type')} in {len(families)} families"
    return Answered(SCHEMA, "rules", (), (), RulesResult(known), Subject(title))


def _known(op: str, rule: Rule) -> OpRule:
    return OpRule(
        op,
        rule.family,
        macs=rule.macs is not None,
        flops=rule.macs is not None or rule.work is not None,
        float_ops=callable(rule.float_ops),
        values=rule.values is not None,
        alias=rule.alias,
        reuse=tuple(rule.reuse),
        scratch=rule.has_scratch,
    )


def view(answered: Answered[RulesResult]) -> Report:
    columns = [
        Column("family", "family"),
        Column("count", "ops", Unit.COUNT),
        Column("ops", "such as", Unit.PROSE),
    ]
    groups = groupby(answered.data.ops, key=lambda one: one.family)
    families = sorted((family, [one.op for one in members]) for family, members in groups)
    rows: list[list[Value]] = [[family, len(ops), _names(ops)] for family, ops in families]
    return Report(*answered.subject.lines, [Table(columns, rows)])


def _names(members: Sequence[str]) -> str:
    """The ones that most people meet, which have the shortest names."""
    shown = sorted(members, key=lambda op: (op.startswith("_"), len(op), op))[:_NAMED]
    return ", ".join(shown) + (", ..." if len(members) > _NAMED else "")
