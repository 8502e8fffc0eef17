"""The step that is meant: of a graph as written or as it ran, with training added, of layers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tfprof.analyses.graph.partition_graphs import partition_graphs, with_received
from tfprof.analyses.graph.subgraph import INFERENCE, TRAIN, Subgraph, subgraph
from tfprof.analyses.memory.estimator import Estimator, memory_model
from tfprof.analyses.memory.step_sources import (
    AddedSteps,
    GraphSteps,
    KerasSteps,
    StepSource,
    persistent,
)
from tfprof.analyses.optimised.optimise import optimised
from tfprof.analyses.placement.soft_placement import as_ran
from tfprof.errors import InputMissing, UsageError
from tfprof.model.joined_graphs import joined_graphs
from tfprof.model.profile import ProfileData
from tfprof.reports.memory.query import Query
from tfprof.reports.shared.kernels_of_run import model_of_run
from tfprof.reports.shared.model_costs import check_feeds, refuse_feeds
from tfprof.reports.shared.question import Question

_PARTITION = "partition"


def estimator_of(data: ProfileData, query: Query) -> Estimator:
    """Of the model as it is, or with a training step added to what only predicts."""
    name = query.model or model_of_run(data)
    model = memory_model(name, query.workspace, query.last_cache)
    steps = _steps(data, query.question, query.optimizer)
    return Estimator(steps, model, rewrite=optimised if query.optimised else None)


def _steps(data: ProfileData, question: Question, optimizer: str | None) -> StepSource:
    if data.graph is None and data.keras is not None:
        refuse_feeds(question)
        return KerasSteps(data.keras, question.sizes, optimizer)
    if data.graph is None:
        raise InputMissing(
            "no graph: memory is estimated from a graph, or from a Keras file",
            hint="`tfprof doctor PATH` lists what is there.",
        )
    if data.graph.cut:
        # without the ops that read them, tensors live for too long: not even a least peak is known
        raise InputMissing(
            f"the peak is not known: {data.graph.cut}",
            where=data.title,
            hint="Copy or write the file again.",
        )
    if optimizer is None or _trains(data):
        return _graph_steps(data, question)
    return AddedSteps(_graph_steps(data, replace(question, mode=INFERENCE)), optimizer)


def _trains(data: ProfileData) -> bool:
    """Whether the graph itself holds a training step."""
    try:
        return subgraph(data, TRAIN).mode == TRAIN
    except UsageError:
        return False


def _graph_steps(data: ProfileData, question: Question) -> GraphSteps:
    data, moved = as_ran(data)
    check_feeds(data, question)
    part = subgraph(data, question.mode, question.fetch, question.signature)
    return GraphSteps(data, part, question.given(part.mode), moved)


def executed_estimator(data: ProfileData, query: Query) -> Estimator:
    """Of the graphs that ran, after TensorFlow had rewritten them: the run metadata holds them."""
    # joined: only metadata of runs has such graphs, and they are of one host
    graphs = [one for one in partition_graphs(data.trace) if one.partition.kind == _PARTITION]
    if not graphs or data.trace is None:
        raise InputMissing(
            "no graph as it was executed: the run metadata has no partition graphs",
            hint="Trace with RunOptions(output_partition_graphs=True).",
        )
    graph = joined_graphs([one.graph for one in with_received(graphs, data.trace)])
    ran, moved = as_ran(replace(data, graph=graph))
    question = replace(query.question, sizes={})
    check_feeds(ran, question)
    part = Subgraph(np.arange(len(graph)), TRAIN, "the step as it was executed")
    steps = GraphSteps(ran, part, question.given(TRAIN), moved, is_fixed=True)
    if data.graph is not None:
        steps.persistent = persistent(as_ran(data)[0], subgraph(data))
    return Estimator(steps, memory_model(query.model or model_of_run(data)))
