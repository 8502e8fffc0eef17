"""The model as a graph in collapsible scopes."""

from __future__ import annotations

from collections.abc import Mapping

from tfprof.reports.model import Query, model_graph
from tfprof.reports.model.thinned import thinned
from tfprof.reports.page.about import About

# what a row and its edges take in the file, rather more than less
_BYTES_A_ROW = 16
_FEW = 1_000


def section(about: About) -> Mapping[str, object]:
    """As many levels of scopes as there is room for."""
    about.refuse_huge()
    whole = model_graph(about.data, Query(about.query.question))
    shown = thinned(whole, max(_FEW, about.room // _BYTES_A_ROW))
    if len(shown) < len(whole):
        about.notes.append(f"The graph has {shown.notes[-1]} `tfprof scope` has all of them.")
    return {"graph": shown}
