"""The passes over a step, in Grappler's order."""

from __future__ import annotations

from tfprof.analyses.memory.program import Program
from tfprof.analyses.optimised.dependency import dependency
from tfprof.analyses.optimised.duplicates import duplicates
from tfprof.analyses.optimised.fold import fold
from tfprof.analyses.optimised.remap import remap
from tfprof.analyses.optimised.reshape import reshape
from tfprof.analyses.optimised.rewriting import Rewriting
from tfprof.model.remembered import remembered

PASSES = (fold, duplicates, reshape, remap, dependency)


@remembered(lambda made: ((made,), ()))
def optimised(made: Program) -> Program:
    """The step as a default session or tf.function runs it."""
    graph = Rewriting(made)
    for one in PASSES:
        one(graph)
    graph.prune()
    return graph.finished()
