"""Timelines for chrome://tracing, byte for byte as the original tool writes them.

Scopes and code become a flame graph that is no real time: every level of the tree is a process,
and children lie end to end below their parent. A graph becomes the executions of one step.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tfprof.results.tree_exports import GraphTimeline, Point, Slice
from tfprof.views.trees import CostTreeView

Event = dict[str, Any]

_RANKS = 10
_MEGABYTE = 1e6


def scope_timeline(view: CostTreeView) -> str:
    """The flame graph of a tree of scopes or code; what took no time is left out."""
    events: list[Event] = []
    levels: set[int] = set()
    # where a row starts, and where the next row below it will
    start: dict[int, int] = {}
    free: dict[int, int] = {}
    for at, row in enumerate(view.rows):
        micros = row.total.micros
        if at and (row.parent not in start or not micros):
            continue
        start[at] = free[row.parent] if at else 0
        free[at] = start[at]
        if at:
            free[row.parent] += micros
        if row.indent not in levels:
            levels.add(row.indent)
            events.append(_process(row.indent, f"Scope:{row.indent}"))
        events.append(
            _slice(
                Slice(row.name, row.indent, 0, start[at], micros),
                {"name": row.name, "op": row.name},
            )
        )
    return _document(events)


def graph_timeline(timeline: GraphTimeline) -> str:
    """The executions of one step: devices are processes, with flows between them and counters."""
    processes = enumerate(timeline.processes)
    first = [_process(number, _device_title(device)) for number, device in processes]
    first += [_slice(one, {"name": one.name}) for one in timeline.slices]
    later: list[Event] = []
    for number, (name, source, target) in enumerate(timeline.flows, 1):
        later += [_flow(name, number, "s", source), _flow(name, number, "t", target)]
    number = len(timeline.processes)
    for device, _, samples in timeline.memory:
        title = f"mem usage on:{device}"
        first += [_process(number, title), _process(number + 1, f"{title} allocations")]
        for time, in_use, largest, rest in samples:
            used = {"Allocator Bytes in Use": in_use}
            held = _allocations(largest, rest)
            later.append(_counter("Allocated Bytes", number, time, used))
            later.append(_counter("Top Allocations", number + 1, time, held))
        number += 2
    return _document(first + later)


def _device_title(device: str) -> str:
    kind = "execution" if "stream" in device else "scheduling"
    return f"Op {kind} threads: {device}"


def _allocations(largest: Sequence[tuple[str, int]], rest: int) -> Event:
    # the original fills ten ranks, but only the last nine have a text where there is nothing
    ranks: Event = {_rank(place): "N/A" for place in range(1, _RANKS)}
    for place, (name, size) in enumerate(largest):
        ranks[_rank(place)] = f"{size / _MEGABYTE:g} MB from {name}"
    return ranks | {"Not Displayed": f"{rest / _MEGABYTE:.2f} MB"}


def _rank(place: int) -> str:
    return f"Top Allocation {place:02}"


def _process(number: int, name: str) -> Event:
    return {"args": {"name": name}, "name": "process_name", "ph": "M", "pid": number}


def _slice(one: Slice, details: Event) -> Event:
    name, process, lane, start, duration = one
    return {
        "args": details, "cat": "Op", "dur": duration, "name": name,
        "ph": "X", "pid": process, "tid": lane, "ts": start,
    }  # fmt: skip


def _flow(name: str, number: int, phase: str, end: Point) -> Event:
    process, lane, time = end
    return {
        "cat": "DataFlow", "id": number, "name": f"{name}_flow",
        "ph": phase, "pid": process, "tid": lane, "ts": time,
    }  # fmt: skip


def _counter(name: str, process: int, time: int, values: Event) -> Event:
    return {
        "args": values, "cat": "Memory", "name": name,
        "ph": "C", "pid": process, "tid": 0, "ts": time,
    }  # fmt: skip


def _document(events: list[Event]) -> str:
    text = json.dumps({"traceEvents": events}, sort_keys=True, separators=(",", ":"))
    return text + "\n"
