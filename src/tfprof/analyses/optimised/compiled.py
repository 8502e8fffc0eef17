"""Calls that XLA compiles: Grappler leaves them alone, and what XLA allocates is decided by XLA."""

from __future__ import annotations

from tfprof.analyses.memory.program import Program

_MARKS = ("_XlaMustCompile", "_XlaCompile")


def compiled_calls(made: Program) -> list[str]:
    """The names of the calls that are marked `jit_compile=True`."""
    calls = (step.op.site.call for step in made.steps if step.op.site.rule is None)
    return [
        call.name
        for call in calls
        if any(mark in call.attributes and call.attributes[mark].b for mark in _MARKS)
    ]
