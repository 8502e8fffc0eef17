"""The same step with the other graph: as written, or as a default session would rewrite it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tfprof.analyses.memory.estimator import Estimator
from tfprof.analyses.memory.step_sources import KerasSteps
from tfprof.analyses.optimised.compiled import compiled_calls
from tfprof.analyses.optimised.optimise import optimised
from tfprof.model import units
from tfprof.reports.memory.query import Query
from tfprof.reports.shared.missing_sizes import bytes_known
from tfprof.results.memory import EstimatedMemory, OtherBatch, OtherDevice, OtherForm

# of a step with more, rewriting it takes as long as all the rest, and as much memory
_MOST_OPS = 300_000
_BY_KERAS = (
    "Keras compiles a step with XLA where it can, and XLA decides by itself what it allocates: "
    "these are the numbers of jit_compile=False"
)


def with_other_form(
    found: EstimatedMemory, estimator: Estimator, query: Query, missing: str
) -> EstimatedMemory:
    """Beside what was asked for the other one, where both are known."""
    if estimator.is_fixed or compiled_by_xla(estimator) or left_out(estimator):
        return found
    other = estimator.rewritten(None if query.optimised else optimised)
    form = _form(other, [row.batch for row in found.batches], missing)
    return replace(found, written=form) if query.optimised else replace(found, optimised=form)


def left_out(estimator: Estimator) -> str:
    """A sentence where the step is so large that only what was asked for is worked out."""
    count = len(estimator.first.steps)
    if count <= _MOST_OPS:
        return ""
    return f"the step has {count:,} ops: what it takes in its other form is not worked out beside"


def compiled_by_xla(estimator: Estimator) -> str:
    """A sentence where XLA runs the step, or part of it, and not the ops that are counted here."""
    if isinstance(estimator.steps, KerasSteps):
        return _BY_KERAS
    calls = compiled_calls(estimator.first)
    if not calls:
        return ""
    others = f" and {units.plural(len(calls) - 1, 'other call')}" if len(calls) > 1 else ""
    return (
        f"{calls[0]}{others} is compiled by XLA (jit_compile), which decides by itself what it "
        "allocates: taken as if it ran op by op"
    )


def assumed_by_grappler(found: EstimatedMemory, estimator: Estimator) -> str:
    """A sentence where Grappler looks at another peak than the one that will be there.

    It takes open sizes for 1 when it asks itself whether tensors have to be swapped out.
    """
    batch = found.batches[0].batch
    if estimator.is_fixed or batch == 1 or not estimator.grows:
        return ""
    alone, here = (max(estimator.expected(size).values()) for size in (1, batch))
    return (
        f"where the batch is left open, Grappler takes it for 1: its swapping looks at a peak of "
        f"~{units.size(alone)}, not of ~{units.size(here)}"
    )


def _form(estimator: Estimator, batches: Sequence[int], missing: str) -> OtherForm:
    rows = tuple(_batch(estimator, batch, missing) for batch in batches)
    first = rows[0]
    devices = {
        device: OtherDevice(peak, first.total_bytes[device])
        for device, peak in first.peak_bytes.items()
    }
    return OtherForm(devices, rows)


def _batch(estimator: Estimator, batch: int, missing: str) -> OtherBatch:
    peaks, held = estimator.expected(batch), estimator.persistent
    return OtherBatch(
        batch,
        {device: bytes_known(size, missing) for device, size in peaks.items()},
        {
            device: bytes_known(size + held.get(device, 0), missing)
            for device, size in peaks.items()
        },
    )
