"""What a program holds in memory, as the profile that a file of it would be."""

from __future__ import annotations

from pathlib import Path

from tfprof.live.objects import LiveGraph
from tfprof.model.profile import Declarations, ProfileData
from tfprof.sources.graph.graphdef import FileBytes, read_graph

# what errors call what is no file
_GRAPH = Path("graph")


def data_of_live(live: LiveGraph) -> ProfileData:
    warnings: list[str] = []
    graph = read_graph(*FileBytes.opened(live.data, "GraphDef", _GRAPH, warnings))
    declared = Declarations(variables=live.variables)
    return ProfileData(str(_GRAPH), (), graph, declared, warnings=tuple(warnings))
