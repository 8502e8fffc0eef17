"""FLOPs in one number, or none at all."""

from __future__ import annotations

from tfprof.errors import InputMissing
from tfprof.model.dims import Size, at
from tfprof.model.profile import ProfileData
from tfprof.ops.rule import rules
from tfprof.reports.shared.keras_costs import costs_of_layers
from tfprof.reports.shared.model_costs import costs_of
from tfprof.reports.shared.question import Question

# for whoever has a graph that ends early
WHOLE = "Copy or write the file again."


def flops_of(data: ProfileData, question: Question) -> Size:
    """Two for each MAC; an error if some may be missing."""
    if data.graph is None and data.keras is not None:
        macs = costs_of_layers(data.keras, question).total("macs")
        if macs.value is None:
            raise InputMissing(f"FLOPs are not known: {macs.reason}", where=data.title)
        return at(macs.value * 2, question.sizes)
    if data.graph is None:
        raise InputMissing("no graph to count FLOPs of", where=data.title)
    if data.graph.cut:
        raise InputMissing(f"FLOPs are not known: {data.graph.cut}", where=data.title, hint=WHOLE)
    costs = costs_of(data, question)
    lost = [one for one in costs.uncounted if _multiplies(one.op)]
    if lost:
        first = lost[0]
        raise InputMissing(
            f"FLOPs are not known: {first.op} {first.count:,} times, {first.reason}",
            where=data.title,
            hint="`tfprof layers` shows what is known; feeds= or dims= may tell the rest.",
        )
    return costs.total.flops


def _multiplies(op: str) -> bool:
    """Whether an op that was not counted would have been; one without a rule might."""
    rule = rules().get(op)
    return rule is None or rule.macs is not None
