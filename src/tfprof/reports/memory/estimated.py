"""How much memory a step needs before it runs, and the batch that fits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from tfprof.analyses.memory.estimator import Estimator
from tfprof.analyses.memory.peaks import INPUTS, SCRATCH, MemoryPeak
from tfprof.analyses.memory.recompute_plans import Progress
from tfprof.analyses.memory.step_sources import AddedSteps, KerasSteps
from tfprof.errors import UsageError
from tfprof.model.dims import BATCH
from tfprof.model.profile import ProfileData
from tfprof.model.quantity import Quantity
from tfprof.reports.memory.asked_steps import estimator_of, executed_estimator
from tfprof.reports.memory.forms import (
    assumed_by_grappler,
    compiled_by_xla,
    left_out,
    with_other_form,
)
from tfprof.reports.memory.query import Query
from tfprof.reports.memory.what_if import Before, said_of, what_ifs
from tfprof.reports.shared.missing_sizes import bytes_known, missing_sizes
from tfprof.results.answered import SCHEMA, Answered, Subject, answered, used_inputs
from tfprof.results.memory import (
    BatchMemory,
    EstimatedDevice,
    EstimatedMemory,
    Fits,
    LinePiece,
    bytes_by_kind,
)
from tfprof.results.memory_what_if import Swap

_SOME_BATCHES = (1, 2, 4, 8)
_MUCH_SCRATCH = 0.1
_KERNELS = (
    "scratch is that of TensorFlow's own kernels; where oneDNN's run, as by default on many x86 "
    "CPUs, it is oneDNN's own affair: --model cpu-onednn"
)
_WRITTEN = "Estimated from the graph as written; nothing was run."
_BY_LAYERS = "Estimated from the layers of the file; nothing was run."
_ADDED = "Estimated: gradients and updates are added to a model that only predicts."
_OPTIMISED = "Estimated from what Grappler makes of the graph by default; nothing was run."
_EXECUTED = "Estimated from the graph that TensorFlow executed."
_NO_CURVE = "curve: only a run has one"
_NO_BUDGET = "--device-memory says what has to fit"
_NO_GRAPPLER = "what_if.grappler: Grappler takes sizes for 1 only where a graph leaves them open"
_NO_BATCH = "nothing in this step depends on the batch"


def estimated(
    data: ProfileData, query: Query, progress: Progress | None = None
) -> Answered[EstimatedMemory]:
    if query.executed and (query.batches or query.budget is not None or query.what_if.is_asked):
        raise UsageError(
            "what was executed has the batch and the ops of its run",
            hint="Leave out --batch, --device-memory and the what-ifs.",
        )
    estimator = (executed_estimator if query.executed else estimator_of)(data, query)
    batches = query.batches or (1 if query.executed else query.question.sizes.get(BATCH, 1),)
    found = _memory(data.title, estimator, batches, query)
    found = replace(found, fits=_fits(estimator, query))
    found = with_other_form(found, estimator, query, missing_of(estimator))
    notes: list[str] = []
    if query.what_if.is_asked:
        budget = None if found.fits.unknown else query.budget
        before = Before(estimator, batches, budget, _bytes(estimator))
        changed = what_ifs(before, query.what_if, progress)
        notes = said_of(changed)
        found = replace(found, what_if=changed or None)
    warnings = [*data.warnings, *_warnings(estimator, query)]
    if query.model is None and _has_much_scratch(found, estimator):
        warnings.append(_KERNELS)
    if not estimator.is_fixed and (large := left_out(estimator)):
        warnings.append(large)
    if query.optimised and (assumed := assumed_by_grappler(found, estimator)):
        warnings.append(assumed)
    nulls = _nulls(found)
    return answered("memory", data, found, [*warnings, *nulls], [*warnings, *notes])


def _has_much_scratch(found: EstimatedMemory, estimator: Estimator) -> bool:
    """Whether it would be another peak with the kernels of another library."""
    if estimator.model.libraries or not estimator.model.has_scratch:
        return False
    return any(
        sum(alive.bytes for alive in one.live_at_peak if alive.kind == SCRATCH)
        >= _MUCH_SCRATCH * max(1, sum(alive.bytes for alive in one.live_at_peak))
        for one in found.devices.values()
    )


def _nulls(found: EstimatedMemory) -> list[str]:
    """Every null of the data, with its reason."""
    said = [_NO_CURVE]
    if found.fits.max_batch is None:
        said.append(f"max_batch, safe_batch: {found.fits.unknown or _NO_BUDGET}")
    if any(one.interval[1] is None for one in found.devices.values()):
        said.append("interval: sizes are missing, it has no upper end")
    said += [
        f"{key}: {value.reason}"
        for one in found.devices.values()
        for key in ("peak_bytes", "persistent_bytes", "total_bytes")
        if not (value := getattr(one, key)).known
    ]
    if any(isinstance(one, Swap) and one.grappler is None for one in found.what_if or ()):
        said.append(_NO_GRAPPLER)
    return list(dict.fromkeys(said))


def against(first: ProfileData, second: ProfileData, query: Query) -> Answered[EstimatedMemory]:
    """Two models over the same batches."""
    both = first, second
    estimators = [estimator_of(data, query) for data in both]
    batches = query.batches or _SOME_BATCHES
    source = _OPTIMISED if query.optimised else _WRITTEN
    found, other = (
        replace(_memory(data.title, one, batches, query), source=source)
        for data, one in zip(both, estimators, strict=True)
    )
    found = replace(found, fits=Fits(budget_bytes=query.budget), against=other)
    said = [
        *first.warnings,
        *second.warnings,
        *(s for one in estimators for s in _warnings(one, query)),
    ]
    warnings = tuple(dict.fromkeys(said))
    inputs = (*used_inputs(first), *used_inputs(second))
    nulls = dict.fromkeys([*warnings, *_nulls(found), *_nulls(other)])
    return Answered(SCHEMA, "memory", inputs, tuple(nulls), found, Subject(""), warnings)


def _memory(
    title: str, estimator: Estimator, batches: Sequence[int], query: Query
) -> EstimatedMemory:
    # before anything else, so that warnings are about the batches that were asked for
    rows = tuple(_batch(estimator, batch) for batch in batches)
    pieces = estimator.pieces()
    return EstimatedMemory(
        "estimated",
        estimator.model.name,
        estimator.part.what,
        {
            device: _device(one, device, rows[0], pieces.get(device, ()))
            for device, one in estimator.at(batches[0]).items()
        },
        rows,
        Fits(),
        title,
        _source(estimator, query),
        query.given,
        {device: held_of(estimator)(size) for device, size in estimator.persistent.items()},
        not estimator.is_fixed,
    )


def _batch(estimator: Estimator, batch: int) -> BatchMemory:
    found = estimator.at(batch)
    sure, held, of_variables = _bytes(estimator), estimator.persistent, held_of(estimator)
    return BatchMemory(
        batch,
        {device: sure(one.expected) for device, one in found.items()},
        {device: of_variables(held.get(device, 0)) for device in found},
        {device: sure(one.expected + held.get(device, 0)) for device, one in found.items()},
        {device: _interval(estimator, one) for device, one in found.items()},
        estimator.inputs(batch),
    )


def _interval(estimator: Estimator, one: MemoryPeak) -> tuple[int, int | None]:
    """Where sizes are missing, it has no upper end."""
    return (one.least, None) if missing_of(estimator) else one.interval


def _device(
    one: MemoryPeak, device: str, row: BatchMemory, pieces: Sequence[LinePiece]
) -> EstimatedDevice:
    return EstimatedDevice(
        row.peak_bytes[device],
        row.persistent_bytes[device],
        row.total_bytes[device],
        row.interval[device],
        one.at,
        one.live,
        None,
        tuple(pieces),
        row.input_bytes[device],
    )


def _fits(estimator: Estimator, query: Query) -> Fits:
    if query.budget is None:
        return Fits()
    missing = missing_of(estimator) or ("" if estimator.grows else _NO_BATCH)
    if missing:
        return Fits(None, None, query.budget, query.margin, unknown=missing)
    most = estimator.largest(query.budget)
    safe = estimator.safe(query.budget, query.margin)
    return Fits(most, safe, query.budget, query.margin, _bound_by(estimator, most))


def _bound_by(estimator: Estimator, batch: int) -> str:
    """What takes most at a batch."""
    kinds = {"variables": sum(estimator.persistent.values())}
    if batch:
        kinds |= bytes_by_kind(estimator.highest(batch).live)
        kinds[INPUTS] = kinds.get(INPUTS, 0) + sum(estimator.inputs(batch).values())
    return max(kinds, key=kinds.__getitem__)


def _source(estimator: Estimator, query: Query) -> str:
    if estimator.is_fixed:
        return _EXECUTED
    if query.optimised:
        return _OPTIMISED
    if isinstance(estimator.steps, AddedSteps):
        return _ADDED
    return _BY_LAYERS if isinstance(estimator.steps, KerasSteps) else _WRITTEN


def _bytes(estimator: Estimator) -> Callable[[int], Quantity]:
    return partial(bytes_known, missing=missing_of(estimator))


def missing_of(estimator: Estimator) -> str:
    """What is not in the numbers, at the first batch that was asked for."""
    return missing_sizes(estimator.first, estimator.lost, estimator.steps.persistent.missing)


def held_of(estimator: Estimator) -> Callable[[int], Quantity]:
    """The bytes of variables, as far as their shapes are known."""
    missing = estimator.steps.persistent.missing
    return partial(bytes_known, missing=missing) if missing else Quantity.derived


def _warnings(estimator: Estimator, query: Query) -> list[str]:
    # a Keras file does not say so of itself: Keras compiles what it can, where nobody forbids it
    is_said = query.optimised or not isinstance(estimator.steps, KerasSteps)
    compiled = compiled_by_xla(estimator) if is_said and not estimator.is_fixed else ""
    cache = _assumed_cache(estimator) if query.last_cache is None else ""
    return [*estimator.notes, *(one for one in (compiled, cache, missing_of(estimator)) if one)]


def _assumed_cache(estimator: Estimator) -> str:
    """A sentence where what kernels take hangs on the machine: its cache is not in the file."""
    sites = (step.op.site for step in estimator.first.steps if estimator.model.has_scratch)
    fills = next((one for one in sites if one.rule and one.rule.cache_scratch is not None), None)
    if fills is None:
        return ""
    return (
        f"{fills.op} ({fills.name}) unfolds volumes until they fill the last cache of the CPU: "
        f"{estimator.model.last_cache >> 20:,} MiB is assumed; on the machine that "
        "will run it, `getconf LEVEL3_CACHE_SIZE` tells it for --last-cache"
    )
