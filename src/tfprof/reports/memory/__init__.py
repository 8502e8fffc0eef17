"""Memory: what a step will need of it, or what a run took."""

from tfprof.reports.memory.answer import MemoryResult, ask, peaks, to_draw
from tfprof.reports.memory.estimated import against
from tfprof.reports.memory.query import EXECUTED, OPTIMISED, Query, WhatIfQuery, form_of
from tfprof.reports.memory.view import view

__all__ = [
    "EXECUTED",
    "OPTIMISED",
    "MemoryResult",
    "Query",
    "WhatIfQuery",
    "against",
    "ask",
    "form_of",
    "peaks",
    "to_draw",
    "view",
]
