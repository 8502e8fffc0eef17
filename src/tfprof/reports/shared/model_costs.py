"""What a model computes before it runs, as every answer tells it: numbers, and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tfprof.analyses.cost.op_costs import OpCosts, op_costs
from tfprof.analyses.graph.subgraph import PHASES, subgraph
from tfprof.analyses.inference.fed_batch import fed_batch
from tfprof.errors import UsageError
from tfprof.model import dims, units
from tfprof.model.dims import BATCH, Size
from tfprof.model.profile import ProfileData
from tfprof.model.quantity import Kind, Quantity
from tfprof.model.remembered import Key, parts_of, remembered
from tfprof.reports.shared.question import Question
from tfprof.results.model_costs import ComputedCosts, PhaseCosts, UncountedOps

_NAMED = 3
_TERMS_SHOWN = 3


def _asked(data: ProfileData, question: Question, sizes: Mapping[str, Size] | None = None) -> Key:
    return parts_of(data), (question, dict(sizes or {}))


@remembered(_asked)
def costs_of(
    data: ProfileData, question: Question, sizes: Mapping[str, Size] | None = None
) -> OpCosts:
    """`sizes` win over those of the question."""
    part = subgraph(data, question.mode, question.fetch, question.signature)
    check_feeds(data, question)
    given = question.given(part.mode)
    return op_costs(data, part, replace(given, sizes={**given.sizes, **(sizes or {})}))


def check_feeds(data: ProfileData, question: Question) -> None:
    """Of nodes that are there, and of one batch."""
    fed, said = fed_batch(data.graph, question.feeds), question.sizes.get(BATCH)
    if fed is not None and said is not None and fed != said:
        raise UsageError(
            f"--feed says batch {fed}, and --batch {said}", hint="A letter feeds any batch: B."
        )
    for name in question.feeds:
        if data.graph is not None and name not in data.graph.index:
            import difflib  # where something is misspelt

            near = difflib.get_close_matches(name, data.graph.index, 1)
            hint = f"Did you mean {near[0]}?" if near else "`tfprof PATH` lists the inputs."
            raise UsageError(f"no node is called {name!r} to be fed", hint=hint)


def refuse_feeds(question: Question) -> None:
    """For layers, whose sizes are said otherwise."""
    if question.feeds:
        raise UsageError(
            "--feed gives the shape of an input of a graph, and a Keras file has none",
            hint="Its sizes are said with --batch and --dim.",
        )


def computed_costs(costs: OpCosts) -> ComputedCosts:
    """Where ops are not counted, the numbers are at least so much."""
    missing = not_counted(costs)
    total = costs.total

    def sum_of(size: Size) -> Quantity:
        if costs.cut:
            return Quantity.part(size, costs.cut)
        return Quantity.at_least(size, missing) if missing else Quantity.derived(size)

    def of_phase(size: Size) -> Quantity:
        return Quantity.part(size, costs.cut) if costs.cut else Quantity.derived(size)

    return ComputedCosts(
        sum_of(total.macs),
        sum_of(total.flops),
        sum_of(total.flops_all),
        sum_of(total.float_ops),
        tuple(UncountedOps(one.op, one.count, one.reason) for one in costs.uncounted),
        {
            phase: PhaseCosts(of_phase(cost.macs), of_phase(cost.flops_all))
            for phase in PHASES
            for cost in [costs.of_phase(phase)]
        },
        costs.part.what,
        tuple(costs.symbols),
    )


def not_counted(costs: OpCosts) -> str:
    """What is not in the numbers, in a sentence; nothing if all is."""
    if not costs.uncounted:
        return ""
    count = sum(one.count for one in costs.uncounted)
    named = ", ".join(f"{one.op} {one.count:,} ({one.reason})" for one in costs.uncounted[:_NAMED])
    more = ", ..." if len(costs.uncounted) > _NAMED else ""
    return f"{units.plural(count, 'op')} not counted: {named}{more}"


def warnings_of(costs: OpCosts) -> list[str]:
    """What is not in the numbers."""
    missing = not_counted(costs)
    return [*dict.fromkeys(costs.inferred.notes), *([missing] if missing else [])]


def open_sizes(symbols: Sequence[str]) -> list[str]:
    """What formulas in these need to become numbers."""
    asks = {BATCH: "--batch 32"}
    return [asks.get(name, f"--dim {name}=128") for name in symbols]


def in_words(costs: ComputedCosts) -> list[str]:
    """The cost in a line, the phases of a training step in another."""
    if not costs.flops_all.known:
        return [f"? {costs.flops_all.reason}"]
    macs, all_ = size_of(costs.macs), size_of(costs.flops_all)
    if not (_is_short(macs) and _is_short(all_)):
        asks = " ".join(open_sizes(costs.symbols))
        return [f"depends on {', '.join(costs.symbols)} ({costs.computed}): {asks} tells"]
    least = "at least " if costs.flops_all.kind is Kind.AT_LEAST else ""
    work = f"{size_text(macs, 'MAC')}; {size_text(all_, 'FLOP')} with element-wise ops"
    return [f"{least}{work} ({costs.computed})", *phases_in_words(costs)]


def phases_in_words(costs: ComputedCosts) -> list[str]:
    """The phases of a training step in a line; of anything else none."""
    phases = {phase: size_of(cost.macs) for phase, cost in (costs.phases or {}).items()}
    present = {phase: size for phase, size in phases.items() if size != 0}
    if len(present) < 2:
        return []
    return [", ".join(f"{phase} {size_text(size, 'MAC')}" for phase, size in present.items())]


def size_of(quantity: Quantity) -> Size:
    """Work is counted in whole numbers, or in formulas of them."""
    value = quantity.value
    return int(value or 0) if value is None or isinstance(value, float) else value


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
