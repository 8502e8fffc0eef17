"""Recurrent cells that a loop runs step by step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from tfprof.analyses.inference.sites import Site
from tfprof.results.graph_traits import LoopBody

_LOOPS = ("While", "StatelessWhile")
# sigmoids and tanhs of a round
_CELLS = {(3, 2): "LSTM", (2, 1): "GRU", (0, 1): "SimpleRNN"}


def recurrent_loops(sites: Sequence[Site]) -> tuple[LoopBody, ...]:
    """Forward loops with matrix products whose activations are those of a known cell."""
    bodies: dict[str, list[Site]] = {}
    calls = {site.name for site in sites if site.op in _LOOPS}
    for site in sites:
        loop = site.loops[-1] if site.loops else _call_around(site.name, calls)
        if loop and "gradient" not in site.name:
            bodies.setdefault(loop, []).append(site)
    found = (_body(loop, ops) for loop, ops in bodies.items())
    return tuple(one for one in found if one is not None)


def _call_around(name: str, calls: Iterable[str]) -> str:
    if not calls:
        return ""
    at = name
    while at:
        at = at.rpartition("/")[0]
        if at in calls:
            return at
    return ""


def _body(loop: str, ops: Sequence[Site]) -> LoopBody | None:
    count = Counter(site.op for site in ops)
    cell = _CELLS.get((count["Sigmoid"], count["Tanh"]))
    if cell is None or not count["MatMul"]:
        return None
    rounds = next((site.times for site in ops if site.op == "MatMul"), None)
    return LoopBody(loop, rounds, sum(count.values()), cell)
