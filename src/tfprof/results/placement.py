"""Which op ran or is placed where, what goes from device to device, what was soft-placed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.quantity import Quantity
from tfprof.results.fields import IF_KNOWN, INSIDE, ROW_KEY

RECORDED, EXECUTED, WRITTEN = "recorded", "executed graphs", "graph"


@frozen_dataclass
class PlacedDevice:
    """One device in the average step. `asked` are the nodes of the graph that ask for it."""

    nodes: Quantity
    asked: Quantity
    params: Quantity
    variable_bytes: Quantity
    time_us: Quantity
    bytes: Quantity


@frozen_dataclass
class Unplaced:
    """What nothing places."""

    nodes: Quantity
    params: Quantity
    variable_bytes: Quantity


@frozen_dataclass
class Copies:
    """Copies of one kind from one device to another, in the average step."""

    source: Annotated[str | None, ROW_KEY]
    target: Annotated[str | None, ROW_KEY]
    kind: Annotated[str, ROW_KEY]
    count: float
    bytes: Quantity
    time_us: Quantity


@frozen_dataclass
class SoftPlaced:
    """A node that ran elsewhere than its graph asks."""

    name: Annotated[str, ROW_KEY]
    op: str
    asked: str
    ran: str


@frozen_dataclass
class ExecutedGraph:
    """The graph that a device executed, and how large it is."""

    device: Annotated[str, ROW_KEY]
    kind: str
    step: int
    nodes: int
    edges: int
    sends: int
    receives: int


@frozen_dataclass
class Held:
    """What one task holds."""

    variables: int
    params: Quantity
    bytes: Quantity


@frozen_dataclass
class ParameterServers:
    """`imbalance` is the bytes of the fullest task over the mean."""

    tasks: Mapping[str, Held]
    imbalance: float | None
    fullest: str | None
    largest_variable: str | None
    largest_bytes: Annotated[float | None, INSIDE]


@frozen_dataclass
class Logged:
    """Of one device: nodes that were placed there, ops that were executed by type."""

    placed: int
    executed: Mapping[str, int]


@frozen_dataclass
class PlacedNode:
    name: Annotated[str, ROW_KEY]
    op: str
    reads: tuple[str, ...]
    time_us: float | None


@frozen_dataclass
class DeviceGraph:
    device: Annotated[str, ROW_KEY]
    nodes: tuple[PlacedNode, ...]


@frozen_dataclass
class RunSeen:
    """`placed`: whether it tells of any node where it ran. A capture has no bytes of ops."""

    executions: int
    steps: int
    captured: bool
    placed: bool


@frozen_dataclass
class Seen:
    """What tells about placement; None is not there.

    `graph` is whether the graph names devices; `log` how many nodes a log has placed.
    """

    run: RunSeen | None
    graph: bool | None
    graph_is_executed: bool
    log: int | None


@frozen_dataclass
class PlacementResult:
    devices: Mapping[str, PlacedDevice]
    unplaced: Unplaced
    copies: tuple[Copies, ...]
    copies_from: str | None
    soft_placed: tuple[SoftPlaced, ...]
    partitions: tuple[ExecutedGraph, ...]
    parameter_servers: ParameterServers | None
    logged: Mapping[str, Logged] | None
    seen: Annotated[Seen, INSIDE]
    subgraphs: Annotated[tuple[DeviceGraph, ...] | None, IF_KNOWN] = None
