"""Placement as a graph asks for it, as a run recorded it, as a log has it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tfprof.analyses.graph.partition_graphs import executed
from tfprof.analyses.inference.sites import Given
from tfprof.analyses.placement.profile_placement import Placement, placement
from tfprof.errors import InputMissing
from tfprof.model import units
from tfprof.model.hosts import steps_together
from tfprof.model.placement_log import PlacementLog
from tfprof.model.profile import ProfileData
from tfprof.reports.placement.graphs import executed_graphs, subgraphs
from tfprof.reports.placement.query import Query
from tfprof.results.answered import Answered, Used, answered
from tfprof.results.placement import RECORDED, Logged, PlacementResult, RunSeen, Seen

_MORE = "--nodes prints the graph that each device executed, with the time of each op."


def ask(data: ProfileData, query: Query) -> Answered[PlacementResult]:
    data, log, given = data.as_recorded(), query.log, Given(query.sizes, query.feeds)
    if data.graph is None and not data.hosts and log is None:
        raise InputMissing(
            "no graph and no run: placement is asked for in a graph and recorded in a run",
            hint="`tfprof doctor PATH` lists what is there.",
        )
    found = placement(data, log, given)
    if query.partition is not None:
        data = executed(data, query.partition)
        found = _on_one(found, placement(data, log, given))
    result = PlacementResult(
        found.devices,
        found.unplaced,
        tuple(found.copies),
        found.copies_from if found.copies else None,
        tuple(found.soft_placed),
        tuple(executed_graphs(found)),
        found.servers,
        None if log is None else _logged(found, log),
        _seen(data, found, log),
        tuple(subgraphs(data, found)) if query.nodes else None,
    )
    warnings = [*data.warnings, *_several_sessions(log), *_warnings(data, found)]
    notes = [*warnings, *([_MORE] if found.parts and not query.nodes else [])]
    made = answered("placement", data, result, warnings, notes)
    if log is None:
        return made
    return replace(made, inputs=(*made.inputs, Used(log.path, "placement log")))


def _on_one(all_: Placement, part: Placement) -> Placement:
    """A part, with the copies to and from it: the other end of each is elsewhere."""
    here = part.names(part.parts[0].device)
    copies = [one for one in all_.copies if here in (one.source, one.target)]
    return replace(part, copies=copies, copies_from=all_.copies_from)


def _logged(found: Placement, log: PlacementLog) -> dict[str, Logged]:
    return {
        found.names(device): Logged(
            log.nodes_on(device),
            {op: count for (op, where), count in log.executed.items() if where == device},
        )
        for device in log.devices
    }


def _seen(data: ProfileData, found: Placement, log: PlacementLog | None) -> Seen:
    hosts, graph = data.hosts, data.graph
    return Seen(
        None
        if not hosts
        else RunSeen(
            sum(host.known.ops for host in hosts),
            found.ran.steps if steps_together(*(host.steps for host in hosts)) else 0,
            captured=found.ran.captured,
            placed=bool(found.ran.devices),
        ),
        None if graph is None else any(graph.devices.table),
        data.is_executed,
        None if log is None else len(log.placed),
    )


def _several_sessions(log: PlacementLog | None) -> Iterator[str]:
    if log is not None and log.sessions > 1:
        nodes = units.plural(log.left_out, "node")
        yield (
            f"{log.path}: {log.sessions} sessions are logged, and the last one counts; {nodes} of "
            "others are left out"
        )


def _warnings(data: ProfileData, found: Placement) -> Iterator[str]:
    if not data.hosts:
        yield "time and bytes of ops are not known: no run was given"
    elif found.ran.captured:
        yield "a capture does not tell the bytes that ops asked for"
        cpus = [name for name in found.devices if "/cpu:" in name]
        if len(cpus) > 1:
            yield "a capture does not tell which CPU ran an op: all are under the first"
    if data.graph is None:
        yield "parameters and what was asked for are not known: no graph was given"
    elif not (found.unplaced.params.known and all(d.params.known for d in found.devices.values())):
        yield "the shapes of some variables are not in the graph: --vars FILE gives them"
    anywhere = 0 if found.place is None else len(found.place.where(""))
    if anywhere and not found.ran.devices:
        count = units.plural(anywhere, "node")
        yield f"{count} may run anywhere: TensorFlow decides, and their copies are not counted"
    unknown = [one for one in found.copies if not one.bytes.known]
    if unknown:
        kinds = ", ".join(dict.fromkeys(one.kind for one in unknown))
        yield f"the bytes of some copies are not known ({kinds})"
    if found.copies and found.copies_from != RECORDED:
        yield "the time of copies is not known: nothing recorded it"
    if any(one.source is None for one in found.copies):
        yield "threads tell what they sent, not from which device to which"
    yield from found.notes
