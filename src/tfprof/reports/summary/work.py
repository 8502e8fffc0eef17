"""What the model computes, from its graph or from the layers of a Keras file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from tfprof.model.dims import Size, at
from tfprof.model.quantity import Quantity
from tfprof.reports.shared.digest import LARGEST_IN_A_SECOND, Digest
from tfprof.reports.shared.keras_costs import phases_of
from tfprof.reports.shared.model_costs import computed_costs
from tfprof.reports.summary.parts import NO_GRAPH
from tfprof.results.model_costs import ComputedCosts, UncountedOps
from tfprof.results.summary import KnownWork

if TYPE_CHECKING:
    from tfprof.analyses.keras.keras_costs import KerasCosts, Total

NOT_OF_LAYERS = "layers have no count of the original's"


def costs_known(known: Digest) -> ComputedCosts:
    """An op log has the last word on what tfprof counts."""
    costs = own_costs(known)
    logged = known.logged
    return costs if logged is None else replace(costs, float_ops=Quantity.derived(logged.float_ops))


def own_costs(known: Digest) -> ComputedCosts:
    if known.static is not None:
        return computed_costs(known.static)
    if known.keras is not None:
        return _of_layers(known.keras, known.question.sizes)
    lost = Quantity.unknown(why_not_computed(known))
    return ComputedCosts(lost, lost, lost, lost, None, None, None, ())


def why_not_computed(known: Digest) -> str:
    if known.data.graph is None:
        return NO_GRAPH
    return f"more than {LARGEST_IN_A_SECOND:,} nodes take a while: `tfprof layers` counts them"


def _of_layers(costs: KerasCosts, sizes: Mapping[str, int]) -> ComputedCosts:
    """Unknown where a layer is."""
    macs, work = costs.total("macs"), costs.total("work")
    all_ = _flops_all(macs, work)
    uncounted = (
        UncountedOps(name, 1, "no rule for this layer class") for name in costs.unknown_classes
    )
    return ComputedCosts(
        _quantity(macs, macs.known, sizes),
        _quantity(macs, macs.known * 2, sizes),
        _quantity(all_, all_.known, sizes),
        Quantity.unknown(NOT_OF_LAYERS),
        tuple(uncounted),
        phases_of(costs, sizes),
        costs.what,
        (),
    )


def _flops_all(macs: Total, work: Total) -> Total:
    missing, reason = macs.missing + work.missing, macs.reason or work.reason
    return replace(macs, known=macs.known * 2 + work.known, missing=missing, reason=reason)


def _quantity(total: Total, size: Size, sizes: Mapping[str, int]) -> Quantity:
    return Quantity.unknown(total.reason) if total.missing else Quantity.derived(at(size, sizes))


def known_work(known: Digest) -> KnownWork | None:
    """Of the layers that are known; none where the file does not say how they are connected."""
    if known.keras is None or known.keras.missing:
        return None
    macs, sizes = known.keras.total("macs"), known.question.sizes
    all_ = _flops_all(macs, known.keras.total("work"))
    return KnownWork(at(macs.known, sizes), at(all_.known, sizes), is_all=not all_.missing)
