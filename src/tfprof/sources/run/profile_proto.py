"""ProfileProto: graph, op log and steps in one file, as the late tool saved them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.graph import MISSING, Edges, Graph
from tfprof.model.interned import Interned
from tfprof.model.names import Names
from tfprof.model.oplog import OpLog
from tfprof.model.trace import Executions, Trace
from tfprof.sources.files.reader import parse, read_bytes
from tfprof.sources.files.registry import FilePiece
from tfprof.sources.graph.graphdef import FileBytes, GraphAtHand
from tfprof.sources.run.op_log import ParsedCode
from tfprof.sources.run.times import LATEST, LONGEST, cut, said_of_cut
from tfprof.wire.fields import Progress
from tfprof.wire.schema import Messages, Proto

# field numbers
_NODES, _STEPS, _STRINGS, _VERSION = 1, 3, 4, 1000
# the version of the fields that tfprof adds
OWN_FIELDS = 1
_MOST_BYTES = (1 << 63) - 1


def read(path: Path, _step: int, progress: Progress | None) -> FilePiece:
    warnings: list[str] = []
    whole = read_bytes(path, progress)
    source, fields = FileBytes.opened(whole, "ProfileProto", path, warnings, progress)
    data = source.data

    def entries(number: int, message: str) -> list[Proto]:
        rows = fields.rows(number, 2).tolist()
        spans = [(int(fields.start[row]), int(fields.end[row])) for row in rows]
        return [parse(message, data[begin:end], path, begin) for begin, end in spans]

    # the file is a hash map: ids restore the order in which nodes were added
    nodes = sorted(entries(_NODES, "ProfileProto_nodes"), key=lambda entry: int(entry.key))
    strings = {e.key: e.value for e in entries(_STRINGS, "ProfileProto_id_to_string")}
    profile_nodes = [entry.value for entry in nodes]
    version = fields.rows(_VERSION, 0)
    own = len(version) > 0 and int(fields.value[version[-1]]) == OWN_FIELDS
    graph = _graph([entry for entry in nodes if not entry.value.only_ran], own=own)
    trace = _trace(profile_nodes)
    if trace is not None:
        warnings += said_of_cut(trace.executions, path)
    return FilePiece(
        GraphAtHand(replace(graph, cut=source.cut)),
        trace=trace,
        oplog=_oplog(profile_nodes, strings),
        warnings=warnings,
    )


@frozen_dataclass
class _Attributes:
    nodes: Messages

    def of(self, node: int) -> Mapping[str, Proto]:
        attributes: Mapping[str, Proto] = self.nodes[node].attrs
        return attributes

    def column(self, name: str, among: npt.NDArray[np.int64] | None = None) -> Mapping[int, Proto]:
        rows = range(len(self.nodes.held)) if among is None else among.tolist()
        held = ((row, self.nodes.held[row].attrs) for row in rows)
        return {row: attributes[name] for row, attributes in held if name in attributes}


def _graph(entries: Sequence[Proto], *, own: bool) -> Graph:
    """With `own`, nodes have the fields that the original lacks."""
    nodes = [entry.value for entry in entries]
    row_of = {entry.key: row for row, entry in enumerate(entries)}
    sources: list[int] = []
    ports: list[int] = []
    counts = []
    for node in nodes:
        placed = sorted(node.inputs.items())
        inputs = [identity for _, identity in placed]
        sources += [row_of.get(identity, MISSING) for identity in inputs]
        if own:
            ports += [node.input_ports.get(place, 0) for place, _ in placed]
        else:
            ports += [node.src_output_index.get(identity, 0) for identity in inputs]
        counts.append(len(inputs))
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    edges = Edges(offsets, np.array(sources, np.int32), np.array(ports, np.int32))
    return Graph(
        Names([node.name for node in nodes]),
        Interned.of([node.op for node in nodes]),
        Interned.of([node.requested_device if own else node.canonical_device for node in nodes]),
        edges,
        _Attributes(Messages("ProfileNode", tuple(nodes))),
    )


def _oplog(nodes: Sequence[Proto], strings: dict[int, str]) -> OpLog:
    types = {
        node.name: [kind for kind in node.op_types if kind not in (node.op, node.canonical_device)]
        for node in nodes
    }
    return OpLog(
        {name: kinds for name, kinds in types.items() if kinds},
        {node.name: node.float_ops for node in nodes if node.float_ops},
        ParsedCode.of({node.name: node.trace for node in nodes}, strings),
        any(len(node.trace.traces) for node in nodes),
    )


@dataclass
class _Rows:
    """Executions gathered row by row."""

    nodes: list[str] = field(default_factory=list)
    devices: list[str] = field(default_factory=list)
    numbers: list[tuple[int, ...]] = field(default_factory=list)

    def add(self, name: str, step: int, execution: Proto) -> None:
        runs = [
            (device, run.int64_values)
            for times in (execution.cpu_execs, execution.accelerator_execs)
            for device, exec_time in sorted(times.items())
            for run in exec_time.times
            if len(run.int64_values) > 1
        ]
        memory = list(execution.memory_execs)
        if memory and not runs:
            runs = [((list(execution.devices) or [""])[0], (execution.all_start_micros, 0))]
        for position, (device, run) in enumerate(runs):
            # one memory record a scheduling; what is left over belongs to the last
            last = position == len(runs) - 1
            mine = memory[position:] if last else memory[position : position + 1]
            self.nodes.append(name)
            self.devices.append(device)
            self.numbers.append((
                step,
                run[0],
                run[1],
                _sum(m.requested_bytes for m in mine),
                _sum(m.peak_bytes for m in mine),
                _sum(m.residual_bytes for m in mine),
                _sum(m.output_bytes for m in mine),
            ))  # fmt: skip


def _sum(sizes: Iterable[int]) -> int:
    """Records may add up to more than a column holds: nobody has that memory."""
    return max(-_MOST_BYTES, min(_MOST_BYTES, sum(sizes)))


def _trace(nodes: Sequence[Proto]) -> Trace | None:
    rows = _Rows()
    for node in nodes:
        for step, execution in sorted(node.execs.items()):
            rows.add(node.name, step, execution)
    if not rows.numbers:
        return None
    numbers = np.array(rows.numbers, np.int64)
    zeros = np.zeros(len(numbers), np.int64)
    executions = Executions(
        Interned.of(rows.nodes),
        Interned.of(rows.devices),
        step=numbers[:, 0],
        start=cut(numbers[:, 1], LATEST),
        op_start_rel=zeros,
        op_end_rel=cut(numbers[:, 2], LONGEST),
        end_rel=cut(numbers[:, 2], LONGEST),
        thread=zeros,
        requested=numbers[:, 3],
        peak=numbers[:, 4],
        residual=numbers[:, 5],
        output=numbers[:, 6],
    )
    return Trace(executions, tuple(sorted(set(numbers[:, 0].tolist()))))
