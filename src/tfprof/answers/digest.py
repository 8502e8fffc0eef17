"""Everything the summary needs to know about a profile, computed once."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from tfprof.analyses.inputs import data_ops, model_inputs
from tfprof.analyses.keras_costs import KerasCosts, keras_costs
from tfprof.analyses.memory.estimate import Peak, peak
from tfprof.analyses.memory.program import MODELS
from tfprof.analyses.params import Parameters, count_layers, count_parameters, count_stored
from tfprof.analyses.reach import Extent, extent
from tfprof.analyses.static_costs import StaticCosts
from tfprof.analyses.time import RunCost, run_cost
from tfprof.answers.static import Question, costs_of
from tfprof.model.dims import BATCH
from tfprof.model.profile import ProfileData, TensorSpec

# a summary answers at once: going through more nodes than this takes longer
LARGEST_IN_A_SECOND = 20_000


@dataclass(frozen=True, slots=True)
class Digest:
    data: ProfileData
    part: Extent
    parameters: Parameters
    inputs: list[TensorSpec]
    data_ops: list[str]
    op_counts: dict[str, int]
    run: RunCost | None
    logged_float_ops: int | None
    static: StaticCosts | None
    memory: Peak | None
    keras: KerasCosts | None
    question: Question


def digest(
    data: ProfileData, signature: str | None = None, question: Question | None = None
) -> Digest:
    """`question` asks for what is computed as well; a list of models does without."""
    part = extent(data, signature)
    graph = data.graph
    static = _static(data, question) if question is not None else None
    return Digest(
        data,
        part,
        _parameters(data, part),
        model_inputs(graph, part) if graph is not None else [],
        data_ops(graph) if graph is not None else [],
        _op_counts(data, part),
        run_cost(data.trace) if data.trace is not None and len(data.trace.executions) else None,
        _logged_float_ops(data),
        static,
        _memory(data, static, question),
        keras_costs(data.keras) if data.keras is not None and data.graph is None else None,
        question or Question(),
    )


def _static(data: ProfileData, question: Question) -> StaticCosts | None:
    if data.graph is None or len(data.graph) > LARGEST_IN_A_SECOND:
        return None
    return costs_of(data, question)


def _memory(
    data: ProfileData, static: StaticCosts | None, question: Question | None
) -> Peak | None:
    """The estimated peak, of one sample unless a batch is given; None if more is open."""
    if static is None or data.graph is None or set(static.symbols) - {BATCH}:
        return None
    batch = question.sizes.get(BATCH, 1) if question is not None else 1
    return peak(static, data.graph, batch, MODELS["cpu-tf"])


def _parameters(data: ProfileData, part: Extent) -> Parameters:
    if data.graph is None and data.keras is not None:
        return count_layers(data.keras)
    if data.graph is None and data.checkpoint is not None:
        return count_stored(data.checkpoint)
    return count_parameters(data, part)


def _op_counts(data: ProfileData, part: Extent) -> dict[str, int]:
    """Nodes by op type, in the model and in the functions it calls, most first."""
    if data.graph is None:
        return {}
    counts: Counter[str] = Counter()
    codes = np.bincount(data.graph.ops.codes[part.rows], minlength=len(data.graph.ops.table))
    counts.update(dict(zip(data.graph.ops.table, codes.tolist(), strict=True)))
    for function in part.functions.values():
        counts.update(function.body.ops.counts())
    del counts["_Arg"]
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return {op: count for op, count in ordered if count}


def _logged_float_ops(data: ProfileData) -> int | None:
    """The sum of what the op log says for nodes of the graph; None if it says nothing."""
    if data.oplog is None or not data.oplog.float_ops or data.graph is None:
        return None
    index = data.graph.index
    return sum(count for name, count in data.oplog.float_ops.items() if name in index)


def op_types(data: ProfileData) -> dict[str, str]:
    """Node name to op type, also for nodes that only the executed graphs have."""
    graphs = [partition.load() for partition in data.trace.partitions] if data.trace else []
    if data.graph is not None:
        graphs.append(data.graph)
    return {name: graph.ops[row] for graph in graphs for row, name in enumerate(graph.names)}
