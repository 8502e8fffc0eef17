"""A graph as a run placed it: what asked for a device that could not take it was put elsewhere."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from tfprof.analyses.placement.host_placement import runs_of
from tfprof.analyses.placement.profile_placement import soft_placed
from tfprof.model import units
from tfprof.model.device import DeviceNames, DeviceSpec
from tfprof.model.graph import Graph
from tfprof.model.interned import Interned
from tfprof.model.profile import ProfileData
from tfprof.results.placement import SoftPlaced


def as_ran(data: ProfileData) -> tuple[ProfileData, list[str]]:
    """The graph with the devices on which its nodes ran, and what that changed, in words.

    What never ran goes with those that asked for the same device.
    """
    graph, hosts = data.graph, data.hosts
    if graph is None or not hosts or not any(graph.devices.table):
        return data, []
    asked = [name for name in graph.devices.table if name]
    partial = runs_of(hosts)
    names = DeviceNames(partial.devices, asked)
    ran = partial.finish(names)
    moves = [one for one in soft_placed(data, names, ran, None) if one.name in graph.index]
    if not moves:
        return data, []
    specs = {names(name): names.spec(name) for name in partial.devices}
    devices = _replaced(graph, names, moves, specs, set(ran.devices))
    return replace(data, graph=replace(graph, devices=devices)), _words(moves)


def _replaced(
    graph: Graph,
    names: DeviceNames,
    moves: list[SoftPlaced],
    specs: dict[str, DeviceSpec],
    used: set[str],
) -> Interned:
    codes = graph.devices.codes.copy()
    table = list(graph.devices.table)
    places: dict[str, int] = {}
    taken: dict[int, Counter[int]] = {}
    for one in moves:
        row = graph.index[one.name]
        asked = int(graph.devices.codes[row])
        where = _in_words_of(DeviceSpec.of(table[asked]), specs[one.ran])
        if where not in places:
            places[where] = len(table)
            table.append(where)
        codes[row] = places[where]
        taken.setdefault(asked, Counter())[places[where]] += 1
    for asked, counts in taken.items():
        if names(table[asked]) not in used:
            codes[codes == asked] = counts.most_common(1)[0][0]
    return Interned(codes.astype(np.int32), table)


def _in_words_of(asked: DeviceSpec, ran: DeviceSpec) -> str:
    """The device that ran, with as much of its place as the graph says of the asked one."""
    near = replace(asked, type=ran.type, index=ran.index)
    return str(near if near.allows(ran) else ran)


def _words(moves: list[SoftPlaced]) -> list[str]:
    return [
        f"{units.plural(count, 'node')} asked for {asked} and ran on {ran}: counted there"
        for (asked, ran), count in Counter((one.asked, one.ran) for one in moves).items()
    ]
