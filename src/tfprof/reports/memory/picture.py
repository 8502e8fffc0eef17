"""Memory as a picture: peaks over the batch, totals below a budget, or a run over time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from tfprof.model import units
from tfprof.reports.memory.measured_view import series_of
from tfprof.reports.memory.words import curves_of
from tfprof.results.answered import Answered
from tfprof.results.memory import EstimatedMemory, Fits
from tfprof.results.memory_trace import MeasuredMemory
from tfprof.views.chart import Chart, Limit
from tfprof.views.shapes import Curve, Series

_LARGEST = 2


def picture(answered: Answered[EstimatedMemory | MeasuredMemory]) -> Chart:
    memory = answered.data
    if isinstance(memory, MeasuredMemory):
        return _over_time(answered.subject.title, memory)
    said = [one for one in answered.notes if one in answered.warnings]
    return _over_batches(memory, said)


def _over_time(title: str, memory: MeasuredMemory) -> Chart:
    highest = memory.devices[memory.highest]
    at = f"{units.exact(highest.peak_bytes)} bytes on {memory.highest}"
    at += f" after {units.duration(highest.peak_ns.micros)}"
    if highest.peak_step is not None:
        at += f", in step {highest.peak_step}"
    largest = [
        f"{units.size(block.bytes)} {block.kind or 'block'} of {block.name or 'no named op'}"
        for block in highest.live_at_peak[:_LARGEST]
    ]
    return Chart(
        "Memory over time",
        f"{title} · measured",
        "time",
        "bytes in use" if highest.is_whole else "bytes in use beside the variables",
        series_of(memory),
        notes=[f"Peak: {at}", *(f"At the peak: {one}" for one in largest)],
    )


def _over_batches(memory: EstimatedMemory, warnings: Sequence[str]) -> Chart:
    models = [memory, *([memory.against] if memory.against is not None else [])]
    files = " and ".join(model.title for model in models)
    what = " and ".join(dict.fromkeys(model.computed for model in models))
    below = memory.fits.budget_bytes is not None  # what fits is decided on all there is to hold
    curves = curves_of(memory, with_all=below)
    return Chart(
        f"Peak memory of {what}",
        " · ".join([files, *memory.given, f"model {memory.model}"]),
        "batch",
        "peak memory with variables and inputs" if below else "peak memory beside the variables",
        Series([row.batch for row in memory.batches], _short(curves)),
        _limit(memory.fits),
        [*_said_of(memory), *warnings, memory.source],
    )


def _short(curves: Sequence[Curve]) -> Sequence[Curve]:
    """Files by their names, as long as these tell the curves apart."""
    names = [PurePath(curve.name).name for curve in curves]
    if len(set(names)) < len(names):
        return curves
    return [Curve(name, curve.values) for name, curve in zip(names, curves, strict=True)]


def _limit(fits: Fits) -> Limit | None:
    if fits.budget_bytes is None:
        return None
    level = f"device memory {units.size(fits.budget_bytes)}"
    if fits.max_batch is None:
        return Limit(fits.budget_bytes, level)
    if not fits.max_batch:
        return Limit(fits.budget_bytes, f"{level}: not even one sample fits")
    safely = f"{fits.safe_batch:,}" if fits.safe_batch else "none"
    text = f"{level}: batch {fits.max_batch:,} fits, {safely} is safe"
    return Limit(fits.budget_bytes, text, fits.max_batch)


def _said_of(memory: EstimatedMemory) -> list[str]:
    """What the picture alone does not show."""
    said = [
        f"{one.name}: batch {one.then.max_batch:,} fits"
        for one in memory.what_if or ()
        if one.then.max_batch
    ]
    if len(memory.devices) > 1:
        said.append(f"Of {len(memory.devices)} devices the one that needs most.")
    return said
