"""Memory as it was measured, or else as it is estimated; and what a picture of it needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tfprof.analyses.inference.fed_batch import fed_batch
from tfprof.analyses.memory.recompute_plans import Progress
from tfprof.analyses.memory_trace.devices import DeviceMemory, measured_memory
from tfprof.errors import InputMissing, UsageError
from tfprof.model import units
from tfprof.model.dims import BATCH
from tfprof.model.profile import ProfileData
from tfprof.model.remembered import remembering
from tfprof.reports.memory.asked_steps import estimator_of
from tfprof.reports.memory.estimated import against, estimated, missing_of
from tfprof.reports.memory.measured import measured, why_none
from tfprof.reports.memory.of_hosts import measured_on_hosts
from tfprof.reports.memory.query import Query
from tfprof.reports.shared.model_costs import costs_of
from tfprof.reports.shared.recorded_run import batch_of_run, said_of_batch
from tfprof.reports.shared.whole_hosts import with_cut_hosts_named
from tfprof.results.answered import Answered
from tfprof.results.memory import EstimatedMemory
from tfprof.results.memory_trace import MeasuredMemory

MemoryResult = EstimatedMemory | MeasuredMemory
_A_FEW = 8
_CURVE = 2


def ask(
    data: ProfileData, query: Query, progress: Progress | None = None
) -> Answered[MemoryResult]:
    """What a trace measured, unless the question is about something that did not run."""
    data = data.as_recorded()
    query = _as_fed(data, query)
    if not data.hosts or not query.may_be_measured:
        return _as_in_run(data, query, progress)
    found = _measured(with_cut_hosts_named(data))
    if found is not None:
        return found
    warning = ". ".join(why_none(data.hosts))
    return _as_in_run(replace(data, warnings=(*data.warnings, warning)), query, progress)


def _as_in_run(
    data: ProfileData, query: Query, progress: Progress | None
) -> Answered[EstimatedMemory]:
    """For the batch of the run, where nobody asks for another and the graph leaves it open."""
    batch, question = batch_of_run(data), query.question
    asked = query.batches or query.executed or BATCH in question.sizes
    if batch is None or asked or data.graph is None:
        return estimated(data, query, progress)
    if BATCH not in costs_of(data, question).symbols:
        return estimated(data, query, progress)
    data = replace(data, warnings=(said_of_batch(batch), *data.warnings))
    return estimated(data, replace(query, batches=(batch,)), progress)


@remembering()
def to_draw(
    data: ProfileData,
    query: Query,
    other: ProfileData | None = None,
    progress: Progress | None = None,
) -> Answered[MemoryResult]:
    """The same over time, or for as many batches as make a curve; beside an `other` model."""
    data = data.as_recorded()
    query = _as_fed(data, query)
    may_be = data.hosts and query.may_be_measured
    found = _measured(with_cut_hosts_named(data)) if may_be else None
    if found is not None:
        return found

    def asked(batches: Sequence[int]) -> Answered[EstimatedMemory]:
        wider = replace(query, batches=tuple(batches))
        if other is not None:
            return against(data, other, wider)
        return estimated(data, wider, progress)

    drawn = sorted(set(query.batches))
    if len(drawn) < _CURVE:
        fit = _fitting(asked(drawn).data) if query.budget is not None else []
        drawn = _enough_for_a_curve(drawn, fit)
    return asked(drawn)


def peaks(data: ProfileData, query: Query) -> dict[str, int]:
    """By device, at the first batch; from run metadata the numbers of OpenAI's mem_util.

    An error where sizes are missing: at least so much is no answer to how much.
    """
    data = data.as_recorded()
    devices = _devices(data) if data.hosts and query.may_be_measured else []
    if devices:
        return {one.device: one.peak for one in devices}
    query = _as_fed(data, query)
    estimator = estimator_of(data, query)
    found = estimator.at(query.batches[0] if query.batches else 1)
    missing = missing_of(estimator)
    if missing:
        raise InputMissing(
            f"the peak is not known: {missing}",
            where=data.title,
            hint="In Python: dims= or feeds=; `tfprof memory` shows what is known.",
        )
    return {device: one.expected for device, one in found.items()}


def _as_fed(data: ProfileData, query: Query) -> Query:
    """With the batch that is said by the shape of an input."""
    fed = fed_batch(data.graph, query.question.feeds)
    if fed is None or query.executed:
        return query
    if query.batches and query.batches != (fed,):
        said = ",".join(map(str, query.batches))
        raise UsageError(
            f"--feed says batch {fed}, and --batch {said}", hint="A letter feeds any batch: B."
        )
    return replace(query, batches=(fed,))


def _measured(data: ProfileData) -> Answered[MeasuredMemory] | None:
    if data.hosts.asking is None:
        devices = _devices(data)
        return measured(data, devices) if devices else None
    found = measured_on_hosts(data)
    if found is None:
        _check_others(data)
    return found


def _devices(data: ProfileData) -> list[DeviceMemory]:
    found = measured_memory(data.hosts.on_one_clock)
    if not found:
        _check_others(data)
    return found


def _check_others(data: ProfileData) -> None:
    """Of a run that tells nothing, a graph or layers may."""
    if data.graph is None and data.keras is None:
        why, then = why_none(data.hosts)
        raise InputMissing(why, where=data.title, hint=then)


def _enough_for_a_curve(asked: Sequence[int], fit: Sequence[int]) -> list[int]:
    """From 1 past the batch that was asked for, and past those that fit: in round steps."""
    end = max([_A_FEW, *asked, *fit])
    step = int(units.round_step(end / _A_FEW))
    beyond = step if end in fit else 0
    return sorted({1, end, *asked, *fit, *range(step, end + beyond + 1, step)})


def _fitting(memory: EstimatedMemory) -> list[int]:
    """The largest batches that fit: of the model, and of each what-if."""
    then = [one.then.max_batch for one in memory.what_if or ()]
    return [most for most in (memory.fits.max_batch, *then) if most]
