"""What tfprof has rules for."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from tfprof.analyses.advice.rule import rules as advice
from tfprof.model import units
from tfprof.ops.rule import Rule, rules
from tfprof.results.advice import AdviceRuleRow, AdviceRules
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


def advice_rules() -> Answered[AdviceRules]:
    """Every rule of `tfprof advise`, by name."""
    known = tuple(AdviceRuleRow(one.name, one.about, one.needs) for one in advice().values())
    title = f"{len(known)} rules of advice"
    return Answered(SCHEMA, "rules", (), (), AdviceRules(known), Subject(title))


def view(answered: Answered[RulesResult | AdviceRules]) -> Report:
    found = answered.data
    return _advice(answered, found) if isinstance(found, AdviceRules) else _ops(answered, found)


def _advice(answered: Answered[object], found: AdviceRules) -> Report:
    columns = [
        Column("rule", "rule"),
        Column("about", "finds that", Unit.PROSE),
    ]
    rows: list[list[Value]] = [[one.rule, one.about] for one in found.advice]
    return Report(*answered.subject.lines, [Table(columns, rows)])


def _ops(answered: Answered[object], found: RulesResult) -> Report:
    columns = [
        Column("family", "family"),
        Column("count", "ops", Unit.COUNT),
        Column("ops", "such as", Unit.PROSE),
    ]
    groups = groupby(found.ops, key=lambda one: one.family)
    families = sorted((family, [one.op for one in members]) for family, members in groups)
    rows: list[list[Value]] = [[family, len(ops), _names(ops)] for family, ops in families]
    return Report(*answered.subject.lines, [Table(columns, rows)])


def _names(members: Sequence[str]) -> str:
    """The ones that most people meet, which have the shortest names."""
    shown = sorted(members, key=lambda op: (op.startswith("_"), len(op), op))[:_NAMED]
    return ", ".join(shown) + (", ..." if len(members) > _NAMED else "")
