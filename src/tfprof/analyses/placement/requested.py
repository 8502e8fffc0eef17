"""The device that a graph asks for, node by node."""

from __future__ import annotations

from collections import Counter

from tfprof.analyses.graph.reach import extent
from tfprof.model.device import DeviceNames
from tfprof.model.graph import Graph
from tfprof.model.interned import Interned
from tfprof.model.profile import ProfileData

_BESIDE = "loc:@"
_HANDLES = ("VarHandleOp",)
# nodes that stay with others that stay with others: more than this many in a row are not followed
_LONGEST_CHAIN = 8


def requested(graph: Graph) -> Interned:
    """What a node names; else where the node is that it is to stay with; "" if it may be anywhere.

    An op that takes the handle of a variable runs where the variable is.
    """
    if not any(graph.devices.table):
        return graph.devices
    table = list(graph.devices.table)
    code = [at if table[at] else -1 for at in graph.devices.codes.tolist()]
    beside = _beside(graph, code)
    for _ in range(_LONGEST_CHAIN):
        moved = False
        for row, others in beside.items():
            found = next((code[one] for one in others if code[one] >= 0), -1)
            if code[row] < 0 <= found:
                code[row], moved = found, True
        if not moved:
            break
    return Interned.of([table[at] if at >= 0 else "" for at in code])


def _beside(graph: Graph, code: list[int]) -> dict[int, list[int]]:
    """Nodes without a device of their own, and those that they are to stay with."""
    found: dict[int, list[int]] = {}
    for row, value in graph.attributes.column("_class").items():
        if code[row] < 0:
            names = (bytes(one).decode(errors="replace") for one in value.list.s)
            rows = (graph.index.get(name.removeprefix(_BESIDE), -1) for name in names)
            found[row] = [one for one in rows if one >= 0]
    for handle in graph.of_type(*_HANDLES):
        for reader, _ in handle.readers():
            if code[reader.row] < 0:
                found.setdefault(reader.row, []).append(handle.row)
    return found


def graphs_of(data: ProfileData) -> list[Graph]:
    """The main graph, and the bodies of the functions it calls."""
    if data.graph is None:
        return []
    return [data.graph, *(one.body for one in extent(data).functions.values())]


def asked_names(data: ProfileData) -> list[str]:
    return [name for graph in graphs_of(data) for name in graph.devices.table if name]


def asked_counts(data: ProfileData, names: DeviceNames) -> Counter[str]:
    """How many nodes ask for each device; "" are those that ask for none."""
    found: Counter[str] = Counter()
    for graph in graphs_of(data):
        for name, count in requested(graph).counts().items():
            found[names(name) if name else ""] += count
    return found
