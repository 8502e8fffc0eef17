"""The nodes of a profile as the original tool counts them, one row each, in byte order of names.

A graph's nodes, and those that only a run knows. All costs are columns of one matrix.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tfprof.analyses.accounting.known import VARIABLE_TYPE, held_variables, unknown_metrics
from tfprof.analyses.graph.layer_names import without_calls
from tfprof.analyses.runtime.op_events import self_micros
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.budget import MOST_ELEMENTS
from tfprof.model.device import holds_kernels, is_cpu_or_gpu
from tfprof.model.graph import Graph
from tfprof.model.interned import Interned
from tfprof.model.metrics import (
    ACCELERATOR,
    BYTES,
    COLUMNS,
    CPU,
    DEFINED,
    FLOAT_OPS,
    LOST_FLOAT_OPS,
    LOST_PARAMS,
    MICROS,
    OUTPUT,
    PARAMS,
    PEAK,
    RESIDUAL,
    RUNS,
)
from tfprof.model.oplog import TRAINABLE, OpLog
from tfprof.model.profile import ProfileData
from tfprof.model.trace import Executions, Trace
from tfprof.results.trees import ROOT_NAME
from tfprof.wire.schema import Proto

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

CHECKPOINT_TYPE = "_checkpoint_variables"
# more than anybody nests; a name of a megabyte has half a million
MOST_SCOPES = 4096
_NO_NODE = re.compile(r"_SOURCE|RecvTensor|.*MEMCPY.*")


@frozen_dataclass(slots=False)
class Nodes:
    """`types` holds, by row, what a node counts as besides its op.

    `graph_row` leads from a row to the graph's node, -1 where only the run knows it, and
    `row_of_graph` back. `unknown` are metrics that nothing tells, with the reason: zeros in the
    columns; the original has no word for it.
    """

    names: list[str]
    row_of: Mapping[str, int]
    ops: Interned
    shapes: Mapping[int, tuple[int, ...]]
    types: Mapping[int, set[str]]
    devices: Interned
    costs: Ints
    steps: tuple[int, ...]
    graph: Graph | None
    graph_row: Ints
    row_of_graph: Ints
    compat: bool = False
    unknown: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def scopes(self) -> tuple[list[str], Ints, Ints]:
        """The root, nodes and the scopes they stand in; the node and the parent of each."""
        return _with_scopes(self.names, self.row_of)

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

    def all_types(self, rows: Sequence[int] | Ints) -> list[str]:
        """What some nodes count as, all together: ops, devices, and what an op log calls them."""
        at = np.asarray(rows, np.int64)
        found = self.ops.distinct(at)
        found |= self.devices.distinct(at) - {""}  # a device is a type, too
        for row in self.types.keys() & set(at.tolist()) if self.types else ():
            found.update(self.types[row])
        return sorted(found)

    def types_of(self, row: int) -> tuple[str, ...]:
        """The same of one node."""
        device = {self.devices[row]} - {""}
        return tuple(sorted({self.ops[row], *device, *self.types.get(row, ())}))


def build_nodes(data: ProfileData, step: int, *, compat: bool) -> Nodes:
    """Every node with its costs at `step`; -1 averages over the steps a node ran in."""
    # all hosts as one: the original knows no others
    graph, trace = data.graph, data.trace
    in_graph = graph.names.tolist() if graph is not None else []
    held = {} if compat else {one.name: one for one in held_variables(data)}
    runs = _Runs.of(trace, set(in_graph)) if trace is not None else None
    ran_only = [name for name in runs.names if not _NO_NODE.fullmatch(name)] if runs else []
    ordered = sorted({*in_graph, *ran_only, *held})
    row_of = dict(zip(ordered, range(len(ordered)), strict=True))
    costs = np.zeros((len(ordered), COLUMNS), np.int64)
    costs[:, DEFINED] = 1
    row_of_graph = np.fromiter(map(row_of.__getitem__, in_graph), np.int64, len(in_graph))
    graph_row = np.full(len(ordered), -1, np.int64)
    # of nodes with one name the first is written last
    graph_row[row_of_graph[::-1]] = np.arange(len(in_graph) - 1, -1, -1)
    devices, ran = _Placement.nowhere(len(ordered)), np.zeros(len(ordered), bool)
    if runs is not None:
        devices, ran = runs.fill(costs, row_of, step)
    if graph is not None and not compat:
        devices = devices.else_by(graph, graph_row)
    shapes = _shapes(graph, row_of_graph) if graph is not None else {}
    lost = [row_of[one.name] for one in held.values() if not _is_counted(one.elements)]
    for one in held.values():
        if one.shape is not None:
            shapes[row_of[one.name]] = tuple(-1 if n is None else n for n in one.shape) or (1,)
    for row in lost:
        shapes.pop(row, None)
    costs[list(shapes), PARAMS] = [_product(shape) for shape in shapes.values()]
    costs[lost, LOST_PARAMS] = 1
    _fill_float_ops(costs, data.oplog, row_of, ran, compat=compat)
    types = _types(data, row_of, compat=compat)
    for name in held:
        types.setdefault(row_of[name], set()).add(VARIABLE_TYPE)
    return Nodes(
        ordered,
        row_of,
        _ops(graph, ordered, graph_row, _ran_as(runs, held.keys() - set(in_graph))),
        shapes,
        types,
        devices.column(),
        costs,
        trace.steps if trace is not None else (),
        graph,
        graph_row,
        row_of_graph,
        compat,
        {} if compat else unknown_metrics(data),
    )


def _ran_as(runs: _Runs | None, variables: Iterable[str]) -> dict[str, str]:
    """The op of each node, where a run tells it; a variable of a Keras file is made by its own."""
    return {**dict.fromkeys(variables, VARIABLE_TYPE), **(runs.types() if runs is not None else {})}


def _ops(
    graph: Graph | None, names: list[str], graph_row: Ints, ran: Mapping[str, str]
) -> Interned:
    """The op of each row, as it `ran` if a capture says so; what has no type is its own op."""
    table = list(graph.ops.table) if graph is not None else []
    codes = np.zeros(len(names), np.int32)
    known = graph_row >= 0
    if graph is not None:
        codes[known] = graph.ops.codes[graph_row[known]]
    index = {op: code for code, op in enumerate(table)}
    for row, name in enumerate(names) if ran else ():
        if name in ran:
            codes[row] = index.setdefault(ran[name], len(index))
            known[row] = True
    for row in np.flatnonzero(~known).tolist():
        codes[row] = index.setdefault(names[row], len(index))
    return Interned(codes, list(index))


@frozen_dataclass(slots=False)
class _Placement:
    """Where each node is: a number of a table, -1 for nowhere."""

    codes: Ints
    table: list[str]

    @classmethod
    def nowhere(cls, count: int) -> _Placement:
        return cls(np.full(count, -1, np.int64), [])

    def else_by(self, graph: Graph, graph_row: Ints) -> _Placement:
        """What never ran is where the graph puts it."""
        index = {device: code for code, device in enumerate(self.table)}
        number = [index.setdefault(d, len(index)) if d else -1 for d in graph.devices.table]
        open_ = np.flatnonzero((self.codes < 0) & (graph_row >= 0))
        codes = self.codes.copy()
        codes[open_] = np.array(number or [-1])[graph.devices.codes[graph_row[open_]]]
        return _Placement(codes, list(index))

    def column(self) -> Interned:
        return Interned((self.codes + 1).astype(np.int32), ["", *self.table])


@frozen_dataclass(slots=False)
class _Runs:
    """Executions joined to node names, with the original's rules about devices applied."""

    names: list[str]
    node: Ints
    canonical: Ints
    canonical_names: list[str]
    is_stream: Mask
    rows: Executions
    # the time of each execution without what ran inside it, where a capture tells
    own: Ints | None

    @classmethod
    def of(cls, trace: Trace, in_graph: set[str]) -> _Runs:
        rows = trace.executions
        bare = [name.partition(":")[0] for name in rows.node.table]
        if rows.op is not None:  # functions are inlined, and calls stand in front of names
            bare = [_as_in_graph(name, in_graph) for name in bare]
        index = {name: code for code, name in enumerate(dict.fromkeys(bare))}
        node = np.array([index[name] for name in bare] or [0], np.int64)[rows.node.codes]
        lower = [device.lower() for device in rows.device.table]
        named = [d if is_cpu_or_gpu(d) else "" for d in lower]
        table = list(dict.fromkeys(d for d in named if d))
        codes = np.array([table.index(d) if d else -1 for d in named] or [-1], np.int64)
        streams = np.array([holds_kernels(d) for d in lower] or [False], bool)
        placed, streaming = codes[rows.device.codes], streams[rows.device.codes]
        own = self_micros(trace)
        return cls(list(index), node, placed, table, streaming, rows, own)

    def types(self) -> dict[str, str]:
        """The op of each node, where executions tell it."""
        ops = self.rows.op
        if ops is None:
            return {}
        nodes, first = np.unique(self.node, return_index=True)
        return {
            self.names[node]: ops[row]
            for node, row in zip(nodes.tolist(), first.tolist(), strict=True)
        }

    def fill(self, costs: Ints, row_of: Mapping[str, int], step: int) -> tuple[_Placement, Mask]:
        """Adds the costs of the step to the rows; returns where rows ran, and if they ran at all.

        The first device a node is seen on is its own; what it did on another one is left out.
        """
        if not len(costs):
            return _Placement.nowhere(0), np.zeros(0, bool)
        target = np.array([row_of.get(name, -1) for name in self.names] or [-1], np.int64)
        row = target[self.node]
        keep = row >= 0
        own = np.full(len(costs), -1, np.int64)
        placed = np.flatnonzero(keep & (self.canonical >= 0))[::-1]
        own[row[placed]] = self.canonical[placed]  # the first one is written last
        keep &= (self.canonical < 0) | (self.canonical == own[row])
        rows, steps = row[keep], self.rows.step[keep]
        ran = np.zeros(len(costs), bool)
        ran[rows] = True
        values = self._values()[keep]
        if step >= 0:
            here = steps == step
            _add(costs, rows[here], values[here])
        else:
            self._average(costs, rows, steps, values)
        return _Placement(own, self.canonical_names), ran

    def _average(self, costs: Ints, rows: Ints, steps: Ints, values: Ints) -> None:
        """Sums divided by the number of steps a node appears in, without a remainder.

        What is of no step is another one only for a node that no step has: a tool may have told the
        steps of kernels, and not those of their launches.
        """
        sums = np.zeros_like(costs)
        _add(sums, rows, values)
        in_some = np.zeros(len(costs), bool)
        in_some[rows[steps >= 0]] = True
        told = (steps >= 0) | ~in_some[rows]
        rows, steps = rows[told], steps[told]
        known, number = np.unique(steps, return_inverse=True)
        pairs = np.unique(rows * len(known) + number)
        counts = np.bincount(pairs // max(1, len(known)), minlength=len(costs))
        some = np.flatnonzero(counts)
        quotient = np.abs(sums[some]) // counts[some, None]
        costs[some] += quotient * np.sign(sums[some])

    def _values(self) -> Ints:
        rows = self.rows
        values = np.zeros((len(rows), COLUMNS), np.int64)
        started = rows.start > 0
        here = started & (self.canonical >= 0)
        time = self.own
        if time is None:
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


def _as_in_graph(name: str, in_graph: set[str]) -> str:
    """The name that a node of the graph has without the calls around it, if one has."""
    if name in in_graph:
        return name
    bare = without_calls(name)
    return bare if bare in in_graph else name


def _add(costs: Ints, rows: Ints, values: Ints) -> None:
    """Adds each value to its row; `np.add.at` takes four times as long."""
    order = np.argsort(rows, kind="stable")
    ordered = rows[order]
    first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)])
    if len(first):
        costs[ordered[first]] += np.add.reduceat(values[order], first, axis=0)


def _shapes(graph: Graph, row_of_graph: Ints) -> dict[int, tuple[int, ...]]:
    """The shape vector of every node that has an attribute called `shape`; a scalar is (1,)."""
    found: dict[int, tuple[int, ...]] = {}
    column = graph.attributes.column("shape")
    rows = row_of_graph[list(column)].tolist() if column else []
    # nodes whose values are alike share one message
    vectors = {id(value): _vector(value) for value in column.values()}
    for row, value in zip(rows, column.values(), strict=True):
        dims = vectors[id(value)]
        if dims is not None:
            found.setdefault(row, dims)
    return found


def _vector(value: Proto) -> tuple[int, ...] | None:
    if not value.HasField("shape") or value.shape.unknown_rank:
        return None
    return tuple(dim.size if dim.size >= 0 else -1 for dim in value.shape.dim) or (1,)


def _product(dims: Sequence[int]) -> int:
    if any(dim < 0 for dim in dims):
        return 0
    product = 1
    for dim in dims:
        product *= dim
    return _wrapped(product)


def _is_counted(elements: int | None) -> bool:
    """TensorFlow can hold no variable of more."""
    return elements is not None and elements <= MOST_ELEMENTS


def _wrapped(number: int) -> int:
    """64 bits, as in the original: larger numbers wrap."""
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


def _fill_float_ops(
    costs: Ints, log: OpLog | None, row_of: Mapping[str, int], ran: Mask, *, compat: bool
) -> None:
    """What 64 bits do not hold is not known, all counts together; only the original wraps."""
    for name in (log.uncounted or ()) if log is not None else ():
        if name in row_of:
            costs[row_of[name], LOST_FLOAT_OPS] = 1
    total = 0
    for name, logged in log.float_ops.items() if log is not None else ():
        row = row_of.get(name)
        if row is None:
            continue
        count = logged * int(costs[row, RUNS]) if ran[row] else logged
        if not compat and total + abs(count) > MOST_ELEMENTS:
            costs[row, LOST_FLOAT_OPS] = 1
            continue
        total += abs(count)
        costs[row, FLOAT_OPS] = _wrapped(count)


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


def is_too_deep(name: str) -> bool:
    """Whether not all of its scopes are made: each is as long as what it stands in."""
    return name.count("/") > MOST_SCOPES


def _scope(name: str) -> str:
    """Where a name stands; of the scopes of one that is too deep only the first are there."""
    if is_too_deep(name):
        return "/".join(name.split("/", MOST_SCOPES)[:-1])
    return name.rpartition("/")[0]


def _with_scopes(names: list[str], row_of: Mapping[str, int]) -> tuple[list[str], Ints, Ints]:
    """The root, then nodes and missing scopes in byte order, with the row of each one's parent."""
    missing: set[str] = set()
    scopes = {_scope(name) for name in names if "/" in name}
    while scopes:
        new = [scope for scope in scopes if scope not in row_of and scope not in missing]
        missing.update(new)
        scopes = {_scope(scope) for scope in new if "/" in scope}
    ordered = sorted([*names, *sorted(missing)])  # two runs in order merge quickly
    at = dict(zip(ordered, range(1, len(ordered) + 1), strict=True))
    parent = [at[_scope(name)] if "/" in name else 0 for name in ordered]
    row = np.full(len(ordered) + 1, -1, np.int64)
    row[np.fromiter(map(at.__getitem__, names), np.int64, len(names))] = np.arange(len(names))
    return [ROOT_NAME, *ordered], row, np.array([0, *parent], np.int64)
