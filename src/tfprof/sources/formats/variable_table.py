"""A JSON table of variables."""

from __future__ import annotations

from tfprof.sources.files.probe import Probe
from tfprof.sources.files.registry import Format, reader, register


def _score(probe: Probe) -> float:
    # certain only when named with --vars; by content it is told from other JSON by its rows
    head = probe.head.lstrip()
    if not probe.is_text or not head.startswith(b"{"):
        return 0.0
    first_value = head.partition(b":")[2].lstrip()
    return 0.9 * first_value.replace(b" ", b"").replace(b"\n", b"").startswith(b"[[")


register(Format(
    name="variable table",
    about="shapes of the variables a function captured",
    names="*_vars.json, --vars",
    recognised_by="JSON rows",
    gives="parameters of captured variables",
    score=_score,
    read=reader("graph.variable_table", "read"),
))  # fmt: skip
