"""What a Keras file computes, from its configuration: numbers, and in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from tfprof.analyses.graph.subgraph import TRAIN
from tfprof.model.dims import Size, at
from tfprof.model.keras_model import KerasModel
from tfprof.model.quantity import Quantity
from tfprof.reports.shared.model_costs import phases_in_words, refuse_feeds, size_of, size_text
from tfprof.reports.shared.question import Question
from tfprof.results.model_costs import ComputedCosts, PhaseCosts, UncountedOps

if TYPE_CHECKING:
    from tfprof.analyses.keras.keras_costs import KerasCosts, Total

_NO_RULE = "no rule for this layer class"
_REASONS = 5


def costs_of_layers(model: KerasModel, question: Question) -> KerasCosts:
    """A prediction unless a training step is asked for."""
    from tfprof.analyses.keras.keras_costs import keras_costs  # with all kinds of layers

    refuse_feeds(question)
    return keras_costs(model, train=question.mode == TRAIN)


def computed_by_layers(costs: KerasCosts, sizes: Mapping[str, int]) -> ComputedCosts:
    """Where a layer is not known, at least so much."""
    macs, work = costs.total("macs"), costs.total("work")

    def sum_of(known: Size, *parts: Total) -> Quantity:
        size = at(known, sizes)
        lost = [part.reason for part in parts if part.missing]
        return Quantity.at_least(size, lost[0]) if lost else Quantity.derived(size)

    return ComputedCosts(
        sum_of(macs.known, macs),
        sum_of(macs.known * 2, macs),
        sum_of(macs.known * 2 + work.known, macs, work),
        Quantity.unknown("what the original counts is not known of layers"),
        tuple(UncountedOps(name, 1, _NO_RULE) for name in costs.unknown_classes),
        phases_of(costs, sizes),
        costs.what,
        (),
    )


def phases_of(costs: KerasCosts, sizes: Mapping[str, int]) -> dict[str, PhaseCosts] | None:
    """Of a training step."""
    if costs.phases is None:
        return None
    return {
        phase: PhaseCosts(
            Quantity.derived(at(cost.macs, sizes)), Quantity.derived(at(cost.flops_all, sizes))
        )
        for phase, cost in costs.phases.items()
    }


def in_words(computed: ComputedCosts) -> list[str]:
    """In a line, and the phases of a training step in another."""
    macs, all_ = size_of(computed.macs), size_of(computed.flops_all)
    least = "" if computed.flops_all.is_plain else "at least "
    work = f"{size_text(macs, 'MAC')}; {size_text(all_, 'FLOP')} with element-wise ops"
    return [f"{least}{work} ({computed.computed})", *phases_in_words(computed)]


def missing(costs: KerasCosts) -> list[str]:
    """What is not in the numbers, once for each cause."""
    if costs.missing:
        return [costs.missing]
    reasons = Counter(call.reason for call in costs.calls if call.reason)
    return [f"{n} of {len(costs.calls)} layers: {why}" for why, n in reasons.items()][:_REASONS]
