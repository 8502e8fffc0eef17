"""What the executions of a run come to for each node, with the original's rules about devices."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from tfprof.analyses.accounting.cost_columns import costs_at, filled, no_costs
from tfprof.analyses.graph.layer_names import without_calls
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.late_pattern import late_pattern
from tfprof.model.device import holds_kernels, is_cpu_or_gpu
from tfprof.model.graph import Graph
from tfprof.model.interned import Interned
from tfprof.model.metrics import (
    ACCELERATOR,
    BYTES,
    CPU,
    MICROS,
    OUTPUT,
    PEAK,
    RESIDUAL,
    RUNS,
)
from tfprof.model.names import Names
from tfprof.model.trace import Executions, Trace
from tfprof.wire.distinct import with_first
from tfprof.wire.spans import Spans

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_NO_NODE = late_pattern(r"_SOURCE|RecvTensor|.*MEMCPY.*")


@frozen_dataclass(slots=False)
class Placement:
    """Where each node is: a number of a table, -1 for nowhere."""

    codes: Ints
    table: list[str]

    @classmethod
    def nowhere(cls, count: int) -> Placement:
        return cls(np.full(count, -1, np.int64), [])

    def else_by(self, graph: Graph, graph_row: Ints) -> Placement:
        """What never ran is where the graph puts it."""
        index = {device: code for code, device in enumerate(self.table)}
        number = [index.setdefault(d, len(index)) if d else -1 for d in graph.devices.table]
        open_ = np.flatnonzero((self.codes < 0) & (graph_row >= 0))
        codes = self.codes.copy()
        codes[open_] = np.array(number or [-1])[graph.devices.codes[graph_row[open_]]]
        return Placement(codes, list(index))

    def column(self) -> Interned:
        return Interned((self.codes + 1).astype(np.int32), ["", *self.table])


@frozen_dataclass(slots=False)
class NodeRuns:
    """Executions joined to node names, with the original's rules about devices applied.

    A name has the number of the first execution's that is called so. `of_graph` are those of the
    graph's nodes, -1 for what did not run; of nodes with one name, the first has it.
    """

    names: Names
    of_graph: Ints
    # numbers of names that the graph does not have
    _unmet: Ints
    node: Ints
    canonical: Ints
    canonical_names: list[str]
    is_stream: Mask
    rows: Executions
    # the time of each execution without what ran inside it, where a capture tells
    own: Ints | None

    @classmethod
    def of(cls, trace: Trace, in_graph: Names) -> NodeRuns:
        rows = trace.executions
        if rows.op is None:
            bare = _bare(Names.of(rows.node.table).as_spans())
        else:  # functions are inlined, and calls stand in front of names
            known, cut = set(in_graph), (name.partition(":")[0] for name in rows.node.table)
            bare = Spans.of_texts([_as_in_graph(name, known) for name in cut])
        number = bare.first_alike()
        different = np.flatnonzero(number == np.arange(len(number)))
        found = in_graph.as_spans().find(bare.rows(different))
        of_graph = np.full(len(in_graph), -1, np.int64)
        of_graph[found[found >= 0]] = different[found >= 0]
        lower = [device.lower() for device in rows.device.table]
        named = [d if is_cpu_or_gpu(d) else "" for d in lower]
        table = list(dict.fromkeys(d for d in named if d))
        codes = np.array([table.index(d) if d else -1 for d in named] or [-1], np.int64)
        streams = np.array([holds_kernels(d) for d in lower] or [False], bool)
        return cls(
            Names(bare),
            of_graph,
            different[found < 0],
            number[rows.node.codes],
            codes[rows.device.codes],
            table,
            streams[rows.device.codes],
            rows,
            _own_times(trace),
        )

    @cached_property
    def outside(self) -> dict[str, int]:
        """Nodes that the graph does not have, and their numbers."""
        unmet = zip(self.names.at(self._unmet), self._unmet.tolist(), strict=True)
        return {name: number for name, number in unmet if not _NO_NODE.fullmatch(name)}

    def types(self) -> dict[str, str]:
        """The op of each node, where executions tell it."""
        ops = self.rows.op
        if ops is None:
            return {}
        nodes, first = with_first(self.node)
        return {
            self.names[node]: ops[row]
            for node, row in zip(nodes.tolist(), first.tolist(), strict=True)
        }

    def fill(
        self, costs: Ints, others: list[str], row_of: Ints, step: int
    ) -> tuple[Placement, Mask]:
        """Adds the costs of the step to the rows; returns where rows ran, and if they ran at all.

        `row_of` is the row of each name of the graph, and behind those of each of the `others`.
        The first device a node is seen on is its own; what it did on another one is left out.
        """
        if not len(costs):
            return Placement.nowhere(0), np.zeros(0, bool)
        target = np.full(len(self.names) + 1, -1, np.int64)
        of_others = [self.outside.get(name, -1) for name in others]
        target[np.append(self.of_graph, np.array(of_others, np.int64))] = row_of
        target[-1] = -1
        row = target[self.node]
        keep = row >= 0
        own = np.full(len(costs), -1, np.int64)
        placed = np.flatnonzero(keep & (self.canonical >= 0))[::-1]
        own[row[placed]] = self.canonical[placed]  # the first one is written last
        keep &= (self.canonical < 0) | (self.canonical == own[row])
        ran = np.zeros(len(costs), bool)
        ran[row[keep]] = True
        if step >= 0:
            keep &= self.rows.step == step
        kept = np.flatnonzero(keep)
        _add_average(costs, row[kept], self.rows.step[kept], costs_at(self._values(), kept))
        return Placement(own, self.canonical_names), ran

    def _values(self) -> Ints:
        rows = self.rows
        values = no_costs(len(rows))
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


def _own_times(trace: Trace) -> Ints | None:
    if trace.space is None:
        return None
    from tfprof.analyses.runtime.op_events import self_micros  # loads all that is known of events

    return self_micros(trace)


def _as_in_graph(name: str, in_graph: set[str]) -> str:
    """The name that a node of the graph has without the calls around it, if one has."""
    if name in in_graph:
        return name
    bare = without_calls(name)
    return bare if bare in in_graph else name


def _bare(names: Spans) -> Spans:
    """What stands before a colon in each: behind it is an output, or the type of a kernel's op."""
    colons = np.flatnonzero(np.frombuffer(names.data, np.uint8) == ord(":"))
    first = np.append(colons, len(names.data))[np.searchsorted(colons, names.starts)]
    return Spans(names.data, names.starts, np.minimum(names.ends, first))


def _add_average(costs: Ints, rows: Ints, steps: Ints, values: Ints) -> None:
    """Sums divided by the number of steps a node appears in, without a remainder.

    What is of no step is another one only for a node that no step has: a tool may have told the
    steps of kernels, and not those of their launches.
    """
    if not len(rows):
        return
    order = np.lexsort((steps, rows))
    rows, steps = rows[order], steps[order]
    is_first = np.append(True, rows[1:] != rows[:-1])
    first = np.flatnonzero(is_first)
    # steps of a node stand in order, what is of none first
    in_some = steps[np.append(first[1:], len(rows)) - 1] >= 0
    is_first[1:] |= steps[1:] != steps[:-1]
    counted = is_first & ((steps >= 0) | ~np.repeat(in_some, np.diff(np.append(first, len(rows)))))
    counts = np.add.reduceat(counted, first, dtype=np.int64)
    for column in filled(values):
        sums = np.add.reduceat(values[:, column][order], first)
        costs[rows[first], column] += np.abs(sums) // counts * np.sign(sums)
