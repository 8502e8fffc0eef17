"""Everything about placement that a profile tells: asked, ran, copied, held."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial

from tfprof.analyses.cost.params import count_parameters
from tfprof.analyses.graph.partition_graphs import PartitionGraph, partition_graphs
from tfprof.analyses.graph.reach import extent
from tfprof.analyses.graph.subgraph import subgraph
from tfprof.analyses.graph.variables import Variable
from tfprof.analyses.inference.engine import infer
from tfprof.analyses.inference.sites import Given
from tfprof.analyses.placement.balance import balance
from tfprof.analyses.placement.copy_sums import CopySum, copies_of
from tfprof.analyses.placement.device_rows import devices_of
from tfprof.analyses.placement.host_placement import placement_of
from tfprof.analyses.placement.ran import CPU, Ran
from tfprof.analyses.placement.requested import asked_names, graphs_of, requested
from tfprof.analyses.placement.transfers import SizeOf, crosses, of_edges
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.device import DeviceNames, DeviceSpec
from tfprof.model.dims import elements, packed
from tfprof.model.graph import Graph
from tfprof.model.interned import Interned
from tfprof.model.placement_log import PlacementLog
from tfprof.model.profile import ProfileData
from tfprof.ops.rule import Tensor
from tfprof.results.partial import summed
from tfprof.results.placement import (
    WRITTEN,
    Copies,
    ParameterServers,
    PlacedDevice,
    SoftPlaced,
    Unplaced,
)
from tfprof.wire import dtypes

# inferring the shapes of more nodes than this takes longer than anybody waits
_LARGEST_INFERRED = 200_000


@frozen_dataclass
class Placement:
    """Per average step where the trace has steps.

    `place` is the device of each node of the graph, "" where nothing tells.
    """

    devices: dict[str, PlacedDevice]
    unplaced: Unplaced
    copies: list[Copies]
    copies_from: str
    soft_placed: list[SoftPlaced]
    parts: list[PartitionGraph]
    servers: ParameterServers | None
    names: DeviceNames
    ran: Ran
    place: Interned | None
    notes: list[str]


def placement(
    data: ProfileData, log: PlacementLog | None = None, given: Given | None = None
) -> Placement:
    # a capture has none, and is not read for that
    ran_here = (host for host in data.hosts if host.facts is None)
    graphs = {host.rank: partition_graphs(host.trace) for host in ran_here}
    found = [part for some in graphs.values() for part in some]
    partial = placement_of(data.hosts, graphs)
    used = [*partial.device_names, *(part.device for part in found)]
    names = DeviceNames([*used, *(log.devices if log is not None else ())], asked_names(data))
    ran = partial.finish(names)
    soft = list(soft_placed(data, names, ran, log))
    place = None if data.graph is None else _place(data.graph, names, ran, log, soft)
    sizes = _Sizes(data, given)
    copies, source = ran.copies, ran.copies_from
    # graphs that were executed tell all that was sent, also that nothing was
    if not (copies or found) and data.graph is not None and place is not None and crosses(place):
        edges = of_edges(data.graph, subgraph(data).rows, place, sizes.of)
        (copies, _), source = copies_of(summed(edges, CopySum.plus), {}, names, 1), WRITTEN
    devices, unplaced = devices_of(data, names, ran, log, _held(data, place))
    return Placement(
        devices,
        unplaced,
        copies,
        source,
        soft,
        found,
        _balance(data, place, devices),
        names,
        ran,
        place,
        sizes.notes,
    )


def _place(
    graph: Graph,
    names: DeviceNames,
    ran: Ran,
    log: PlacementLog | None,
    soft: Sequence[SoftPlaced],
) -> Interned:
    """Where each node is: as it ran, as the log has it, as the graph asks.

    What never ran goes with those that asked for the same device, if that was not there. Where a
    run used one device and the graph asks for no other, that is where the rest is. Of CPUs a
    capture does not tell which: the log does.
    """
    asked = requested(graph)
    only = next(iter(ran.devices)) if len(ran.devices) == 1 else ""
    moved = _moved(soft, ran)
    short = [names(name) if name else only for name in asked.table]
    short = [moved.get(name, name) for name in short]
    placed = log.placed if log is not None else {}
    codes: list[int] = asked.codes.tolist()

    def one(row: int, name: str) -> str:
        if name in placed and (ran.captured or name not in ran.places):
            return names(placed[name][0])
        if name in ran.places:
            return ran.places[name][0]
        return short[codes[row]]

    return Interned.of([one(row, name) for row, name in enumerate(graph.names)])


def _moved(soft: Sequence[SoftPlaced], ran: Ran) -> dict[str, str]:
    """Where most went that asked for a device on which nothing ran."""
    taken: dict[str, Counter[str]] = {}
    for one in soft:
        if one.asked not in ran.devices:
            taken.setdefault(one.asked, Counter())[one.ran] += 1
    return {asked: counts.most_common(1)[0][0] for asked, counts in taken.items()}


class _Sizes:
    """The bytes of outputs from static shapes, inferred when first asked for."""

    def __init__(self, data: ProfileData, given: Given | None) -> None:
        self._data, self._given = data, given
        self._known: dict[tuple[int, int], int | None] | None = None
        self.notes: list[str] = []

    @property
    def of(self) -> SizeOf:
        def size(row: int, port: int) -> int | None:
            if self._known is None:
                self._known = dict(self._infer())
            return self._known.get((row, port))

        return size

    def _infer(self) -> Iterator[tuple[tuple[int, int], int | None]]:
        graph = self._data.graph
        if graph is None or len(graph) > _LARGEST_INFERRED:
            self.notes.append("the graph is too large to infer the bytes of what is copied")
            return
        for site in infer(self._data, subgraph(self._data).rows.tolist(), self._given).sites:
            if site.name != graph.names[site.row]:
                continue
            for port, tensor in enumerate(site.call.outputs):
                yield (site.row, port), _bytes(tensor)


def _bytes(tensor: Tensor) -> int | None:
    """A handle is a name: nothing of what is behind it is sent."""
    if dtypes.base(tensor.dtype) == dtypes.RESOURCE:
        return 0
    sent = packed(elements(tensor.shape), tensor.dtype)
    return sent if isinstance(sent, int) else None


def _held(data: ProfileData, place: Interned | None) -> dict[str, list[Variable]]:
    held: dict[str, list[Variable]] = {}
    for variable, where in _variables(data, place):
        held.setdefault(where, []).append(variable)
    return held


def _variables(data: ProfileData, place: Interned | None) -> Iterator[tuple[Variable, str]]:
    graph = data.graph
    if graph is None or place is None:
        return
    for variable in count_parameters(data, extent(data)).variables:
        row = graph.index.get(variable.name, -1)
        yield variable, place[row] if row >= 0 else ""


def soft_placed(
    data: ProfileData, names: DeviceNames, ran: Ran, log: PlacementLog | None
) -> Iterator[SoftPlaced]:
    """Nodes that name a device and were seen, but never on it.

    A capture has threads, not CPU devices: it only shows that a kind of device was not there.
    """
    placed = log.placed if log is not None else {}
    absent = _types_absent(data, ran)
    spec_of = cache(names.spec)
    for graph in graphs_of(data):
        asked = [DeviceSpec.of(name) for name in graph.devices.table]
        full = [names.spec(name) for name in graph.devices.table]
        allows = cache(partial(_allows, asked, spec_of))
        for row, code in enumerate(graph.devices.codes.tolist()):
            if asked[code].type is None and asked[code].job is None:
                continue
            name = graph.names[row]
            seen = ran.places.get(name) or [names(one) for one in placed.get(name, ())]
            if not seen or any(allows(code, one) for one in seen):
                continue
            if name in ran.places and absent is not None and full[code].type not in absent:
                continue
            where = names(graph.devices.table[code])
            yield SoftPlaced(name, graph.ops[row], where, seen[0])


def _allows(
    asked: Sequence[DeviceSpec], spec_of: Callable[[str], DeviceSpec], code: int, seen: str
) -> bool:
    return asked[code].allows(spec_of(seen))


def _types_absent(data: ProfileData, ran: Ran) -> set[str | None] | None:
    """For a capture, the kinds of devices that graphs ask for and it has none of."""
    if not ran.captured:
        return None
    return {DeviceSpec.of(name).type for name in asked_names(data)} - ran.kinds - {CPU}


def _balance(
    data: ProfileData, place: Interned | None, devices: Iterable[str]
) -> ParameterServers | None:
    placed = [(one, DeviceSpec.of(where)) for one, where in _variables(data, place)]
    return balance(placed, (DeviceSpec.of(name) for name in devices))
