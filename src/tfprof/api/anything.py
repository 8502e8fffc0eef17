"""A model in whatever form it is at hand, as one profile: for the calls that ask one question."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tfprof.api.profile import Profile
from tfprof.live.objects import LiveGraph, live_graph
from tfprof.model.profile import Declarations, ProfileData
from tfprof.sources.files import top_fields
from tfprof.sources.graphdef import Source, read_graph
from tfprof.sources.load import Request, read_one

_GRAPH = Path("graph")  # what errors call a graph that is no file


def data_of(model: Any) -> ProfileData:  # noqa: ANN401
    """From a path, a Profile, a GraphDef, a tf.Graph, a tf.function or a Keras model."""
    if isinstance(model, Profile):
        return model.data
    if isinstance(model, ProfileData):
        return model
    if isinstance(model, str | os.PathLike):
        return read_one(Request([Path(model)]))
    return data_of_live(live_graph(model))


def data_of_live(live: LiveGraph) -> ProfileData:
    warnings: list[str] = []
    data, fields = top_fields(live.data, "GraphDef", _GRAPH, warnings)
    graph = read_graph(Source(data, _GRAPH), fields)
    declared = Declarations(variables=live.variables)
    return ProfileData(str(_GRAPH), (), graph, declared, warnings=tuple(warnings))
