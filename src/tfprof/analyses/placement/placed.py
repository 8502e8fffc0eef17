"""Everything about placement that a profile tells: asked, ran, copied, held."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from tfprof.analyses.computed import computed
from tfprof.analyses.executed import Part, parts
from tfprof.analyses.inference.engine import infer
from tfprof.analyses.inference.sites import Given
from tfprof.analyses.params import count_parameters
from tfprof.analyses.placement.balance import Balance, balance
from tfprof.analyses.placement.captured import TRANSFERS, captured
from tfprof.analyses.placement.copies import (
    Copy,
    SizeOf,
    crosses,
    of_edges,
    of_parts,
    of_records,
    summed,
)
from tfprof.analyses.placement.labels import recorded
from tfprof.analyses.placement.ran import CPU, Ran, where_ran
from tfprof.analyses.placement.requested import requested
from tfprof.analyses.reach import extent
from tfprof.analyses.variables import Variable
from tfprof.model.device_specs import DeviceNames, DeviceSpec
from tfprof.model.dims import elements, packed
from tfprof.model.graph import Graph
from tfprof.model.interned import Interned
from tfprof.model.placement_log import PlacementLog
from tfprof.model.profile import ProfileData
from tfprof.ops.rule import Tensor
from tfprof.wire import dtypes

# inferring the shapes of more nodes than this takes longer than anybody waits
_LARGEST_INFERRED = 200_000
RECORDED, EXECUTED, WRITTEN = "recorded", "executed graphs", "graph"


@dataclass(slots=True)
class Device:
    """One device; None is not known. `asked` are the nodes of the graph that ask for it."""

    nodes: int | None = None
    asked: int | None = None
    params: int | None = None
    variable_bytes: int | None = None
    micros: float | None = None
    requested: float | None = None
    # how many variables
    holds: int = 0


@dataclass(frozen=True, slots=True)
class Moved:
    """A node that ran elsewhere than its graph asks."""

    name: str
    op: str
    asked: str
    ran: str


@dataclass(frozen=True, slots=True)
class Placement:
    """Per average step where the trace has steps. `unplaced` is what nothing places.

    `place` is the device of each node of the graph, "" where nothing tells.
    """

    devices: dict[str, Device]
    unplaced: Device
    copies: list[Copy]
    copies_from: str
    moved: list[Moved]
    parts: list[Part]
    balance: Balance
    names: DeviceNames
    ran: Ran
    steps: int
    place: Interned | None = None
    notes: list[str] = field(default_factory=list)


def placement(
    data: ProfileData, log: PlacementLog | None = None, given: Given | None = None
) -> Placement:
    graph, trace = data.graph, data.trace
    steps = max(1, len(trace.steps)) if trace is not None else 1
    records, rows = recorded(trace) if trace is not None else ([], frozenset[int]())
    seen = list(captured(trace)) if trace is not None and trace.space is not None else []
    found = parts(trace)
    copies = [one.over(steps) for one in (*of_records(records), *seen)]
    ends = [end for one in copies for end in (one.source, one.target) if end]
    used = [*(trace.executions.device.table if trace is not None else ()), *ends]
    used += [part.device for part in found] + list(log.devices if log is not None else ())
    names = DeviceNames(used, _asked_names(data))
    ran = where_ran(trace, names, rows | sent_rows(data))
    place = None if graph is None else _place(data, graph, names, ran, log)
    sizes = _Sizes(data, given)
    source = RECORDED
    if trace is not None and found:
        pairs = {(names(one.source or ""), names(one.target or "")) for one in copies}
        more = [
            one
            for one in of_parts(found, trace)
            if (names(one.source or ""), names(one.target or "")) not in pairs
        ]
        source = source if copies or not more else EXECUTED
        copies += more
    if not copies and graph is not None and place is not None and crosses(place):
        part = computed(data)
        copies, source = list(of_edges(graph, part.rows, place, sizes.of)), WRITTEN
    devices, unplaced = _devices(data, names, ran, log, place, steps)
    return Placement(
        devices,
        unplaced,
        summed(copies, names),
        source,
        list(moved(data, names, ran, log)),
        found,
        _balance(data, place, devices),
        names,
        ran,
        steps,
        place,
        sizes.notes,
    )


def _asked_names(data: ProfileData) -> list[str]:
    return [name for graph in _graphs(data) for name in graph.devices.table if name]


def _graphs(data: ProfileData) -> list[Graph]:
    """The main graph, and the bodies of the functions it calls."""
    if data.graph is None:
        return []
    return [data.graph, *(one.body for one in extent(data).functions.values())]


def sent_rows(data: ProfileData) -> frozenset[int]:
    """What threads of a capture sent or took: copies, no nodes."""
    rows = data.trace.executions if data.trace is not None else None
    if rows is None or rows.op is None:
        return frozenset()
    return frozenset(rows.op.where(*TRANSFERS).tolist())


def _place(
    data: ProfileData, graph: Graph, names: DeviceNames, ran: Ran, log: PlacementLog | None
) -> Interned:
    """Where each node is: as it ran, as the log has it, as the graph asks.

    Where a run used one device and the graph asks for no other, that is where the rest is. Of CPUs
    a capture does not tell which: the log does.
    """
    captured_ = data.trace is not None and data.trace.space is not None
    asked = requested(graph)
    only = next(iter(ran.devices)) if len(ran.devices) == 1 else ""
    short = [names(name) if name else only for name in asked.table]
    placed = log.placed if log is not None else {}
    codes: list[int] = asked.codes.tolist()

    def one(row: int, name: str) -> str:
        if name in placed and (captured_ or name not in ran.places):
            return names(placed[name][0])
        if name in ran.places:
            return ran.places[name][0]
        return short[codes[row]]

    return Interned.of([one(row, name) for row, name in enumerate(graph.names)])


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
        for site in infer(self._data, computed(self._data).rows.tolist(), self._given).sites:
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


def _devices(
    data: ProfileData,
    names: DeviceNames,
    ran: Ran,
    log: PlacementLog | None,
    place: Interned | None,
    steps: int,
) -> tuple[dict[str, Device], Device]:
    found: dict[str, Device] = {"": Device()}
    measured = data.trace is not None and data.trace.space is None
    for name, use in ran.devices.items():
        requested_ = use.requested / steps if measured else None
        found[name] = Device(use.nodes, micros=use.micros / steps, requested=requested_)
    if log is not None and not ran.devices:
        for name in log.devices:
            nodes = log.nodes_on(name) or log.runs_on(name)
            found.setdefault(names(name), Device()).nodes = nodes
    for name, count in _asked(data, names).items():
        one = found.setdefault(name, Device())
        one.asked = count
        if not ran.devices and log is None:
            one.nodes = count
    for name, variables in _held(data, place).items():
        found.setdefault(name, Device()).holds = len(variables)
        params, sizes = [one.elements for one in variables], [one.bytes for one in variables]
        found[name].params = None if None in params else sum(count or 0 for count in params)
        found[name].variable_bytes = (
            None if None in sizes else int(sum(size or 0 for size in sizes))
        )
    if data.graph is not None:
        _fill(found)
    unplaced = found.pop("")
    for name, one in found.items():
        if not ran.devices or name in ran.devices:
            continue
        if measured or DeviceSpec.of(name).type != CPU:
            one.micros, one.requested = 0, 0 if measured else None
        else:
            one.nodes = None  # a capture has threads: which CPU they ran for is not known
    return dict(sorted(found.items())), unplaced


def _fill(found: dict[str, Device]) -> None:
    """With a graph, a device that is not mentioned is one that nothing asks for."""
    for one in found.values():
        one.asked = one.asked or 0
        one.nodes = one.nodes or 0
        if not one.holds:
            one.params = one.variable_bytes = 0


def _held(data: ProfileData, place: Interned | None) -> dict[str, list[Variable]]:
    held: dict[str, list[Variable]] = {}
    for variable, where in _variables(data, place):
        held.setdefault(where, []).append(variable)
    return held


def _asked(data: ProfileData, names: DeviceNames) -> Counter[str]:
    found: Counter[str] = Counter()
    for graph in _graphs(data):
        for name, count in requested(graph).counts().items():
            found[names(name) if name else ""] += count
    return found


def _variables(data: ProfileData, place: Interned | None) -> Iterator[tuple[Variable, str]]:
    graph = data.graph
    if graph is None or place is None:
        return
    for variable in count_parameters(data, extent(data)).variables:
        row = graph.index.get(variable.name, -1)
        yield variable, place[row] if row >= 0 else ""


def moved(
    data: ProfileData, names: DeviceNames, ran: Ran, log: PlacementLog | None
) -> Iterator[Moved]:
    """Nodes that name a device and were seen, but never on it.

    A capture has threads, not CPU devices: it only shows that a kind of device was not there.
    """
    placed = log.placed if log is not None else {}
    absent = _types_absent(data)
    for graph in _graphs(data):
        asked = [DeviceSpec.of(name) for name in graph.devices.table]
        full = [names.spec(name) for name in graph.devices.table]
        for row, code in enumerate(graph.devices.codes.tolist()):
            if asked[code].type is None and asked[code].job is None:
                continue
            name = graph.names[row]
            seen = ran.places.get(name) or [names(one) for one in placed.get(name, ())]
            if not seen or any(asked[code].allows(names.spec(one)) for one in seen):
                continue
            if name in ran.places and absent is not None and full[code].type not in absent:
                continue
            where = names(graph.devices.table[code])
            yield Moved(name, graph.ops[row], where, seen[0])


def _types_absent(data: ProfileData) -> set[str | None] | None:
    """For a capture, the kinds of devices that graphs ask for and it has none of."""
    space = data.trace.space if data.trace is not None else None
    if space is None:
        return None
    present = {DeviceSpec.of(plane.name).type for plane in space.devices} | {CPU}
    asked = {DeviceSpec.of(name).type for name in _asked_names(data)}
    return asked - present


def _balance(data: ProfileData, place: Interned | None, devices: dict[str, Device]) -> Balance:
    placed = [(one, DeviceSpec.of(where)) for one, where in _variables(data, place)]
    return balance(placed, (DeviceSpec.of(name) for name in devices))
