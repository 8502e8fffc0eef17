"""How much of a device's memory a step takes, and what would make it less."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tfprof.errors import InputMissing, UsageError
from tfprof.model.dims import BATCH
from tfprof.reports.advise.query import Query
from tfprof.reports.shared.captured import capture_facts
from tfprof.reports.shared.digest import Digest, step_peaks
from tfprof.results.memory import EstimatedMemory
from tfprof.results.memory_traits import MemoryPlan, MemoryTraits
from tfprof.results.memory_what_if import Recompute, Swap, WhatIf

_NEAR = 0.9
# a plan is searched for in graphs of so many nodes: an answer takes no more than two seconds
_SEARCHED = 3_000
# gigabytes a second between a device and its host: PCIe 3
_SWAP = 16.0


def memory_traits(
    found: Digest, query: Query, *, wanted: bool, about: frozenset[str]
) -> MemoryTraits | None:
    """What was measured; estimated only if it is `wanted`, which takes as long as all the rest.

    `about` are ops of which it is asked what they hold at the peak.
    """
    wanted = wanted or query.device_memory is not None or bool(about)
    traits = _measured(found, query) or (_estimated(found, query) if wanted else None)
    if traits is not None and about:
        traits = replace(traits, asked_bytes=_at_peak(found, about))
    if traits is None or traits.limit is None or found.data.graph is None:
        return traits
    return _with_plans(traits, found, query)


def _at_peak(found: Digest, about: frozenset[str]) -> int | None:
    from tfprof.reports import memory

    sizes = {name: size for name, size in found.question.sizes.items() if name != BATCH}
    batch = found.question.sizes.get(BATCH)
    asked = memory.Query(replace(found.question, sizes=sizes), () if batch is None else (batch,))
    try:
        told = memory.ask(found.data, asked).data
    except (InputMissing, UsageError):
        return None
    alive = [one for device in told.devices.values() for one in device.live_at_peak]
    return sum(one.bytes for one in alive if one.name in about)


def _measured(found: Digest, query: Query) -> MemoryTraits | None:
    highest = max(found.measured, key=lambda one: one.peak, default=None)
    if highest is None:
        return None
    held = found.parameters.bytes
    # an allocator tells of all that it handed out, a run of the step alone
    with_variables = highest.highest.with_variables
    total = highest.peak + (0 if with_variables else held)
    return MemoryTraits(
        highest.device,
        total,
        measured=True,
        persistent=held or None,
        limit=query.device_memory or _limit(found, highest.device),
        batch=batch_of(found),
    )


def _limit(found: Digest, device: str) -> int | None:
    """What the devices of a capture have, if it is one of them and they are alike."""
    facts = capture_facts(found)
    sizes = {one.memory_bytes for one in facts.devices} if facts is not None else set()
    return sizes.pop() if len(sizes) == 1 and "cpu" not in device.lower() else None


def _estimated(found: Digest, query: Query) -> MemoryTraits | None:
    step = step_peaks(found)
    if step is None or step.missing:
        return None
    device, peak = max(step.peaks.items(), key=lambda item: item[1].expected)
    held = found.parameters.bytes
    return MemoryTraits(
        device,
        int(peak.expected) + held,
        measured=False,
        persistent=held,
        limit=query.device_memory,
        batch=batch_of(found),
    )


def batch_of(found: Digest) -> int | None:
    """The batch of a step, if it was said or stands in the graph."""
    said = found.question.sizes.get(BATCH)
    if said is not None:
        return said
    firsts = {one.shape[0] for one in found.inputs if one.shape}
    return firsts.pop() if len(firsts) == 1 else None


def _with_plans(traits: MemoryTraits, found: Digest, query: Query) -> MemoryTraits:
    """With the batch that fits; where memory is short, also with what a plan would leave."""
    graph, limit = found.data.graph, traits.limit
    if graph is None or limit is None or len(graph) > _SEARCHED:
        return traits
    from tfprof.reports import memory

    short = traits.total >= _NEAR * limit
    sizes = {name: size for name, size in query.question.sizes.items() if name != BATCH}
    said = found.question.sizes.get(BATCH)
    asked = memory.Query(
        replace(query.question, sizes=sizes),
        () if said is None else (said,),
        budget=limit,
        estimate=True,
        what_if=memory.WhatIfQuery("", swap=_SWAP) if short else memory.WhatIfQuery(),
    )
    try:
        told = memory.ask(found.data, asked).data
    except (InputMissing, UsageError):
        return traits
    if not isinstance(told, EstimatedMemory):
        return traits
    plans = tuple(one for made in told.what_if or () for one in _plan(made, told))
    return replace(traits, max_batch=told.fits.max_batch, plans=plans)


def _plan(made: WhatIf, told: EstimatedMemory) -> Iterator[MemoryPlan]:
    peak, held = _peak_of(made), told.highest.persistent_bytes.number
    if peak is None or held is None:
        return
    words = "recompute activations" if isinstance(made, Recompute) else "swap activations"
    how = f"{words} ({made.best.plan})" if isinstance(made, Recompute) else words
    option = "--recompute" if isinstance(made, Recompute) else f"--swap {_SWAP:g}"
    yield MemoryPlan(how, int(peak + held), option, made.then.max_batch)


def _peak_of(made: WhatIf) -> float | None:
    if isinstance(made, Recompute):
        return made.best.peak_bytes.number if made.helps else None
    if isinstance(made, Swap) and (made.hidden.saved_bytes.number or 0) > 0:
        return made.hidden.peak_bytes.number
    return None
