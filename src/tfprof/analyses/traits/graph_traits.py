"""All that advice asks of a graph."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tfprof.analyses.cost.params import Parameters
from tfprof.analyses.graph.compiled_by_xla import compiled_nodes, is_compiled, scope_of
from tfprof.analyses.graph.handles import WRITES
from tfprof.analyses.graph.reach import CALLERS, Extent
from tfprof.analyses.inference.sites import Site
from tfprof.analyses.traits.constants import constants
from tfprof.analyses.traits.loops import recurrent_loops
from tfprof.analyses.traits.norms import norms
from tfprof.late_pattern import late_pattern
from tfprof.model import units
from tfprof.model.graph import Graph
from tfprof.model.profile import TensorSpec
from tfprof.results.graph_traits import Embedding, GraphTraits, OpenTensor

_QUEUES = late_pattern(r"(QueueDequeue|IteratorGetNext|FIFOQueue|RandomShuffleQueue|ReaderRead)\w*")
_GATHERS = frozenset({"ResourceGather", "GatherV2", "Gather", "SparseGather"})
_QUANTISED = late_pattern(r"Quantized\w+|FakeQuant\w+|Quantize(V2)?|QuantizeAndDequantize\w*")
# the shapes of what these make hang on values
_DYNAMIC = frozenset({
    "Where", "Unique", "UniqueV2", "UniqueWithCounts", "DynamicPartition", "ListDiff",
    "NonMaxSuppression", "NonMaxSuppressionV2", "NonMaxSuppressionV3", "NonMaxSuppressionV4",
    "NonMaxSuppressionV5",
})  # fmt: skip
_GPU = late_pattern(r"gpu", re.IGNORECASE)
_LAYERS_WITH_LAYOUT = ("Conv2D", "MaxPool", "AvgPool", "FusedBatchNormV3", "BiasAdd")


def graph_traits(
    graph: Graph,
    part: Extent,
    sites: Sequence[Site],
    parameters: Parameters,
    inputs: Sequence[TensorSpec],
) -> GraphTraits:
    bodies = [graph, *(one.body for one in part.functions.values())]
    trains = any(WRITES.fullmatch(op) for body in bodies for op in body.ops.table) and any(
        "gradient" in site.name for site in sites
    )
    large = constants(bodies)
    serves = part.signature is not None or parameters.frozen
    compiled = list(dict.fromkeys(_compiled(bodies)))
    return GraphTraits(
        len(graph) + part.function_nodes,
        trains,
        serves and not trains,
        norms(graph, sites),
        large,
        sum(one.bytes * one.copies for one in large),
        parameters.frozen,
        0 if parameters.frozen else len(parameters.variables),
        tuple(_open(inputs, first=True)),
        tuple(_open(inputs, first=False)),
        tuple(compiled),
        tuple(_dynamic(sites, compiled)),
        tuple(_channels_last(graph)),
        recurrent_loops(sites),
        {} if trains else _training_ops(sites),
        tuple(_embeddings(sites, parameters)),
        tuple(one.name for one in inputs),
        any(_QUEUES.fullmatch(op) for body in bodies for op in body.ops.table),
        any(_QUANTISED.fullmatch(op) for body in bodies for op in body.ops.table),
    )


def _open(inputs: Sequence[TensorSpec], *, first: bool) -> Iterator[OpenTensor]:
    for one in inputs:
        dims = one.shape or ()
        if None in (dims[:1] if first else dims[1:]):
            yield OpenTensor(one.name, units.shape(one.shape))


def _compiled(bodies: Sequence[Graph]) -> Iterator[str]:
    """Calls that XLA compiles, and what single ops that it compiles belong to."""
    for body in bodies:
        yield from (node.name for node in body.of_type("XlaLaunch"))
        for row in compiled_nodes(body):
            node = body.node(row)
            yield node.name if node.op in CALLERS else scope_of(node.attributes)


def _dynamic(sites: Sequence[Site], calls: Sequence[str]) -> Iterator[str]:
    for site in sites:
        if site.op not in _DYNAMIC:
            continue
        inside = any(site.name.startswith(f"{call}/") for call in calls)
        if inside or is_compiled(site.call.attributes):
            yield f"{site.name} ({site.op})"


def _channels_last(graph: Graph) -> Iterator[str]:
    if not any(map(_GPU.search, graph.devices.table)):
        return
    for node in graph.of_type(*_LAYERS_WITH_LAYOUT):
        layout = node.attributes.get("data_format")
        if _GPU.search(node.device) and layout is not None and layout.s == b"NHWC":
            yield node.name


def _training_ops(sites: Sequence[Site]) -> dict[str, tuple[str, ...]]:
    """What only training needs, by what it is."""
    found: dict[str, list[str]] = {}
    for site in sites:
        if site.op.startswith("FusedBatchNorm") and "is_training" in site.call.attributes:
            if site.call.attributes["is_training"].b:
                found.setdefault("batch norm of the batch", []).append(site.name)
        elif "dropout" in site.name.lower() and "RandomUniform" in site.op:
            found.setdefault("dropout", []).append(site.name)
    return {kind: tuple(names) for kind, names in found.items()}


def _embeddings(sites: Sequence[Site], parameters: Parameters) -> Iterator[Embedding]:
    """Variables that rows are gathered from."""
    names = {
        site.call.inputs[0].variable
        for site in sites
        if site.op in _GATHERS and site.call.inputs and "gradient" not in site.name
    }
    for one in parameters.variables:
        if one.name in names and one.bytes:
            yield Embedding(one.name, int(one.bytes))
