"""Which op ran or is placed where, what goes from device to device, what was soft-placed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tfprof.analyses.executed import executed
from tfprof.analyses.inference.sites import Given
from tfprof.analyses.placement.copies import Copy
from tfprof.analyses.placement.placed import EXECUTED, RECORDED, Device, Moved, Placement, placement
from tfprof.answers.common import folded, used_inputs
from tfprof.answers.subgraphs import parts_data, parts_table, subgraph_tables, subgraphs_data
from tfprof.errors import InputMissing
from tfprof.model import units
from tfprof.model.placement_log import PlacementLog
from tfprof.model.profile import ProfileData
from tfprof.views.result import Result
from tfprof.views.shapes import (
    Column,
    Facts,
    Notes,
    Part,
    Report,
    Table,
    Unit,
    Value,
    without_empty,
)

_SHOWN = 12
_NAMED = 3
# a fullest server that holds this many times the mean is worth a sentence
_UNEVEN = 1.2
_ANYWHERE = "(not placed)"


def placement_answer(
    data: ProfileData,
    log: PlacementLog | None = None,
    given: Given | None = None,
    *,
    partition: str | None = None,
    nodes: bool = False,
) -> Result:
    """`partition` is a device: only what ran there. `nodes` adds what devices execute."""
    if data.graph is None and data.trace is None and log is None:
        raise InputMissing(
            "no graph and no run: placement is asked for in a graph and recorded in a run",
            hint="`tfprof doctor PATH` lists what is there.",
        )
    found = placement(data, log, given)
    if partition is not None:
        data = executed(data, partition)
        found = _on_one(found, placement(data, log, given))
    warnings = [*data.warnings, *_warnings(data, found)]
    shown: list[Part] = [
        Facts(list(_facts(data, found, log))),
        _devices_table(data, found, log),
        _copies_table(found.copies),
        _moved_table(found.moved),
        _servers_table(found),
        parts_table(found),
        _log_table(found, log),
    ]
    content = _data(found, log)
    if nodes:
        shown += subgraph_tables(data, found)
        content["subgraphs"] = subgraphs_data(data, found)
    parts = without_empty([*shown, Notes([*warnings, *_next(found, nodes=nodes)])])
    inputs = used_inputs(data) + ([(log.path, "placement log")] if log is not None else [])
    return Result("placement", inputs, warnings, content, Report(data.title, "", parts))


def _on_one(whole: Placement, part: Placement) -> Placement:
    """A part, with the copies to and from it: the other end of each is elsewhere."""
    here = part.names(part.parts[0].device)
    copies = [one for one in whole.copies if here in (one.source, one.target)]
    return replace(part, copies=copies, copies_from=whole.copies_from)


def _facts(
    data: ProfileData, found: Placement, log: PlacementLog | None
) -> Iterator[tuple[str, str]]:
    yield "Placed", "; ".join(_sources(data, log))
    if found.moved:
        groups = Counter((one.asked, one.ran) for one in found.moved)
        for (asked, ran), count in groups.most_common(_NAMED):
            nodes = units.plural(count, "node")
            yield "Soft-placed", f"{nodes} asked for {asked} and ran on {ran}"
    elif found.ran.devices and _names_devices(data):
        yield "Soft-placed", "nothing: what named a device ran there"
    if found.copies:
        yield "Copies", _copied(found)
    if found.balance.ratio is not None:
        yield "Servers", _balanced(found)


def _names_devices(data: ProfileData) -> bool:
    """Whether the graph as it was written asks for devices; one that ran names them all."""
    return data.graph is not None and not data.is_executed and any(data.graph.devices.table)


def _sources(data: ProfileData, log: PlacementLog | None) -> Iterator[str]:
    trace = data.trace
    has_ops = trace is not None and len(trace.executions) > 0
    if trace is not None and has_ops:
        steps = units.plural(len(trace.steps), "step") if trace.steps else "the whole capture"
        yield f"as it ran: {len(trace.executions):,} executions in {steps}"
    if log is not None:
        said = []
        if log.placed:
            said.append(f"{units.plural(len(log.placed), 'node')} placed")
        if log.executed:
            said.append(f"{units.plural(sum(log.executed.values()), 'op')} executed")
        yield f"as logged: {', '.join(said)}"
    if not has_ops and log is None:
        yield "not known: no op was recorded" if data.graph is None else "as the graph asks"
    if data.graph is not None and not data.is_executed and not any(data.graph.devices.table):
        yield "the graph names no device"


def _copied(found: Placement) -> str:
    count = sum(one.count for one in found.copies)
    sizes = [one.bytes for one in found.copies]
    known = sum(size or 0 for size in sizes)
    least = "at least " if None in sizes else ""
    per = " a step" if found.copies_from != RECORDED or found.steps > 1 else ""
    size = f"{least}{units.size(known)}" if known or not least else "of unknown size"
    text = f"{_number(count)}{per}, {size}"
    times = [one.micros for one in found.copies if one.micros is not None]
    if times:
        text += f", {units.duration(sum(times))} one after the other"
    return f"{text} ({_BASIS[found.copies_from]})"


_BASIS = {
    RECORDED: "as recorded",
    EXECUTED: "by the graphs that ran",
    "graph": "by the edges of the graph",
}


def _number(count: float) -> str:
    return units.exact(count) if count == int(count) else f"{count:,.1f}"


def _balanced(found: Placement) -> str:
    known = found.balance
    text = f"the fullest of {len(known.tasks)}, {known.fullest}, holds {known.ratio:.2f} times"
    text += " the mean"
    if (known.ratio or 0) < _UNEVEN or known.largest is None:
        return f"{text}: balanced"
    largest = known.largest
    return (
        f"{text}: uneven; its largest variable is {largest.name} ({units.size(largest.bytes or 0)})"
        f" - place by size (GreedyLoadBalancingStrategy) or partition it"
    )


def _warnings(data: ProfileData, found: Placement) -> Iterator[str]:
    if data.trace is None:
        yield "time and bytes of ops are not known: no run was given"
    elif data.trace.space is not None:
        yield "a capture does not tell the bytes that ops asked for"
        cpus = [name for name in found.devices if "/cpu:" in name]
        if len(cpus) > 1:
            yield "a capture does not tell which CPU ran an op: all are under the first"
    if data.graph is None:
        yield "parameters and what was asked for are not known: no graph was given"
    elif any(one.params is None for one in (*found.devices.values(), found.unplaced)):
        yield "the shapes of some variables are not in the graph: --vars FILE gives them"
    anywhere = 0 if found.place is None else len(found.place.where(""))
    if anywhere and not found.ran.devices:
        count = units.plural(anywhere, "node")
        yield f"{count} may run anywhere: TensorFlow decides, and their copies are not counted"
    unknown = [one for one in found.copies if one.bytes is None]
    if unknown:
        kinds = ", ".join(dict.fromkeys(one.kind for one in unknown))
        yield f"the bytes of some copies are not known ({kinds})"
    if found.copies and found.copies_from != RECORDED:
        yield "the time of copies is not known: nothing recorded it"
    if any(one.source is None for one in found.copies):
        yield "threads tell what they sent, not from which device to which"
    yield from found.notes


def _next(found: Placement, *, nodes: bool) -> Iterator[str]:
    if found.parts and not nodes:
        yield "--nodes prints the graph that each device executed, with the time of each op."


_NODES, _ASKED = "nodes", "asked"


def _devices_table(data: ProfileData, found: Placement, log: PlacementLog | None) -> Table:
    measured = data.trace is not None
    seen = bool(found.ran.devices) or log is not None
    columns = [Column("device", "device")]
    if seen:
        columns.append(Column(_NODES, "ran" if measured else "logged", Unit.COUNT))
    named = data.graph is not None and any(data.graph.devices.table)
    if named or not seen:
        columns.append(Column(_ASKED, "asked for" if seen else "nodes", Unit.COUNT))
    if data.graph is not None:
        columns += [
            Column("params", "params", Unit.COUNT),
            Column("variable_bytes", "variables", Unit.BYTES),
        ]
    if measured:
        columns.append(Column("time_us", "time", Unit.MICROS))
        if data.trace is not None and data.trace.space is None:
            columns.append(Column("bytes", "requested", Unit.BYTES))
    rows = [(name, _device_data(one)) for name, one in found.devices.items()]
    if found.unplaced.asked and (named or not seen):
        # what is nowhere did not run
        nothing = {_NODES: "", "time_us": "", "bytes": ""}
        rows.append((_ANYWHERE, {**_device_data(found.unplaced), **nothing}))
    cells: list[list[Value]] = [
        [name, *(one[column.key] for column in columns[1:])] for name, one in rows
    ]
    return Table(columns, cells)


def _copies_table(copies: list[Copy]) -> Table:
    columns = [
        Column("source", "copies from"),
        Column("target", "to"),
        Column("kind", "kind"),
        Column("count", "count", Unit.COUNT),
        Column("bytes", "bytes", Unit.BYTES),
        Column("time_us", "time", Unit.MICROS),
    ]
    rows: list[list[Value]] = [
        [one.source, one.target, one.kind, one.count, one.bytes, one.micros]
        for one in copies[:_SHOWN]
    ]
    if not any(one.micros is not None for one in copies):
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    return Table(columns, rows, folded=folded(len(copies) - _SHOWN) if len(copies) > _SHOWN else "")


def _moved_table(moved: list[Moved]) -> Table:
    groups: dict[tuple[str, str, str], list[str]] = {}
    for one in moved:
        groups.setdefault((one.op, one.asked, one.ran), []).append(one.name)
    ordered = sorted(groups.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    columns = [
        Column("op", "soft-placed"),
        Column("asked", "asked for"),
        Column("ran", "ran on"),
        Column("count", "nodes", Unit.COUNT),
        Column("names", "names", Unit.PROSE),
    ]
    rows: list[list[Value]] = [
        [*key, len(names), ", ".join(names[:_NAMED]) + (", ..." if len(names) > _NAMED else "")]
        for key, names in ordered[:_SHOWN]
    ]
    return Table(columns, rows, folded=folded(len(groups) - _SHOWN) if len(groups) > _SHOWN else "")


def _servers_table(found: Placement) -> Table:
    tasks = found.balance.tasks
    whole = sum(one.bytes or 0 for one in tasks.values())
    columns = [
        Column("task", "parameter server"),
        Column("variables", "variables", Unit.COUNT),
        Column("params", "params", Unit.COUNT),
        Column("bytes", "bytes", Unit.BYTES),
        Column("share", "share", Unit.SHARE),
    ]
    rows: list[list[Value]] = [
        [name, one.variables, one.params, one.bytes, (one.bytes or 0) / whole if whole else 0.0]
        for name, one in tasks.items()
    ]
    return Table(columns, rows)


def _log_table(found: Placement, log: PlacementLog | None) -> Table:
    """What was executed op by op, as TensorFlow 2 logs it."""
    columns = [
        Column("op", "executed, by the log"),
        Column("device", "device"),
        Column("count", "times", Unit.COUNT),
    ]
    runs = log.executed if log is not None else {}
    ordered = sorted(runs.items(), key=lambda pair: (-pair[1], pair[0]))
    rows: list[list[Value]] = [
        [op, found.names(device), count] for (op, device), count in ordered[:_SHOWN]
    ]
    return Table(columns, rows, folded=folded(len(runs) - _SHOWN) if len(runs) > _SHOWN else "")


def _data(found: Placement, log: PlacementLog | None) -> dict[str, Any]:
    known = found.balance
    return {
        "devices": {name: _device_data(one) for name, one in found.devices.items()},
        "unplaced": {
            "nodes": found.unplaced.asked,
            "params": found.unplaced.params,
            "variable_bytes": found.unplaced.variable_bytes,
        },
        "copies": [
            {
                "source": one.source,
                "target": one.target,
                "kind": one.kind,
                "count": int(one.count) if one.count == int(one.count) else one.count,
                "bytes": _whole(one.bytes),
                "time_us": one.micros,
            }
            for one in found.copies
        ],
        "copies_from": found.copies_from if found.copies else None,
        "soft_placed": [
            {"name": one.name, "op": one.op, "asked": one.asked, "ran": one.ran}
            for one in found.moved
        ],
        "partitions": parts_data(found),
        "parameter_servers": {
            "tasks": {
                name: {"variables": one.variables, "params": one.params, "bytes": one.bytes}
                for name, one in known.tasks.items()
            },
            "imbalance": known.ratio,
            "fullest": known.fullest,
            "largest_variable": known.largest.name if known.largest is not None else None,
        }
        if known.tasks
        else None,
        "logged": None if log is None else _log_data(found, log),
    }


def _log_data(found: Placement, log: PlacementLog) -> dict[str, Any]:
    return {
        found.names(device): {
            "placed": log.nodes_on(device),
            "executed": {op: n for (op, where), n in log.executed.items() if where == device},
        }
        for device in log.devices
    }


def _device_data(one: Device) -> dict[str, Any]:
    return {
        "nodes": one.nodes,
        "asked": one.asked,
        "params": one.params,
        "variable_bytes": one.variable_bytes,
        "time_us": one.micros,
        "bytes": _whole(one.requested),
    }


def _whole(value: float | None) -> float | None:
    return int(value) if value is not None and value == int(value) else value
