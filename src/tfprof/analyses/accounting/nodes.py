"""The nodes of a profile as the original tool counts them, one row each, in byte order of names.

A graph's nodes, and those that only a run knows. All costs are columns of one matrix.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tfprof.model.devices import CANONICAL
from tfprof.model.graph import Graph
from tfprof.model.oplog import TRAINABLE, OpLog
from tfprof.model.profile import ProfileData
from tfprof.model.trace import Executions

Ints = npt.NDArray[np.int64]

# columns of the cost matrix
PARAMS, FLOAT_OPS, BYTES, PEAK, RESIDUAL, OUTPUT, MICROS, ACCELERATOR, CPU, RUNS, DEFINED = range(
    11
)
COLUMNS = 11

ROOT = "_TFProfRoot"
CHECKPOINT_TYPE = "_checkpoint_variables"
_NO_NODE = re.compile(r"_SOURCE|RecvTensor|.*MEMCPY.*")


@dataclass(frozen=True)
class Nodes:
    """`types` holds, by row, what a node counts as besides its op."""

    names: list[str]
    ops: list[str]
    shapes: Mapping[int, tuple[int, ...]]
    types: Mapping[int, set[str]]
    devices: list[str]
    costs: Ints
    steps: tuple[int, ...]
    graph_row: Ints
    graph: Graph | None
    misses_stream: bool = False
    compat: bool = False

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def scopes(self) -> tuple[list[str], Ints, list[int]]:
        """The root, nodes and the scopes they stand in; the node and the parent of each."""
        return _with_scopes(self.names)

    @cached_property
    def row_of(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.names)}

    def input_shapes(self, row: int, *, compat: bool) -> list[tuple[int, tuple[int, ...] | None]]:
        """Input number and shape; the original always takes the source's first output."""
        at = int(self.graph_row[row])
        if self.graph is None or at < 0:
            return []
        edges = self.graph.edges
        span = range(int(edges.offsets[at]), int(edges.offsets[at + 1]))
        return [
            (
                place,
                self._output_shape(int(edges.node[edge]), 0 if compat else int(edges.port[edge])),
            )
            for place, edge in enumerate(span)
        ]

    def _output_shape(self, source: int, port: int) -> tuple[int, ...] | None:
        if source < 0 or self.graph is None or port < 0:
            return None
        shapes = self._output_shapes.get(source)
        if shapes is None:
            shapes = self._output_shapes[source] = self.graph.node(source).output_shapes()
        shape = shapes[port] if port < len(shapes) else None
        return None if shape is None else tuple(-1 if d is None else d for d in shape) or (1,)

    @cached_property
    def _output_shapes(self) -> dict[int, list[tuple[int | None, ...] | None]]:
        return {}

    def all_types(self, row: int) -> list[str]:
        return sorted(
            {self.ops[row], *self.types.get(row, ()), *self.device_types(self.devices[row])}
        )

    def device_types(self, device: str) -> tuple[str, ...]:
        """A device is a type, too; any spelling of it counts, but in the original's."""
        if not device:
            return ()
        return (device,) if self.compat else (device, device.lower())


def build_nodes(data: ProfileData, step: int, *, compat: bool) -> Nodes:
    """Every node with its costs at `step`; -1 averages over the steps a node ran in."""
    graph, trace = data.graph, data.trace
    names = list(dict.fromkeys(graph.names)) if graph is not None else []
    known = set(names)
    runs = _Runs.of(trace.executions) if trace is not None else None
    extra = (
        [name for name in runs.names if name not in known and not _NO_NODE.fullmatch(name)]
        if runs
        else []
    )
    ordered = sorted([*names, *extra])
    row_of = {name: row for row, name in enumerate(ordered)}
    costs = np.zeros((len(ordered), COLUMNS), np.int64)
    costs[:, DEFINED] = 1
    graph_row = np.full(len(ordered), -1, np.int64)
    if graph is not None:
        rows = np.fromiter(
            map(row_of.__getitem__, reversed(graph.names.tolist())), np.int64, len(graph)
        )
        graph_row[rows] = np.arange(len(graph) - 1, -1, -1)
    devices = [""] * len(ordered)
    ran = np.zeros(len(ordered), bool)
    if runs is not None:
        ran = runs.fill(costs, devices, row_of, step)
    if graph is not None and not compat:
        _place_by_graph(graph, graph_row, devices)
    shapes = _shapes(graph, row_of) if graph is not None else {}
    if not compat:
        shapes |= _declared_shapes(data, row_of)
    for row, shape in shapes.items():
        costs[row, PARAMS] = _product(shape)
    _fill_float_ops(costs, data.oplog, row_of, ran)
    types = _types(data, row_of, compat=compat)
    ops = _ops(graph, ordered, graph_row)
    steps = trace.steps if trace is not None else ()
    return Nodes(
        ordered, ops, shapes, types, devices, costs, steps, graph_row, graph,
        runs.misses_stream if runs else False,
        compat,
    )  # fmt: skip


def _ops(graph: Graph | None, names: list[str], graph_row: Ints) -> list[str]:
    """The op of each row; what only ran is its own op."""
    if graph is None:
        return names
    table = list(graph.ops.table)
    codes = np.where(graph_row >= 0, graph.ops.codes[graph_row], -1).tolist() if len(graph) else []
    codes = codes or [-1] * len(names)
    return [table[code] if code >= 0 else names[row] for row, code in enumerate(codes)]


def _place_by_graph(graph: Graph, graph_row: Ints, devices: list[str]) -> None:
    """What never ran is where the graph puts it."""
    placed = {code for code, device in enumerate(graph.devices.table) if device}
    if placed:
        table, codes = list(graph.devices.table), graph.devices.codes.tolist()
        for row, at in enumerate(graph_row.tolist()):
            if at >= 0 and not devices[row]:
                devices[row] = table[codes[at]]


@dataclass(frozen=True)
class _Runs:
    """Executions joined to node names, with the original's rules about devices applied."""

    names: list[str]
    node: Ints
    canonical: Ints
    canonical_names: list[str]
    is_stream: npt.NDArray[np.bool_]
    rows: Executions
    misses_stream: bool

    @classmethod
    def of(cls, rows: Executions) -> _Runs:
        bare = [name.partition(":")[0] for name in rows.node.table]
        index = {name: code for code, name in enumerate(dict.fromkeys(bare))}
        node = np.array([index[name] for name in bare] or [0], np.int64)[rows.node.codes]
        lower = [device.lower() for device in rows.device.table]
        named = [d if CANONICAL.fullmatch(d) else "" for d in lower]
        table = list(dict.fromkeys(d for d in named if d))
        codes = np.array([table.index(d) if d else -1 for d in named] or [-1], np.int64)
        streams = np.array(["stream:all" in d for d in lower] or [False], bool)
        gpu = [d for d in lower if "gpu" in d]
        return cls(
            list(index), node, codes[rows.device.codes], table, streams[rows.device.codes], rows,
            bool(gpu) and not any("stream:all" in d for d in gpu),
        )  # fmt: skip

    def fill(
        self, costs: Ints, devices: list[str], row_of: Mapping[str, int], step: int
    ) -> npt.NDArray[np.bool_]:
        """Adds the costs of the step to the rows; returns which rows ran at all."""
        if not len(costs):
            return np.zeros(0, bool)
        target = np.array([row_of.get(name, -1) for name in self.names] or [-1], np.int64)
        row = target[self.node]
        keep = row >= 0
        own = np.full(len(costs), -1, np.int64)
        placed = np.flatnonzero(keep & (self.canonical >= 0))[::-1]
        own[row[placed]] = self.canonical[
            placed
        ]  # the first device a node is seen on is written last
        for node in np.flatnonzero(own >= 0).tolist():
            devices[node] = self.canonical_names[own[node]]
        keep &= (self.canonical < 0) | (self.canonical == own[row])
        rows, steps = row[keep], self.rows.step[keep]
        ran = np.zeros(len(costs), bool)
        ran[rows] = True
        values = self._values()[keep]
        if step >= 0:
            here = steps == step
            np.add.at(costs, rows[here], values[here])
        else:
            self._average(costs, rows, steps, values)
        return ran

    def _average(self, costs: Ints, rows: Ints, steps: Ints, values: Ints) -> None:
        """Sums divided by the number of steps a node appears in, without a remainder."""
        sums = np.zeros_like(costs)
        np.add.at(sums, rows, values)
        pairs = np.unique(np.stack([rows, steps]), axis=1)
        counts = np.bincount(pairs[0], minlength=len(costs))
        some = np.flatnonzero(counts)
        quotient = np.abs(sums[some]) // counts[some, None]
        costs[some] += quotient * np.sign(sums[some])

    def _values(self) -> Ints:
        rows = self.rows
        values = np.zeros((len(rows), COLUMNS), np.int64)
        started = rows.start > 0
        here = started & (self.canonical >= 0)
        time = np.where(rows.op_end_rel == 0, 1, rows.op_end_rel)
        stream = started & self.is_stream
        values[stream, ACCELERATOR] = time[stream]
        cpu = here & ~self.is_stream
        values[cpu, CPU] = time[cpu]
        values[cpu, RUNS] = 1
        values[:, MICROS] = values[:, ACCELERATOR] + values[:, CPU]
        memory = {
            BYTES: rows.requested,
            PEAK: rows.peak,
            RESIDUAL: rows.residual,
            OUTPUT: rows.output,
        }
        for column, source in memory.items():
            values[here, column] = source[here]
        return values


def _shapes(graph: Graph, row_of: Mapping[str, int]) -> dict[int, tuple[int, ...]]:
    """The shape vector of every node that has an attribute called `shape`; a scalar is (1,)."""
    found: dict[int, tuple[int, ...]] = {}
    for at in graph.attributes.having("shape"):
        value = graph.attributes.of(at).get("shape")
        if value is None or not value.HasField("shape") or value.shape.unknown_rank:
            continue
        dims = tuple(dim.size if dim.size >= 0 else -1 for dim in value.shape.dim) or (1,)
        found.setdefault(row_of[graph.names[at]], dims)
    return found


def _declared_shapes(data: ProfileData, row_of: Mapping[str, int]) -> dict[int, tuple[int, ...]]:
    """Captured variables are placeholders of rank 0: a variable table knows better."""
    return {
        row_of[name]: tuple(-1 if dim is None else dim for dim in variable.shape) or (1,)
        for name, variable in data.declared.variables.items()
        if variable.shape is not None and name in row_of
    }


def _product(dims: Sequence[int]) -> int:
    if any(dim < 0 for dim in dims):
        return 0
    product = 1
    for dim in dims:
        product *= dim
    # 64 bits, as in the original: larger products wrap
    return (product + (1 << 63)) % (1 << 64) - (1 << 63)


def _fill_float_ops(
    costs: Ints, log: OpLog | None, row_of: Mapping[str, int], ran: npt.NDArray[np.bool_]
) -> None:
    for name, logged in log.float_ops.items() if log is not None else ():
        row = row_of.get(name)
        if row is not None:
            costs[row, FLOAT_OPS] = logged * int(costs[row, RUNS]) if ran[row] else logged


def _types(data: ProfileData, row_of: Mapping[str, int], *, compat: bool) -> dict[int, set[str]]:
    found: dict[int, set[str]] = {}
    for name, types in data.oplog.types.items() if data.oplog is not None else ():
        if name in row_of:
            found.setdefault(row_of[name], set()).update(types)
    if not compat:
        for name, variable in data.declared.variables.items():
            if variable.trainable and name in row_of:
                found.setdefault(row_of[name], set()).add(TRAINABLE)
    if data.checkpoint is not None:
        for key in data.checkpoint.tensors:
            if key in row_of:
                found.setdefault(row_of[key], set()).add(CHECKPOINT_TYPE)
    return found


def _with_scopes(names: list[str]) -> tuple[list[str], Ints, list[int]]:
    """The root, then nodes and missing scopes in byte order, with the row of each one's parent."""
    known = set(names)
    for name in names:
        scope = name.rpartition("/")[0] if "/" in name else None
        while scope is not None and scope not in known:
            known.add(scope)
            scope = scope.rpartition("/")[0] if "/" in scope else None
    ordered = sorted(known)
    at = {name: position for position, name in enumerate(ordered, 1)}
    parent = [-1, *(at[name.rpartition("/")[0]] if "/" in name else 0 for name in ordered)]
    real = {name: position for position, name in enumerate(names)}
    row = np.array([-1, *(real.get(name, -1) for name in ordered)], np.int64)
    return [ROOT, *ordered], row, parent
