"""Calls that XLA compiles: Grappler leaves them alone, and what XLA allocates is decided by XLA."""

from __future__ import annotations

from tfprof.analyses.graph.compiled_by_xla import is_compiled, scope_of
from tfprof.analyses.memory.program import Program


def compiled_calls(made: Program) -> list[str]:
    """The names of the calls that are marked `jit_compile=True`, or of what single ops are in."""
    sites = (step.op.site for step in made.steps)
    found = (
        one.call.name if one.rule is None else scope_of(one.call.attributes)
        for one in sites
        if is_compiled(one.call.attributes)
    )
    return list(dict.fromkeys(found))
