"""What a layer has of the memory that is alive at the estimated peak of a step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection

from tfprof.analyses.cost.op_costs import OpCosts
from tfprof.analyses.graph.subgraph import TRAIN
from tfprof.analyses.memory.peaks import expected_peaks
from tfprof.analyses.memory.program import MODELS, OWN_KERNELS, MemoryModel, Program, program
from tfprof.analyses.memory.step_sources import KerasSteps
from tfprof.analyses.training.optimizers import ADAM
from tfprof.errors import InputMissing
from tfprof.model.dims import BATCH
from tfprof.model.graph import Graph
from tfprof.model.keras_model import KerasModel
from tfprof.model.quantity import Quantity
from tfprof.reports.shared.missing_sizes import bytes_known, missing_sizes
from tfprof.reports.shared.question import Question
from tfprof.results.memory import Alive

# a larger step takes longer to be run on paper than the table of its layers may take
_MOST_OPS = 20_000
_TOO_LARGE = f"not worked out for more than {_MOST_OPS:,} ops; `tfprof memory` tells the whole peak"

# which batch is at its peak where, is known for numbers only
ONE_SAMPLE = "peak_bytes: of one sample, B = 1; --batch tells it for others"
# of what is alive, whose it is
Owner = Callable[[Alive], str]


class AtPeak:
    """The parts of a peak by whose they are; what is not alive then has none of it."""

    def __init__(self, parts: Counter[str], missing: str = "", unknown: str = "") -> None:
        self._parts, self._missing, self._unknown = parts, missing, unknown

    def of(self, name: str) -> Quantity:
        if self._unknown:
            return Quantity.unknown(self._unknown)
        return bytes_known(self._parts[name], self._missing)


def peak_of_graph(
    costs: OpCosts, graph: Graph, question: Question, owner: Owner, model: MemoryModel
) -> AtPeak:
    """Of the device that needs most, at the batch that is asked for, or for one sample."""
    if len(costs.ops) > _MOST_OPS:
        return AtPeak(Counter(), unknown=_TOO_LARGE)
    if graph.cut:
        return AtPeak(Counter(), unknown=graph.cut)
    made = program(costs, graph, model)
    return _at_peak(made, question, missing_sizes(made), owner)


def peak_of_layers(model: KerasModel, question: Question, calls: Collection[str]) -> AtPeak:
    """`calls` are the names that their ops begin with."""
    optimizer = ADAM if question.mode == TRAIN else None
    try:
        found = KerasSteps(model, question.sizes, optimizer).at({})
    except InputMissing as error:
        return AtPeak(Counter(), unknown=str(error))
    made = program(found.costs, found.graph, MODELS[OWN_KERNELS])
    missing = missing_sizes(made, found.missing)
    return _at_peak(made, question, missing, lambda alive: _call_of(alive.name, calls))


def _at_peak(made: Program, question: Question, missing: str, owner: Owner) -> AtPeak:
    found = expected_peaks(made, question.sizes.get(BATCH, 1))
    highest = max(found.values(), key=lambda one: one.expected)
    parts = Counter[str]()
    for one in highest.live:
        parts[owner(one)] += one.bytes
    return AtPeak(parts, missing)


def _call_of(op: str, calls: Collection[str]) -> str:
    """The call that an op belongs to; before the gradients and updates of one stands what it is."""
    parts = op.split("/")
    for first in (0, 1):
        for end in range(len(parts), first, -1):
            name = "/".join(parts[first:end])
            if name in calls:
                return name
    return ""
