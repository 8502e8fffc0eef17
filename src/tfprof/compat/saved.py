"""A profile as a ProfileProto: graph, op log and steps in one file, as the late tool saves them."""

from __future__ import annotations

import re

from tfprof.compat.handed import Proto
from tfprof.model.device import holds_kernels
from tfprof.model.oplog import OpLog
from tfprof.model.profile import ProfileData
from tfprof.model.trace import Trace
from tfprof.reports.trees.original import Nodes, build_nodes, kept_executions, misses_stream
from tfprof.sources.run.profile_proto import OWN_FIELDS
from tfprof.wire.schema import message_class

_GPU = re.compile(r"gpu:\d+")
_NO_STRING = "none"


def profile_proto(data: ProfileData, *, compat: bool = False) -> bytes:
    """The bytes that the command line and the original's tools read back."""
    nodes = build_nodes(data, -1, compat=True)
    proto = message_class("ProfileProto")()
    if not compat:
        proto.tfprof_version = OWN_FIELDS
    ids = {name: number for number, name in enumerate(_in_order(nodes))}
    strings: dict[str, int] = {_NO_STRING: 0}
    for name, number in ids.items():
        node = proto.nodes[number]
        node.id = number
        _fill(node, nodes, nodes.row_of[name], ids)
        if compat:  # the original takes every edge to be from its source's first output
            node.src_output_index.update(dict.fromkeys(node.src_output_index, 0))
        else:
            _fill_own(node, nodes, nodes.row_of[name])
        if data.oplog is not None:
            node.float_ops = data.oplog.float_ops.get(name, 0)
            _add_stack(node, data.oplog, name, strings)
    if data.trace is not None:
        _add_runs(proto, nodes, ids, data.trace)
        proto.steps.extend(sorted(set(data.trace.steps)))
        proto.miss_accelerator_stream = misses_stream(data.trace)
    if data.oplog is not None and data.oplog.has_code:
        proto.has_trace = True
        for text, number in strings.items():
            proto.id_to_string[number] = text
    serialized: bytes = proto.SerializeToString()
    return serialized


def _in_order(nodes: Nodes) -> list[str]:
    """The graph's nodes as the graph lists them, then those only a run knows."""
    listed = dict.fromkeys(nodes.graph.names) if nodes.graph is not None else {}
    return [*listed, *(name for name in nodes.names if name not in listed)]


def _fill(node: Proto, nodes: Nodes, row: int, ids: dict[str, int]) -> None:
    node.name, node.op = nodes.names[row], nodes.ops[row]
    node.shape.extend(nodes.shapes.get(row, ()))
    node.op_types.extend(nodes.all_types([row]))
    node.canonical_device = nodes.devices[row]
    node.host_device = _GPU.sub("cpu:0", nodes.devices[row])
    graph, at = nodes.graph, int(nodes.graph_row[row])
    if graph is None or at < 0:
        return
    for key, value in graph.attributes.of(at).items():
        node.attrs[key].CopyFrom(value)
    for port, shape in enumerate(graph.node(at).output_shapes()):
        sizes = () if shape is None else tuple(-1 if d is None else d for d in shape) or (1,)
        node.output_shapes[port].int64_values.extend(sizes)
    edges = graph.edges
    span = range(int(edges.offsets[at]), int(edges.offsets[at + 1]))
    for place, edge in enumerate(span):
        source = int(edges.node[edge])
        if source >= 0:
            node.inputs[place] = ids[graph.names[source]]
            node.src_output_index[ids[graph.names[source]]] = max(0, int(edges.port[edge]))


def _fill_own(node: Proto, nodes: Nodes, row: int) -> None:
    """What the original has no field for: where a node was to run, and its inputs one by one.

    The original notes where it ran instead, and one output of each source; and it does not tell
    nodes of the graph from those that only a run has.
    """
    graph, at = nodes.graph, int(nodes.graph_row[row])
    if graph is None or at < 0:
        node.only_ran = True
        return
    node.requested_device = graph.devices[at]
    edges = graph.edges
    span = range(int(edges.offsets[at]), int(edges.offsets[at + 1]))
    for place, edge in enumerate(span):
        if int(edges.port[edge]):
            node.input_ports[place] = int(edges.port[edge])


def _add_stack(node: Proto, log: OpLog, name: str, strings: dict[str, int]) -> None:
    def number(text: str) -> int:
        return strings.setdefault(text, len(strings)) if text else 0

    for frame in log.code(name):
        node.trace.traces.add(
            file_id=number(frame.file),
            lineno=frame.line,
            function_id=number(frame.function),
            line_id=number(frame.text),
            func_start_line=frame.function_line,
        )


def _add_runs(proto: Proto, nodes: Nodes, ids: dict[str, int], trace: Trace) -> None:
    for at, row, device, is_own in kept_executions(nodes, trace):
        runs = trace.executions
        start, length = int(runs.start[at]), int(runs.op_end_rel[at]) or 1
        exec_ = proto.nodes[ids[nodes.names[row]]].execs[int(runs.step[at])]
        if device not in exec_.devices:
            exec_.devices.append(device)
        if start <= 0:
            continue
        exec_.all_start_micros = min(exec_.all_start_micros or start, start)
        exec_.latest_end_micros = max(exec_.latest_end_micros, start + length)
        if holds_kernels(device):
            exec_.accelerator_execs[device].times.add(int64_values=(start, length))
        elif is_own:
            exec_.cpu_execs[device].times.add(int64_values=(start, length))
            exec_.run_count += 1
        if is_own:
            _add_memory(exec_, trace, at, on_host="cpu" in device)


def _add_memory(exec_: Proto, trace: Trace, at: int, *, on_host: bool) -> None:
    runs = trace.executions
    memory = exec_.memory_execs.add(
        memory_micros=int(runs.start[at] + runs.op_end_rel[at]),
        requested_bytes=int(runs.requested[at]),
        peak_bytes=int(runs.peak[at]),
        residual_bytes=int(runs.residual[at]),
        output_bytes=int(runs.output[at]),
    )
    record = trace.record(at) if trace.record is not None else None
    if record is None:
        return
    stats = record.memory_stats
    if on_host:
        memory.host_temp_bytes = stats.temp_memory_size
        memory.host_persistent_bytes = stats.persistent_memory_size
    else:
        memory.accelerator_temp_bytes = stats.temp_memory_size
        memory.accelerator_persistent_bytes = stats.persistent_memory_size
    for used in record.memory:
        if "GPU" in used.allocator_name:
            memory.allocator_bytes_in_use = max(
                memory.allocator_bytes_in_use, used.allocator_bytes_in_use
            )
            exec_.allocations.extend(used.allocation_records)
    for output in record.output:
        described = output.tensor_description.allocation_description
        memory.output_memory[output.slot].bytes = max(
            described.requested_bytes, described.allocated_bytes
        )
        memory.output_memory[output.slot].ptr = described.ptr
