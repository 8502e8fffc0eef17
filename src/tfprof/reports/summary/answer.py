"""What is known of one model, as the result of a summary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tfprof.errors import UsageError
from tfprof.model import units
from tfprof.model.dims import BATCH
from tfprof.model.profile import ProfileData
from tfprof.reports.advise.answer import first_finding
from tfprof.reports.shared.captured import capture_facts
from tfprof.reports.shared.digest import Digest, digest
from tfprof.reports.shared.logged_run import logged_of, not_numbers
from tfprof.reports.shared.missing import missing_inputs
from tfprof.reports.shared.parameters import counts_of
from tfprof.reports.shared.recorded_run import recorded_run, said_by_recorder, said_of_batch
from tfprof.reports.shared.words import FRAGMENT, recognised, shell_path
from tfprof.reports.summary.parts import (
    estimated_batch,
    estimated_peak,
    graph_facts,
    measured_peak,
    nodes_of,
    oplog_facts,
    peaks_of,
    requested_of,
    run_facts,
    tensor_row,
    time_of,
)
from tfprof.reports.summary.query import Query
from tfprof.reports.summary.rows import keras_result, top_rows
from tfprof.reports.summary.unknowns import unknowns
from tfprof.reports.summary.work import costs_known, known_work
from tfprof.results.answered import Answered, answered
from tfprof.results.checkpoint import CheckpointResult, MeasuredRow
from tfprof.results.summary import SummaryResult
from tfprof.sources.find.load import ProgressOf

_IN_TOP = 20


def ask(
    data: ProfileData, query: Query, progress: ProgressOf | None = None
) -> Answered[SummaryResult]:
    known = digest(data, query.question)
    stored = _stored(known, query, progress)
    bad = _bad_values(stored.tensors) if stored is not None else []
    as_run = known.question.sizes.get(BATCH)
    batch = [] if as_run is None or BATCH in query.question.sizes else [said_of_batch(as_run)]
    # as it was counted: also who was left out then
    notes = [*bad, *said_by_recorder(data), *known.data.warnings, *batch]
    result = replace(
        _result(known, stored),
        advice=first_finding(known, query.ignore),
        advised_by=f"tfprof advise {shell_path(data.title)}",
    )
    if result.run is not None and result.run.missing:
        notes.insert(0, FRAGMENT.format("; ".join(result.run.missing)))
    warnings = [*notes, *unknowns(known), *not_numbers(result.logged)]
    return answered("summary", data, result, warnings, notes, recognised=recognised(data))


def _stored(known: Digest, query: Query, progress: ProgressOf | None) -> CheckpointResult | None:
    if known.data.checkpoint is not None:
        from tfprof.reports.summary.stored import checkpoint_result

        return checkpoint_result(known, known.data.checkpoint, query, progress)
    if query.stats:
        raise UsageError("--stats needs a checkpoint", hint="tfprof CHECKPOINT --stats")
    return None


def _bad_values(tensors: Sequence[object]) -> list[str]:
    """A sentence for what should not be there."""
    rows = [one for one in tensors if isinstance(one, MeasuredRow)]
    bad = {one.name: one.statistics for one in rows if one.statistics and one.statistics.bad}
    if not bad:
        return []
    name, worst = max(bad.items(), key=lambda item: item[1].bad)
    count = sum(values.bad for values in bad.values())
    where = f"in {units.plural(len(bad), 'tensor')}; {name} has {worst.bad:,} of {worst.count:,}"
    return [f"{count:,} values are NaN or infinite, {where}"]


def _result(known: Digest, stored: CheckpointResult | None) -> SummaryResult:
    costliest, top_by = top_rows(known)
    peaks, kind, estimated = peaks_of(known)
    nodes, function_nodes = nodes_of(known)
    return SummaryResult(
        params=counts_of(known.parameters),
        costs=costs_known(known),
        peak_memory=peaks,
        memory_kind=kind,
        estimated_peak_memory=estimated,
        estimated_batch=estimated_batch(known),
        time=time_of(known),
        capture=capture_facts(known),
        requested_bytes=requested_of(known),
        nodes=nodes,
        function_nodes=function_nodes,
        ops=known.op_counts,
        inputs=tuple(tensor_row(one) for one in known.inputs),
        top=costliest[:_IN_TOP],
        top_by=top_by,
        checkpoint=stored,
        keras=keras_result(known.data.keras) if known.data.keras is not None else None,
        costliest=costliest,
        graph=graph_facts(known, known.data.graph) if known.data.graph is not None else None,
        run=run_facts(known, known.run) if known.run is not None else None,
        measured_peak=measured_peak(known),
        estimated_peak=estimated_peak(known),
        known_work=known_work(known),
        oplog=oplog_facts(known, known.data.oplog) if known.data.oplog is not None else None,
        missing=tuple(missing_inputs(known)),
        recorded=recorded_run(known.data),
        logged=logged_of(known.data),
    )
