"""The model as a graph in collapsible scopes."""

from __future__ import annotations

from collections.abc import Mapping

from tfprof.reports.model import Query, model_graph
from tfprof.reports.page.about import About


def section(about: About) -> Mapping[str, object]:
    return {"graph": model_graph(about.data, Query(about.query.question))}
