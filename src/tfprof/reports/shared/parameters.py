"""How many parameters a model has, whatever it was read from."""

from __future__ import annotations

from tfprof.analyses.cost.params import Parameters, count_layers, count_parameters, count_stored
from tfprof.analyses.graph.reach import Extent, extent
from tfprof.analyses.graph.roles import Role
from tfprof.model.profile import ProfileData
from tfprof.model.quantity import Kind, Quantity
from tfprof.results.parameters import ParamCounts


def parameters_of(data: ProfileData, part: Extent) -> Parameters:
    if data.graph is None and data.keras is not None:
        return count_layers(data.keras)
    if data.graph is None and data.checkpoint is not None:
        return count_stored(data.checkpoint)
    return count_parameters(data, part)


def counts_of(found: Parameters) -> ParamCounts:
    by_role = found.by_role
    return ParamCounts(
        by_role[Role.TRAINABLE],
        by_role[Role.NON_TRAINABLE],
        by_role[Role.OPTIMIZER],
        by_role[Role.OTHER],
        found.total,
        found.bytes_by_dtype,
        {role.value: found.bytes_of(role) for role in Role if found.of_role(role)},
        len(found.variables),
        found.frozen,
    )


def own_parameters(data: ProfileData) -> Quantity:
    """Trained or not, without those of the optimizer; all where nothing says which are which.

    Unknown where some may be missing: at least so many is no answer to how many.
    """
    found = counts_of(parameters_of(data, extent(data)))
    own = found.trainable + found.non_trainable
    counted = own if found.total.known and own.known else found.total
    return Quantity.unknown(counted.reason) if counted.kind is Kind.AT_LEAST else counted
