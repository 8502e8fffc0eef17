"""What nodes cost by scope, graph, op type or code: the four views of the original."""

from tfprof.reports.trees.prepared import Prepared, ask, warnings_of
from tfprof.reports.trees.query import Query
from tfprof.reports.trees.view import shape_of, view

__all__ = ["Prepared", "Query", "ask", "shape_of", "view", "warnings_of"]
