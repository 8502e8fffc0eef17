"""How many parameters a model has, whatever it was read from."""

from __future__ import annotations

from tfprof.analyses.cost.params import Parameters, count_layers, count_parameters, count_stored
from tfprof.analyses.graph.reach import Extent, extent
from tfprof.analyses.graph.roles import Role
from tfprof.errors import UsageError
from tfprof.model.profile import ProfileData
from tfprof.model.quantity import Quantity, total
from tfprof.results.parameters import ParamCounts
from tfprof.wire import dtypes

PARAMETERS = ("trainable", "model", "all")


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


def asked_parameters(data: ProfileData, which: str = "trainable") -> Quantity:
    """Those that are `trainable`, of the `model`, or `all`.

    Of the model: trained or not, without the optimizer's. Where nothing says what is trained, all
    that could be: counters are whole numbers, and nobody trains them.
    """
    if which not in PARAMETERS:
        known = ", ".join(PARAMETERS)
        raise UsageError(f"which= does not take {which!r}", hint=f"One of {known}.")
    found = parameters_of(data, extent(data))
    by_role, whole = found.by_role, found.total
    if which == "all" or not whole.known or not whole.is_plain:
        return whole
    trained, rest = by_role[Role.TRAINABLE], by_role[Role.NON_TRAINABLE]
    if trained.known:
        return trained if which == "trainable" else trained + rest
    own = [v for v in found.variables if found.frozen or v.role not in (Role.OPTIMIZER, Role.OTHER)]
    return total(Quantity.derived(v.elements or 0) for v in own if dtypes.is_floating(v.dtype))
