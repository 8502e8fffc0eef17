"""Where the ops of a step come from: a graph, a graph with training added, a Keras file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from tfprof.analyses.computed import INFERENCE, TRAIN, Computed, computed
from tfprof.analyses.memory.keras_training import keras_step
from tfprof.analyses.memory.program import CPU, device_of_rows
from tfprof.analyses.memory.training import ASSUMED, with_gradients
from tfprof.analyses.params import Parameters, count_layers, count_parameters
from tfprof.analyses.placement.soft import as_ran
from tfprof.analyses.reach import extent
from tfprof.analyses.roles import Role
from tfprof.analyses.static_costs import StaticCosts, static_costs
from tfprof.analyses.variables import Variable
from tfprof.answers.static import check_feeds
from tfprof.errors import InputMissing, UsageError
from tfprof.model.dims import Size
from tfprof.model.graph import Graph
from tfprof.model.keras_model import KerasModel
from tfprof.model.profile import ProfileData
from tfprof.reports.shared.question import Question

_OWN = (Role.TRAINABLE, Role.NON_TRAINABLE)


@dataclass(frozen=True, slots=True)
class Step:
    """Ops with their costs, the nodes they come from, and what had to be assumed.

    `state_bytes` are what an optimizer keeps that is not among the variables of the model.
    """

    costs: StaticCosts
    graph: Graph
    notes: list[str] = field(default_factory=list)
    state_bytes: int = 0


class Steps(Protocol):
    """A model whose step can be written down for any sizes.

    `is_fixed`: the sizes are those of a run. `persistent` are the bytes of the variables by device.
    """

    part: Computed
    is_fixed: bool
    persistent: dict[str, int]

    def at(self, sizes: Mapping[str, Size]) -> Step: ...


def steps_of(data: ProfileData, question: Question, optimizer: str | None = None) -> Steps:
    """`optimizer` asks for a training step, which is added where the model only predicts."""
    if data.graph is None and data.keras is not None:
        return KerasSteps(data.keras, question, optimizer)
    if data.graph is None:
        raise InputMissing(
            "no graph: memory is estimated from a graph, or from a Keras file",
            hint="`tfprof doctor PATH` lists what is there.",
        )
    if optimizer is None or _trains(data):
        return GraphSteps(data, question)
    return AddedSteps(data, question, optimizer)


class GraphSteps:
    """The step that a graph holds."""

    def __init__(self, data: ProfileData, question: Question, part: Computed | None = None) -> None:
        data, self._moved = as_ran(data)
        if data.graph is None:
            raise InputMissing("no graph")
        check_feeds(data, question)
        self.data, self.graph, self._question = data, data.graph, question
        self.is_fixed = part is not None  # a graph that ran has the sizes of its run
        self.part = part or computed(data, question.mode, question.fetch, question.signature)
        self.persistent = persistent(data, self.part)

    def at(self, sizes: Mapping[str, Size]) -> Step:
        given = self._question.given(self.part.mode)
        both = {**self._question.sizes, **sizes}
        costs = static_costs(self.data, self.part, replace(given, sizes=both))
        return Step(costs, self.graph, [*costs.inferred.notes, *self._moved])


class AddedSteps:
    """A forward pass with the gradients and updates that TensorFlow would add."""

    is_fixed = False

    def __init__(self, data: ProfileData, question: Question, optimizer: str) -> None:
        self._forward = GraphSteps(data, replace(question, mode=INFERENCE))
        self._optimizer = optimizer
        rows, what = self._forward.part.rows, self._forward.part.what
        self.part = Computed(rows, TRAIN, f"one training step with {optimizer}, added to {what}")
        known = count_parameters(data, extent(data))
        self._trained = None
        if known.by_role[Role.TRAINABLE].value is not None:
            self._trained = [one.name for one in known.of_role(Role.TRAINABLE)]
        self.persistent = self._forward.persistent

    def at(self, sizes: Mapping[str, Size]) -> Step:
        found = self._forward.at(sizes)
        training = with_gradients(found.costs, self._optimizer, self._trained)
        notes = [*found.notes, *training.notes, ASSUMED]
        return Step(training.costs, found.graph, notes, training.state_bytes)


class KerasSteps:
    """The layers of a Keras file as ops, predicting or training."""

    is_fixed = False

    def __init__(self, model: KerasModel, question: Question, optimizer: str | None) -> None:
        if model.flow.missing:
            raise InputMissing(f"memory is not known: {model.flow.missing}")
        self._model, self._question, self._optimizer = model, question, optimizer
        self.part = keras_step(model, {}, train=optimizer is not None).training.costs.part
        self.persistent = {CPU: _own_bytes(count_layers(model))}

    def at(self, sizes: Mapping[str, Size]) -> Step:
        both = {**self._question.sizes, **sizes}
        plain = {name: size for name, size in both.items() if isinstance(size, int)}
        train = self._optimizer is not None
        found = keras_step(self._model, plain, train=train, optimizer=self._optimizer or "adam")
        notes = [*found.missing, *found.training.notes]
        return Step(found.training.costs, found.graph, notes, found.training.state_bytes)


def _trains(data: ProfileData) -> bool:
    """Whether the graph itself holds a training step."""
    try:
        return computed(data, TRAIN).mode == TRAIN
    except UsageError:
        return False


def persistent(data: ProfileData, part: Computed) -> dict[str, int]:
    """The variables by device: all of them where the model trains, its own where it predicts."""
    known = count_parameters(data, extent(data))
    counted = known.variables if part.mode == TRAIN else _own(known)
    return _by_device(data.graph, counted)


def _own(known: Parameters) -> list[Variable]:
    """Without the optimizer's, as far as anything says which those are."""
    if any(known.by_role[role].value is None for role in _OWN):
        return known.variables
    return [one for one in known.variables if one.role in _OWN]


def _own_bytes(known: Parameters) -> int:
    return sum(int(one.bytes or 0) for one in _own(known))


def _by_device(graph: Graph | None, variables: list[Variable]) -> dict[str, int]:
    device = device_of_rows(graph) if graph is not None else None
    found: dict[str, int] = {}
    for one in variables:
        row = graph.index.get(one.name, -1) if graph is not None else -1
        where = device(row) if device is not None and row >= 0 else CPU
        found[where] = found.get(where, 0) + int(one.bytes or 0)
    return found or {CPU: 0}
