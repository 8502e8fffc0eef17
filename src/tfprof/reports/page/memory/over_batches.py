"""Memory as it is estimated, over the batch, and with activations that are computed again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tfprof.errors import InputMissing, UsageError
from tfprof.model.quantity import Quantity
from tfprof.reports import memory
from tfprof.reports.memory.asked_steps import estimator_of
from tfprof.reports.memory.words import curves_of
from tfprof.reports.page.about import About
from tfprof.reports.page.answers import summary_of
from tfprof.reports.shared.digest import COMMON_DEVICE, LARGEST_IN_A_SECOND
from tfprof.results.answered import Answered
from tfprof.results.memory import EstimatedMemory, bytes_by_kind
from tfprof.results.page_memory import BatchCurve, KindBytes, OverBatches
from tfprof.results.page_parts import Amount

# of more nodes or ops a search for what to compute again takes minutes, and a curve half of one
_RECOMPUTED, _DRAWN = 2_500, 8_000
AS_IT_IS = "as it is"
_LARGE = "the graph has {nodes:,} nodes: an estimate would take longer than the rest of the page"


def estimated_of(about: About) -> Answered[EstimatedMemory]:
    """As a curve where that is quick; else at one batch."""
    question = about.query.question
    asked = memory.Query(question, budget=COMMON_DEVICE, estimate=True)
    nodes = _nodes(about)
    if nodes > LARGEST_IN_A_SECOND:
        raise InputMissing(_LARGE.format(nodes=nodes), hint="`tfprof memory` takes that time.")
    if nodes > _DRAWN:
        return _only_estimated(memory.ask(about.data, replace(asked, budget=None)))
    if nodes <= _RECOMPUTED and _ops_of_a_step(about, asked) <= _RECOMPUTED:
        searched = replace(asked, what_if=memory.WhatIfQuery(recompute=""))
        try:
            return _only_estimated(memory.to_draw(about.data, searched))
        except UsageError:  # only a training step keeps activations
            pass
    return _only_estimated(memory.to_draw(about.data, asked))


def _ops_of_a_step(about: About, asked: memory.Query) -> int:
    """The rounds of loops are played one by one: a few hundred nodes may be many thousand ops."""
    return len(estimator_of(about.data, asked).first.steps)


def _only_estimated(found: Answered[memory.MemoryResult]) -> Answered[EstimatedMemory]:
    if not isinstance(found.data, EstimatedMemory):
        raise TypeError("an estimate was asked for")
    return replace(found, data=found.data)  # type: ignore[return-value]  # just looked


def _nodes(about: About) -> float:
    found = about.once(summary_of).data
    return (found.nodes.number or 0) + (found.function_nodes.number or 0)


def over_batches(found: EstimatedMemory) -> OverBatches:
    highest = found.highest
    shown = curves_of(found, with_all=True)
    fits = [found.fits.max_batch, *(one.then.max_batch for one in found.what_if or ())]
    names = [AS_IT_IS, *(one.name for one in found.what_if or ())]
    curves = [
        BatchCurve(name, most, np.array(one.values, np.float64))
        for name, most, one in zip(names, fits, shown, strict=True)
    ]
    batches = [row.batch for row in found.batches]
    return OverBatches(
        found.computed,
        np.array(batches, np.float64),
        curves,
        found.fits.budget_bytes or COMMON_DEVICE,
        found.fits.safe_batch,
        found.fits.unknown,
        batches[0],
        Amount.of(highest.peak_bytes, "bytes"),
        Amount.of(highest.persistent_bytes, "bytes"),
        Amount.of(highest.total_bytes + Quantity.derived(highest.input_bytes), "bytes"),
        highest.peak_at,
        [KindBytes(kind, size) for kind, size in bytes_by_kind(highest.live_at_peak).items()],
    )
