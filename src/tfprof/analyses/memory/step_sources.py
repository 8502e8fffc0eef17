"""Where the ops of a step come from: a graph, a graph with training added, a Keras file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import field, replace
from typing import Protocol

from tfprof.analyses.cost.op_costs import OpCosts, op_costs
from tfprof.analyses.cost.params import Parameters, count_layers, count_parameters
from tfprof.analyses.graph.reach import extent
from tfprof.analyses.graph.roles import Role
from tfprof.analyses.graph.subgraph import TRAIN, Subgraph
from tfprof.analyses.graph.variables import Variable
from tfprof.analyses.inference.sites import Chosen, Given
from tfprof.analyses.keras.keras_step import KerasStep, keras_step, written_model
from tfprof.analyses.memory.program import CPU, device_of_rows
from tfprof.analyses.training.added_step import ASSUMED, with_gradients
from tfprof.analyses.training.optimizers import ADAM
from tfprof.errors import InputMissing
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.dims import BATCH, Size, symbol
from tfprof.model.graph import Graph
from tfprof.model.keras_model import KerasModel
from tfprof.model.profile import ProfileData
from tfprof.wire import dtypes

_OWN = (Role.TRAINABLE, Role.NON_TRAINABLE)


@frozen_dataclass
class StepOps:
    """Ops with their costs, the nodes they come from, and what had to be assumed.

    `state_bytes` are what an optimizer keeps that is not among the variables of the model.
    `missing` says what the step runs that is not among the ops.
    """

    costs: OpCosts
    graph: Graph
    notes: list[str] = field(default_factory=list)
    state_bytes: int = 0
    missing: Sequence[str] = ()


@frozen_dataclass
class HeldBytes:
    """The variables in bytes, by device; `missing` says of which the size is not known.

    `floats` are those of them in float32.
    """

    by_device: Mapping[str, int]
    missing: str = ""
    floats: Mapping[str, int] = field(default_factory=dict)


class StepSource(Protocol):
    """A model whose step can be written down for any sizes.

    `is_fixed`: the sizes are those of a run. `persistent` is what the variables hold.
    """

    part: Subgraph
    is_fixed: bool
    persistent: HeldBytes

    def at(self, sizes: Mapping[str, Size]) -> StepOps: ...


class GraphSteps:
    """The step that a graph holds. One that ran is fixed: it has the sizes of its run."""

    def __init__(
        self,
        data: ProfileData,
        part: Subgraph,
        given: Given,
        notes: Sequence[str] = (),
        *,
        is_fixed: bool = False,
    ) -> None:
        if data.graph is None:
            raise InputMissing("no graph")
        self.data, self.graph, self.part, self._given = data, data.graph, part, given
        self.is_fixed, self._notes, self._chosen = is_fixed, notes, Chosen.SOME
        self.persistent = persistent(data, part)

    def at(self, sizes: Mapping[str, Size]) -> StepOps:
        both = {**self._given.sizes, **sizes}
        given = replace(self._given, sizes=both, at_most=True, chosen=self._chosen)
        costs = op_costs(self.data, self.part, given)
        if costs.cut:
            # without the ops that read them, tensors live for too long: no least peak is known
            raise InputMissing(f"the peak is not known: {costs.cut}", where=self.data.title)
        return StepOps(costs, self.graph, [*costs.inferred.notes, *self._notes])

    def with_chosen(self, chosen: Chosen) -> GraphSteps:
        """The same where so much is chosen by the data: nothing is as small as it can be."""
        other = copy(self)
        other._chosen = chosen  # noqa: SLF001  (of its own copy)
        return other

    def as_written(self) -> StepOps:
        """With symbols for all that the graph leaves open, whatever the user said."""
        return self.at({name: symbol(name) for name in (BATCH, *self._given.sizes)})


class AddedSteps:
    """A forward pass with the gradients and updates that TensorFlow would add."""

    is_fixed = False

    def __init__(self, forward: GraphSteps, optimizer: str) -> None:
        self._forward, self._optimizer = forward.with_chosen(Chosen.ALL), optimizer
        rows, what = forward.part.rows, forward.part.what
        self.part = Subgraph(rows, TRAIN, f"one training step with {optimizer}, added to {what}")
        known = count_parameters(forward.data, extent(forward.data))
        self._trained = None
        if known.by_role[Role.TRAINABLE].value is not None:
            self._trained = [one.name for one in known.of_role(Role.TRAINABLE)]
        self.persistent = forward.persistent

    def at(self, sizes: Mapping[str, Size]) -> StepOps:
        found = self._forward.at(sizes)
        training = with_gradients(found.costs, self._optimizer, self._trained)
        notes = [*found.notes, *training.notes, ASSUMED]
        return StepOps(training.costs, found.graph, notes, training.state_bytes)


class KerasSteps:
    """The layers of a Keras file as ops, predicting or training."""

    is_fixed = False

    def __init__(self, model: KerasModel, sizes: Mapping[str, Size], optimizer: str | None) -> None:
        if model.flow.missing:
            raise InputMissing(f"memory is not known: {model.flow.missing}")
        self._model, self._sizes, self._optimizer = model, sizes, optimizer
        self._train = optimizer is not None
        self._written = written_model(model, train=self._train)
        self.part = self._step({}).training.costs.part
        known = count_layers(model)
        lost = [one.reason for role in _OWN if not (one := known.by_role[role]).is_plain]
        own = _own(known)
        held = HeldBytes(_by_device(None, own), floats=_by_device(None, _floats(own)))
        self.persistent = replace(held, missing=lost[0] if lost else "")

    def at(self, sizes: Mapping[str, Size]) -> StepOps:
        both = {**self._sizes, **sizes}
        found = self._step({name: size for name, size in both.items() if isinstance(size, int)})
        made = found.training
        return StepOps(made.costs, found.graph, made.notes, made.state_bytes, found.missing)

    def _step(self, sizes: Mapping[str, Size]) -> KerasStep:
        optimizer = self._optimizer or ADAM
        return keras_step(
            self._model, sizes, train=self._train, optimizer=optimizer, written=self._written
        )


def persistent(data: ProfileData, part: Subgraph) -> HeldBytes:
    """The variables by device: all of them where the model trains, its own where it predicts."""
    known = count_parameters(data, extent(data))
    counted = known.variables if part.mode == TRAIN else _own(known)
    missing = "" if all(one.bytes is not None for one in counted) else known.total.reason
    floats = _by_device(data.graph, _floats(counted))
    return HeldBytes(_by_device(data.graph, counted), missing, floats)


def _floats(variables: list[Variable]) -> list[Variable]:
    return [one for one in variables if dtypes.base(one.dtype) == dtypes.FLOAT]


def _own(known: Parameters) -> list[Variable]:
    """Without the optimizer's, as far as anything says which those are."""
    if any(known.by_role[role].value is None for role in _OWN):
        return known.variables
    return [one for one in known.variables if one.role in _OWN]


def _by_device(graph: Graph | None, variables: list[Variable]) -> dict[str, int]:
    if graph is None or not any(graph.devices.table):
        return {CPU: sum(int(one.bytes or 0) for one in variables)}
    device = device_of_rows(graph)
    found: dict[str, int] = {}
    for one in variables:
        row = graph.index.get(one.name, -1)
        where = device(row) if row >= 0 else CPU
        found[where] = found.get(where, 0) + int(one.bytes or 0)
    return found or {CPU: 0}
