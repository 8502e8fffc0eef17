"""What a model computes before it runs: the question, and the numbers every answer shows of it."""

from __future__ import annotations

from typing import Any

from tfprof.analyses.computed import PHASES
from tfprof.analyses.static_costs import StaticCosts
from tfprof.model import dims, units
from tfprof.model.dims import BATCH, Size
from tfprof.reports.shared.costs import check_feeds, costs_of
from tfprof.reports.shared.question import question_from

_NAMED = 3
_TERMS_SHOWN = 3


def in_words(costs: StaticCosts) -> list[str]:
    """The cost in a line, the phases of a training step in another."""
    total = costs.total
    if not (_is_short(total.macs) and _is_short(total.flops_all)):
        asks = " ".join(open_sizes(costs))
        return [f"depends on {', '.join(costs.symbols)} ({costs.part.what}): {asks} tells"]
    macs, all_ = size_text(total.macs, "MAC"), size_text(total.flops_all, "FLOP")
    least = "at least " if costs.uncounted else ""
    lines = [f"{least}{macs}; {all_} with element-wise ops ({costs.part.what})"]
    phases = {phase: costs.of_phase(phase).macs for phase in PHASES}
    present = {phase: size for phase, size in phases.items() if size != 0}
    if len(present) > 1:
        parts = (f"{phase} {size_text(size, 'MAC')}" for phase, size in present.items())
        lines.append(", ".join(parts))
    return lines


def _is_short(size: Size) -> bool:
    """Whether a formula can be read at a glance."""
    if isinstance(size, int):
        return True
    plain = all(isinstance(atom, str) for monomial in size.terms for atom, _ in monomial)
    return plain and len(size.terms) <= _TERMS_SHOWN


def size_text(size: Size, unit: str) -> str:
    """`3.858 GMACs`, or `3.858 GMACs·B`."""
    if isinstance(size, int):
        return _unit(size, unit)
    parts = []
    for monomial, count in size.sorted_terms():
        factors = "·".join(dims.factor(atom, power) for atom, power in monomial)
        text = _unit(abs(count), unit) + (f"·{factors}" if factors else "")
        parts.append(("- " if count < 0 else "+ ") + text)
    return " ".join(parts).removeprefix("+ ")


def _unit(count: int, unit: str) -> str:
    number, _, scale = units.count(count).partition(" ")
    return f"{number} {scale}{unit}s"


def data_of(costs: StaticCosts) -> dict[str, Any]:
    """The JSON keys of a cost: null with a formula beside it where a size is open."""
    total = costs.total
    found: dict[str, Any] = {}
    for key in ("macs", "flops", "flops_all", "float_ops"):
        found |= size_data(key, getattr(total, key))
    found["uncounted_ops"] = [
        {"op": one.op, "count": one.count, "reason": one.reason} for one in costs.uncounted
    ]
    found["phases"] = {
        phase: size_data("macs", costs.of_phase(phase).macs)
        | size_data("flops_all", costs.of_phase(phase).flops_all)
        for phase in PHASES
    }
    found["computed"] = costs.part.what
    found["symbols"] = costs.symbols
    return found


def size_data(key: str, size: Size | None) -> dict[str, Any]:
    if size is None or isinstance(size, int):
        return {key: size}
    return {key: None, f"{key}_formula": {"text": str(size), "terms": dims.term_list(size)}}


def open_sizes(costs: StaticCosts) -> list[str]:
    """What the formulas need to become numbers."""
    asks = {BATCH: "--batch 32"}
    return [asks.get(name, f"--dim {name}=128") for name in costs.symbols]


def warnings_of(costs: StaticCosts) -> list[str]:
    """What is not in the numbers."""
    found = list(dict.fromkeys(costs.inferred.notes))
    if costs.uncounted:
        count = sum(one.count for one in costs.uncounted)
        named = ", ".join(
            f"{one.op} {one.count:,} ({one.reason})" for one in costs.uncounted[:_NAMED]
        )
        more = ", ..." if len(costs.uncounted) > _NAMED else ""
        found.append(f"{units.plural(count, 'op')} not counted: {named}{more}")
    return found


__all__ = [
    "check_feeds",
    "costs_of",
    "data_of",
    "in_words",
    "open_sizes",
    "question_from",
    "size_data",
    "size_text",
    "warnings_of",
]
