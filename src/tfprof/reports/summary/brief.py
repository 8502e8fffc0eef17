"""The numbers of a summary that others compare: no advice, no table, no batch that fits."""

from __future__ import annotations

from collections.abc import Mapping

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.profile import ProfileData
from tfprof.model.quantity import Quantity
from tfprof.reports.shared.captured import capture_facts
from tfprof.reports.shared.digest import Digest, digest
from tfprof.reports.shared.parameters import counts_of
from tfprof.reports.shared.question import Question
from tfprof.reports.shared.recorded_run import recorded_run
from tfprof.reports.summary.parts import estimated_batch, nodes_of, peaks_of, time_of
from tfprof.reports.summary.work import costs_known
from tfprof.results.model_costs import ComputedCosts
from tfprof.results.parameters import ParamCounts
from tfprof.results.recorded_run import RecordedRun
from tfprof.results.summary import CaptureFacts


@frozen_dataclass
class Brief:
    """As in a summary; `known` is what they are made of."""

    known: Digest
    params: ParamCounts
    costs: ComputedCosts
    peak_memory: Mapping[str, Quantity] | None
    memory_kind: str | None
    estimated_batch: int | None
    step_us: Quantity
    nodes: Quantity
    ops: Mapping[str, int]
    capture: CaptureFacts | None
    recorded: RecordedRun | None


def brief_of(data: ProfileData, question: Question, *, memory: bool | None = True) -> Brief:
    """Without `memory`, nothing is estimated: that takes longest. None: unless it was measured."""
    known = digest(data, question, memory=memory, brief=True)
    peaks, kind, _ = peaks_of(known)
    return Brief(
        known,
        counts_of(known.parameters),
        costs_known(known),
        peaks,
        kind,
        estimated_batch(known),
        time_of(known).step_us,
        nodes_of(known)[0],
        known.op_counts,
        capture_facts(known),
        recorded_run(known.data),
    )
