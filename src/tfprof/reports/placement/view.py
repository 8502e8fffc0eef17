"""Placement as facts and tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from tfprof.model import units
from tfprof.results.answered import Answered
from tfprof.results.placement import (
    EXECUTED,
    RECORDED,
    WRITTEN,
    Copies,
    DeviceGraph,
    ExecutedGraph,
    Logged,
    ParameterServers,
    PlacementResult,
    SoftPlaced,
)
from tfprof.views.shapes import (
    Column,
    Facts,
    Fold,
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
_BASIS = {
    RECORDED: "as recorded",
    EXECUTED: "by the graphs that ran",
    WRITTEN: "by the edges of the graph",
}


def view(answered: Answered[PlacementResult]) -> Report:
    found = answered.data
    parts: list[Part] = [
        Facts(list(_facts(found))),
        _devices_table(found),
        _copies_table(found.copies),
        _moved_table(found.soft_placed),
        _servers_table(found.parameter_servers),
        _graphs_table(found.partitions),
        _log_table(found.logged or {}),
        *map(_nodes_table, found.subgraphs or ()),
        Notes(answered.notes),
    ]
    return Report(*answered.subject.lines, without_empty(parts))


def _facts(found: PlacementResult) -> Iterator[tuple[str, str]]:
    seen, servers = found.seen, found.parameter_servers
    yield "Placed", "; ".join(_sources(found))
    if found.soft_placed:
        groups = Counter((one.asked, one.ran) for one in found.soft_placed)
        for (asked, ran), count in groups.most_common(_NAMED):
            nodes = units.plural(count, "node")
            yield "Soft-placed", f"{nodes} asked for {asked} and ran on {ran}"
    elif seen.run is not None and seen.run.placed and seen.graph and not seen.graph_is_executed:
        yield "Soft-placed", "nothing: what named a device ran there"
    if found.copies:
        yield "Copies", _copied(found)
    if servers is not None and servers.imbalance is not None:
        yield "Servers", _balanced(servers, servers.imbalance)


def _sources(found: PlacementResult) -> Iterator[str]:
    seen, run = found.seen, found.seen.run
    if run is not None and run.executions:
        steps = units.plural(run.steps, "step") if run.steps else "the whole capture"
        yield f"as it ran: {run.executions:,} executions in {steps}"
    if found.logged is not None:
        said = [f"{units.plural(seen.log, 'node')} placed"] if seen.log else []
        ops = sum(sum(one.executed.values()) for one in found.logged.values())
        said += [f"{units.plural(ops, 'op')} executed"] if ops else []
        yield f"as logged: {', '.join(said)}"
    if found.logged is None and (run is None or not run.executions):
        yield "not known: no op was recorded" if seen.graph is None else "as the graph asks"
    # one that ran names them all
    if seen.graph is False and not seen.graph_is_executed:
        yield "the graph names no device"


def _copied(found: PlacementResult) -> str:
    count = sum(one.count for one in found.copies)
    sizes = [one.bytes.number for one in found.copies]
    known = sum(size or 0 for size in sizes)
    least = "at least " if None in sizes else ""
    several = found.seen.run is not None and found.seen.run.steps > 1
    per = " a step" if found.copies_from != RECORDED or several else ""
    size = f"{least}{units.size(known)}" if known or not least else "of unknown size"
    text = f"{_number(count)}{per}, {size}"
    times = [one.time_us.number for one in found.copies if one.time_us.number is not None]
    if times:
        text += f", {units.duration(sum(times))} one after the other"
    return f"{text} ({_BASIS[found.copies_from or RECORDED]})"


def _number(count: float) -> str:
    return units.exact(count) if count == int(count) else f"{count:,.1f}"


def _balanced(known: ParameterServers, ratio: float) -> str:
    text = f"the fullest of {len(known.tasks)}, {known.fullest}, holds {ratio:.2f} times the mean"
    if ratio < _UNEVEN or known.largest_variable is None:
        return f"{text}: balanced"
    largest = f"{known.largest_variable} ({units.size(known.largest_bytes or 0)})"
    return (
        f"{text}: uneven; its largest variable is {largest}"
        f" - place by size (GreedyLoadBalancingStrategy) or partition it"
    )


def _devices_table(found: PlacementResult) -> Table:
    seen, run = found.seen, found.seen.run
    ran = (run is not None and run.placed) or found.logged is not None
    columns = [Column("device", "device")]
    if ran:
        columns.append(Column("nodes", "ran" if run is not None else "logged", Unit.COUNT))
    if seen.graph or not ran:
        columns.append(Column("asked", "asked for" if ran else "nodes", Unit.COUNT))
    if seen.graph is not None:
        columns += [
            Column("params", "params", Unit.COUNT),
            Column("variable_bytes", "variables", Unit.BYTES),
        ]
    if run is not None:
        columns.append(Column("time_us", "time", Unit.MICROS))
        columns += [] if run.captured else [Column("bytes", "requested", Unit.BYTES)]
    keys = [column.key for column in columns[1:]]
    rows: list[list[Value]] = [
        [name, *(getattr(one, key) for key in keys)] for name, one in found.devices.items()
    ]
    nowhere = found.unplaced
    if nowhere.nodes.number and (seen.graph or not ran):
        # what is nowhere did not run
        told: dict[str, Value] = {
            "asked": nowhere.nodes,
            "params": nowhere.params,
            "variable_bytes": nowhere.variable_bytes,
        }
        rows.append([_ANYWHERE, *(told.get(key, "") for key in keys)])
    return Table(columns, rows)


def _copies_table(copies: Sequence[Copies]) -> Table:
    columns = [
        Column("source", "copies from"),
        Column("target", "to"),
        Column("kind", "kind"),
        Column("count", "count", Unit.COUNT),
        Column("bytes", "bytes", Unit.BYTES),
        Column("time_us", "time", Unit.MICROS),
    ]
    rows: list[list[Value]] = [
        [one.source, one.target, one.kind, one.count, one.bytes, one.time_us] for one in copies
    ]
    if not any(one.time_us.known for one in copies):
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    return Table(columns, rows, fold=Fold(_SHOWN))


def _moved_table(moved: Sequence[SoftPlaced]) -> Table:
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
        for key, names in ordered
    ]
    return Table(columns, rows, fold=Fold(_SHOWN))


def _servers_table(servers: ParameterServers | None) -> Table:
    tasks = servers.tasks if servers is not None else {}
    whole = sum(one.bytes.number or 0 for one in tasks.values())
    columns = [
        Column("task", "parameter server"),
        Column("variables", "variables", Unit.COUNT),
        Column("params", "params", Unit.COUNT),
        Column("bytes", "bytes", Unit.BYTES),
        Column("share", "share", Unit.SHARE),
    ]
    rows: list[list[Value]] = [
        [
            name,
            one.variables,
            one.params,
            one.bytes,
            (one.bytes.number or 0) / whole if whole else 0.0,
        ]
        for name, one in tasks.items()
    ]
    return Table(columns, rows)


def _graphs_table(graphs: Sequence[ExecutedGraph]) -> Table:
    columns = [
        Column("device", "graph executed on"),
        Column("nodes", "nodes", Unit.COUNT),
        Column("edges", "edges", Unit.COUNT),
        Column("sends", "sends", Unit.COUNT),
        Column("receives", "receives", Unit.COUNT),
    ]
    rows: list[list[Value]] = [
        [one.device, one.nodes, one.edges, one.sends, one.receives] for one in graphs
    ]
    return Table(columns, rows)


def _log_table(logged: Mapping[str, Logged]) -> Table:
    """What was executed op by op, as TensorFlow 2 logs it."""
    columns = [
        Column("op", "executed, by the log"),
        Column("device", "device"),
        Column("count", "times", Unit.COUNT),
    ]
    runs = [
        (op, device, count) for device, one in logged.items() for op, count in one.executed.items()
    ]
    rows = sorted(runs, key=lambda row: (-row[2], row))
    return Table(columns, rows, fold=Fold(_SHOWN))


def _nodes_table(graph: DeviceGraph) -> Table:
    columns = [
        Column("name", f"{graph.device}: {units.plural(len(graph.nodes), 'node')}"),
        Column("op", "op"),
        Column("reads", "reads", Unit.PROSE),
        Column("time_us", "time", Unit.MICROS),
    ]
    rows: list[list[Value]] = [
        [one.name, one.op, ", ".join(one.reads), "" if one.time_us is None else one.time_us]
        for one in graph.nodes
    ]
    return Table(columns, rows)
