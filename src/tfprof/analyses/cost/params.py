"""How many parameters, of which role, in how many bytes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from tfprof.analyses.graph.reach import Extent
from tfprof.analyses.graph.roles import Role
from tfprof.analyses.graph.variables import Variable, find_variables, frozen_weights
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.checkpoint import OBJECT_GRAPH_KEY, Checkpoint
from tfprof.model.keras_model import KerasModel, Weight
from tfprof.model.profile import ProfileData
from tfprof.model.quantity import Quantity
from tfprof.wire import dtypes

_NOT_SAID = (
    "nothing here says which variables are trained: "
    "a .meta, a SavedModel, an op log or a training graph does"
)
_FROZEN = "a frozen graph holds its weights as constants: none is marked trainable"
_NO_GRAPH = "no graph was given"
_STORED = "a checkpoint does not say which variables are trained: its graph or .meta does"


@frozen_dataclass
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
    counted = _counted(variables, _FROZEN if frozen else _NOT_SAID, frozen=frozen)
    return _of_part(counted, data.graph.cut) if data.graph.cut else counted


def count_stored(checkpoint: Checkpoint) -> Parameters:
    """The parameters a checkpoint holds, when there is no graph to say more."""
    from tfprof.analyses.checkpoint.roles import stored_role

    variables = [
        Variable(tensor.name, tensor.shape, tensor.dtype, stored_role(checkpoint, tensor))
        for tensor in checkpoint.tensors.values()
        if tensor.key != OBJECT_GRAPH_KEY
    ]
    return _counted(variables, _STORED)


def count_layers(model: KerasModel) -> Parameters:
    """The parameters of a Keras file: as stored, else as its configuration asks for them."""
    from tfprof.analyses.cost.keras_weights import with_weights

    known = with_weights(model)
    variables = [
        Variable(w.name, w.shape, w.dtype, _role(w))
        for layer in known.layers
        for w in layer.weights
    ]
    variables += [Variable(w.name, w.shape, w.dtype, Role.OPTIMIZER) for w in known.optimizer]
    counted = _counted(variables, _NOT_SAID)
    lost = [f"{one.path}: {one.unknown}" for one in known.layers if one.unknown]
    if lost:
        counted = _at_least(counted, (Role.TRAINABLE, Role.NON_TRAINABLE), lost[0])
    if known.weights_missing and known.compiled:
        counted.by_role[Role.OPTIMIZER] = Quantity.unknown(known.weights_missing)
    return counted


def _role(weight: Weight) -> Role:
    if weight.is_seed:
        return Role.OTHER
    return Role.TRAINABLE if weight.trainable else Role.NON_TRAINABLE


def _at_least(counted: Parameters, roles: Iterable[Role], reason: str) -> Parameters:
    """With parts of the model that nothing is known of; without any that is, unknown."""

    def weaker(quantity: Quantity) -> Quantity:
        if not counted.variables or quantity.value is None:
            return Quantity.unknown(reason)
        return Quantity.at_least(quantity.value, reason)

    by_role = {**counted.by_role, **{role: weaker(counted.by_role[role]) for role in roles}}
    return replace(counted, by_role=by_role, total=weaker(counted.total))


def _of_part(counted: Parameters, cut: str) -> Parameters:
    """Of what was read of a graph that goes on."""

    def weaker(quantity: Quantity) -> Quantity:
        return quantity if quantity.value is None else Quantity.part(quantity.value, cut)

    by_role = {role: weaker(quantity) for role, quantity in counted.by_role.items()}
    return replace(counted, by_role=by_role, total=weaker(counted.total))


def _counted(variables: list[Variable], undecided: str, *, frozen: bool = False) -> Parameters:
    by_role = {role: _sum([v for v in variables if v.role is role]) for role in Role}
    if frozen or any(v.role is None for v in variables):
        by_role[Role.TRAINABLE] = by_role[Role.NON_TRAINABLE] = Quantity.unknown(undecided)
    size: Counter[str] = Counter()
    for variable in variables:
        size[dtypes.name(variable.dtype)] += int(variable.bytes or 0)
    return Parameters(variables, by_role, _sum(variables), dict(size.most_common()), frozen)


def _sum(variables: list[Variable]) -> Quantity:
    counts = [v.elements for v in variables]
    if None in counts:
        missing = [v.name for v, count in zip(variables, counts, strict=True) if count is None]
        return Quantity.unknown(
            f"the shape of {len(missing)} variables is not in the graph "
            f"({missing[0]}{', ...' if len(missing) > 1 else ''}): give it with --vars FILE"
        )
    return Quantity.derived(sum(count or 0 for count in counts))
