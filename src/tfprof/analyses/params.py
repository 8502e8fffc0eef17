"""How many parameters, of which role, in how many bytes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from tfprof.analyses.reach import Extent
from tfprof.analyses.roles import Role
from tfprof.analyses.variables import Variable, find_variables, frozen_weights
from tfprof.model.profile import ProfileData
from tfprof.model.quantity import Quantity, total
from tfprof.wire import dtypes

_NOT_SAID = (
    "nothing here says which variables are trained: "
    "a .meta, a SavedModel, an op log or a training graph does"
)
_FROZEN = "a frozen graph holds its weights as constants: none is marked trainable"
_NO_GRAPH = "no graph was given"


@dataclass(frozen=True, slots=True)
class Parameters:
    variables: list[Variable]
    by_role: dict[Role, Quantity]
    total: Quantity
    bytes_by_dtype: dict[str, int]
    frozen: bool = False

    @property
    def bytes(self) -> int:
        return sum(self.bytes_by_dtype.values())

    def of_role(self, role: Role) -> list[Variable]:
        return [v for v in self.variables if v.role is role]

    def bytes_of(self, role: Role) -> float:
        return sum(v.bytes or 0 for v in self.of_role(role))


def count_parameters(data: ProfileData, part: Extent) -> Parameters:
    """The parameters of the part of the graph that makes up the model."""
    if data.graph is None:
        unknown = Quantity.unknown(_NO_GRAPH)
        return Parameters([], dict.fromkeys(Role, unknown), unknown, {})
    variables = find_variables(data, part)
    frozen = not variables
    if frozen:
        variables = frozen_weights(data, part)
        frozen = bool(variables)
    by_role = {role: _sum([v for v in variables if v.role is role]) for role in Role}
    undecided = any(v.role is None for v in variables)
    if undecided or frozen:
        reason = Quantity.unknown(_FROZEN if frozen else _NOT_SAID)
        by_role[Role.TRAINABLE] = by_role[Role.NON_TRAINABLE] = reason
    size: Counter[str] = Counter()
    for variable in variables:
        size[dtypes.name(variable.dtype)] += int(variable.bytes or 0)
    return Parameters(variables, by_role, _sum(variables), dict(size.most_common()), frozen)


def _sum(variables: list[Variable]) -> Quantity:
    missing = [v.name for v in variables if v.elements is None]
    if missing:
        return Quantity.unknown(
            f"the shape of {len(missing)} variables is not in the graph "
            f"({missing[0]}{', ...' if len(missing) > 1 else ''}): give it with --vars FILE"
        )
    return total(Quantity.derived(v.elements or 0) for v in variables)
