"""The graphs that devices executed: how large they are, and node by node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tfprof.analyses.executed import Part
from tfprof.analyses.placement.placed import Placement
from tfprof.model import units
from tfprof.model.graph import CONTROL, Graph
from tfprof.model.joined_graphs import RECEIVES, SENDS
from tfprof.model.profile import ProfileData
from tfprof.views.shapes import Column, Table, Unit, Value

# node, op, what it reads, microseconds a step
_Line = tuple[str, str, list[str], float | None]


def parts_table(found: Placement) -> Table:
    columns = [
        Column("device", "graph executed on"),
        Column("nodes", "nodes", Unit.COUNT),
        Column("edges", "edges", Unit.COUNT),
        Column("sends", "sends", Unit.COUNT),
        Column("receives", "receives", Unit.COUNT),
    ]
    rows: list[list[Value]] = [[one[column.key] for column in columns] for one in parts_data(found)]
    return Table(columns, rows)


def parts_data(found: Placement) -> list[dict[str, Any]]:
    return [_part_data(found, part) for part in found.parts]


def _part_data(found: Placement, part: Part) -> dict[str, Any]:
    graph = part.graph
    return {
        "device": found.names(part.device),
        "kind": part.partition.kind,
        "step": part.partition.step,
        "nodes": len(graph),
        "edges": int(np.count_nonzero(graph.edges.port != CONTROL)),
        "sends": len(graph.ops.where(*SENDS)),
        "receives": len(graph.ops.where(*RECEIVES)),
    }


def subgraph_tables(data: ProfileData, found: Placement) -> list[Table]:
    tables = []
    for device, lines in _subgraphs(data, found):
        columns = [
            Column("name", f"{device}: {units.plural(len(lines), 'node')}"),
            Column("op", "op"),
            Column("reads", "reads", Unit.PROSE),
            Column("time_us", "time", Unit.MICROS),
        ]
        rows: list[list[Value]] = [
            [name, op, ", ".join(reads), "" if micros is None else micros]
            for name, op, reads, micros in lines
        ]
        tables.append(Table(columns, rows))
    return tables


def subgraphs_data(data: ProfileData, found: Placement) -> list[dict[str, Any]]:
    return [
        {
            "device": device,
            "nodes": [
                {"name": name, "op": op, "reads": reads, "time_us": micros}
                for name, op, reads, micros in lines
            ],
        }
        for device, lines in _subgraphs(data, found)
    ]


def _subgraphs(data: ProfileData, found: Placement) -> Iterator[tuple[str, list[_Line]]]:
    """As executed; without such graphs the nodes of the graph by where they are; else the run's."""
    for part in found.parts:
        yield _lines(part.graph, list(range(len(part.graph))), found, found.names(part.device))
    if found.parts:
        return
    if data.graph is not None and found.place is not None:
        for code in found.place.used():
            rows = np.flatnonzero(found.place.codes == code).tolist()
            yield _lines(data.graph, rows, found, found.place.table[code])
        return
    for device in found.ran.devices:
        names = [name for name, places in found.ran.places.items() if device in places]
        types = _types(data)
        lines = [(name, types.get(name, ""), list[str](), _micros(found, name, device))
                 for name in names]  # fmt: skip
        yield device, lines


def _types(data: ProfileData) -> dict[str, str]:
    rows = data.trace.executions if data.trace is not None else None
    if rows is None or rows.op is None:
        return {}
    first = np.unique(rows.node.codes, return_index=True)[1].tolist()
    return {rows.node[row]: rows.op[row] for row in first}


def _lines(graph: Graph, rows: list[int], found: Placement, device: str) -> tuple[str, list[_Line]]:
    names, edges = graph.names.tolist(), graph.edges
    offsets, node, port = edges.offsets.tolist(), edges.node.tolist(), edges.port.tolist()

    def reads(row: int) -> Iterator[str]:
        for edge in range(offsets[row], offsets[row + 1]):
            name = names[node[edge]] if node[edge] >= 0 else "?"
            number = f":{port[edge]}" if port[edge] > 0 else ""
            yield f"^{name}" if port[edge] == CONTROL else name + number

    lines = [
        (names[row], graph.ops[row], list(reads(row)), _micros(found, names[row], device))
        for row in rows
    ]
    return device or "not placed", lines


def _micros(found: Placement, name: str, device: str) -> float | None:
    micros = found.ran.micros.get((name, device))
    return None if micros is None else micros / found.steps
