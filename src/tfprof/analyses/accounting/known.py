"""What a profile tells of the original's metrics, and what it does not: unknown is no zero."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfprof.model.graph import Graph
from tfprof.model.metrics import MEMORY, TIMES
from tfprof.model.profile import ProfileData
from tfprof.wire import dtypes

if TYPE_CHECKING:
    from tfprof.analyses.graph.variables import Variable
    from tfprof.model.keras_model import KerasModel

# what a variable counts as that a function captured or a Keras file holds
VARIABLE_TYPE = "VarHandleOp"
_NO_GRAPH = "no graph was given"
_NO_RUN = "no run was given"
_NOT_TOLD = "a capture does not tell what ops asked their allocators for"
_NOT_ASKED = "counted where they are asked for: -select float_ops"
_OF_LAYERS = "`tfprof layers` counts those of a Keras file"


def held_variables(data: ProfileData) -> list[Variable]:
    """The variables that a graph of nodes does not count by itself.

    Those that a function captured are placeholders of rank 0 in it; a Keras file has layers.
    """
    if data.graph is None and data.keras is not None:
        return _of_layers(data.keras)
    if data.graph is None or not _captures(data.graph):
        return []
    from tfprof.analyses.graph.variables import find_variables  # few graphs have any

    node, index = data.graph.node, data.graph.index
    return [one for one in find_variables(data) if node(index[one.name]).op == "Placeholder"]


def _of_layers(model: KerasModel) -> list[Variable]:
    from tfprof.analyses.cost.keras_weights import with_weights
    from tfprof.analyses.cost.params import count_layers
    from tfprof.analyses.graph.variables import Variable

    lost = [one.path for one in with_weights(model).layers if one.unknown]
    return [
        *count_layers(model).variables,
        *(Variable(layer, None, dtypes.FLOAT, None) for layer in lost),
    ]


def _captures(graph: Graph) -> bool:
    """Whether handles of a function are among the nodes: looking for variables takes longer."""
    fed = graph.of_type("Placeholder")
    return any(one.type_attribute("dtype") == dtypes.RESOURCE for one in fed)


def unknown_metrics(data: ProfileData) -> dict[str, str]:
    """Metrics that nothing here tells, and why; for others a zero is a zero."""
    found: dict[str, str] = {}
    if data.graph is None and data.keras is None:
        found["params"] = _NO_GRAPH
    if data.oplog is None or not data.oplog.tells_flops:
        found["float_ops"] = _why_no_flops(data)
    trace = data.trace
    if trace is None or not len(trace.executions):
        found |= dict.fromkeys((*MEMORY, *TIMES, "occurrence"), _NO_RUN)
    elif trace.space is not None:
        found |= dict.fromkeys(MEMORY, _NOT_TOLD)
    return found


def _why_no_flops(data: ProfileData) -> str:
    if data.graph is not None:
        return _NOT_ASKED
    return _NO_GRAPH if data.keras is None else _OF_LAYERS
