"""Every null of a summary, with its reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tfprof.model.dims import Dim
from tfprof.model.quantity import Quantity
from tfprof.reports.shared.digest import Digest
from tfprof.reports.shared.keras_costs import missing as missing_layers
from tfprof.reports.shared.logged_flops import logged_beside_counted
from tfprof.reports.shared.model_costs import open_sizes, warnings_of
from tfprof.reports.shared.parameters import counts_of
from tfprof.reports.shared.words import NO_STEPS
from tfprof.reports.summary.parts import NO_DEVICE, NO_GRAPH, NO_RUN, NOT_TOLD
from tfprof.reports.summary.work import NOT_OF_LAYERS, own_costs, why_not_computed

_ROLES = ("trainable", "non_trainable", "optimizer", "other", "total")
_COMPUTED = ("macs", "flops", "flops_all", "float_ops")

_BY_LAYERS = "`tfprof memory` estimates it by the layers"

# a reason, and the keys that are null for it
Nulls = Iterator[tuple[str, Iterable[str]]]


def unknowns(known: Digest) -> list[str]:
    """A sentence for each reason, and what is not in the numbers."""
    found: dict[str, list[str]] = {}
    for of in (_params, _memory, _computed, _run, _nodes):
        for reason, keys in of(known):
            found.setdefault(reason, []).extend(keys)
    lost = [f"{', '.join(keys)}: {reason}" for reason, keys in found.items()]
    lost += logged_beside_counted(known.logged, own_costs(known).float_ops)
    return lost + (warnings_of(known.static) if known.static is not None else [])


def _params(known: Digest) -> Nulls:
    counts = counts_of(known.parameters)
    for role in _ROLES:
        quantity: Quantity = getattr(counts, role)
        if not quantity.known:
            yield quantity.reason, [f"params.{role}"]


def _memory(known: Digest) -> Nulls:
    if known.memory is not None and known.memory.missing:
        key = "estimated_peak_memory" if known.measured else "peak_memory"
        yield known.memory.missing, [key]
    if known.memory is not None or known.measured:
        return
    why = _BY_LAYERS if known.keras is not None else why_not_computed(known)
    if known.static is not None:
        asks = " ".join(open_sizes(known.static.symbols))
        why = known.static.cut or f"sizes are open: {asks} tells"
    yield why, ["peak_memory", "memory_kind"]


def _computed(known: Digest) -> Nulls:
    costs = own_costs(known)
    numbers: dict[str, Quantity] = {key: getattr(costs, key) for key in _COMPUTED}
    formulas = [key for key, one in numbers.items() if isinstance(one.value, Dim)]
    if formulas:
        asks = " ".join(open_sizes(costs.symbols)) or "--batch 32"
        yield f"formulas: {asks} makes them numbers", formulas
    lost = [key for key, one in numbers.items() if not one.known]
    if lost and known.keras is not None:
        yield "; ".join([*missing_layers(known.keras), NOT_OF_LAYERS]), lost
    elif lost and known.static is not None:
        yield known.static.cut, [*lost, "phases"]
    elif lost:
        yield why_not_computed(known), [*lost, "uncounted_ops"]


def _run(known: Digest) -> Nulls:
    run = known.run
    if run is None:
        yield NO_RUN, ["time", "requested_bytes"]
        return
    if not run.steps:
        yield NO_STEPS, ["time.step_us", "time.steps"]
    if run.device_us is None:
        yield NO_DEVICE, ["time.device_us"]
    if run.requested is None:
        yield NOT_TOLD, ["requested_bytes"]


def _nodes(known: Digest) -> Nulls:
    if known.data.graph is None:
        yield NO_GRAPH, ["nodes", "function_nodes"]
    elif known.data.graph.cut and not known.part.function_nodes:
        yield known.data.graph.cut, ["function_nodes"]
