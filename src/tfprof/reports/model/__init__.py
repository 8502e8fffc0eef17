"""A model as a graph in collapsible scopes, with the cost of each."""

from tfprof.reports.model.answer import ask, model_graph
from tfprof.reports.model.query import Query

__all__ = ["Query", "ask", "model_graph"]
