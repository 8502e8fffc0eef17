"""The graph of whatever was loaded: ops of a graph or a run, layers of a Keras file."""

from __future__ import annotations

from dataclasses import replace

from tfprof.errors import InputMissing
from tfprof.model.profile import ProfileData
from tfprof.reports.model.query import Query
from tfprof.reports.shared.words import recognised
from tfprof.results.answered import Answered, answered
from tfprof.results.model_graph import ModelGraph

_NOTHING = "no graph: a model is drawn from a GraphDef, a SavedModel, a .keras file or a run"


def ask(data: ProfileData, query: Query) -> Answered[ModelGraph]:
    graph = replace(model_graph(data, query), shown=query.metric)
    return answered("model", data, graph, data.warnings, graph.notes, recognised=recognised(data))


def model_graph(data: ProfileData, query: Query) -> ModelGraph:
    """Of a run without a graph it is not known who reads whom."""
    data = data.as_recorded()
    if data.graph is None and data.keras is not None:
        from tfprof.reports.model.of_keras import of_keras

        return of_keras(data.keras, query.question).graph()
    if data.graph is None and not data.hosts.any_ops:
        raise InputMissing(
            _NOTHING, where=data.title, hint="`tfprof doctor PATH` lists what is there."
        )
    from tfprof.reports.model.of_graph import of_graph

    return of_graph(data, query.question).graph()
