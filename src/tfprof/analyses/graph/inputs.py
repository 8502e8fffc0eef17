"""What a model is fed: signature inputs, placeholders, and ops that fetch data themselves."""

from __future__ import annotations

from tfprof.analyses.graph.reach import Extent
from tfprof.late_pattern import late_pattern
from tfprof.model.graph import Graph
from tfprof.model.profile import TensorSpec
from tfprof.wire import dtypes

_FETCHERS = late_pattern(
    r"IteratorGetNext|IteratorGetNextSync|OneShotIterator|Queue(Dequeue|DequeueMany|DequeueUpTo)(V2)?"
    r"|\w*Reader(V2)?"
)
# the file name that Saver's ops are fed
_SAVER = late_pattern(r"(.*/)?save(_\d+)?/")


def model_inputs(graph: Graph, part: Extent) -> list[TensorSpec]:
    """The tensors that come from outside; captured variables are none of them."""
    if part.signature is not None:
        return list(part.signature.inputs)
    found = []
    for node in graph.of_type("Placeholder", "PlaceholderWithDefault"):
        dtype = node.type_attribute("dtype")
        if dtype != dtypes.RESOURCE and not _SAVER.match(node.name):
            shapes = node.output_shapes()
            shape = node.shape_attribute()
            known = shape if shape or not shapes else shapes[0]
            found.append(TensorSpec(node.name, f"{node.name}:0", dtype, known))
    return found


def data_ops(graph: Graph) -> list[str]:
    """Ops that fetch their own data, by name."""
    kinds = [op for op in graph.ops.table if _FETCHERS.fullmatch(op)]
    return [node.name for node in graph.of_type(*kinds)]
