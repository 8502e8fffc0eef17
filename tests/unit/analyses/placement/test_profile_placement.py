"""Where ops ran and what went from device to device, on runs whose files tell it otherwise too."""

import re
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import tfprof
from tfprof.analyses.graph.partition_graphs import executed, partition_graphs
from tfprof.analyses.placement.host_placement import host_placement
from tfprof.analyses.placement.profile_placement import placement
from tfprof.errors import InputMissing, UsageError
from tfprof.model.device import DeviceNames
from tfprof.model.joined_graphs import RECEIVES, SENDS
from tfprof.sources.run.placement_log import read_placement_log
from tfprof.wire.schema import message_class

LOGS = Path(__file__).parents[3] / "logs"
LOCAL = "/job:localhost/replica:0/task:0/device:"


@pytest.fixture(scope="module")
def two_cpus(samples):
    return tfprof.load(samples / "two_cpus").data


@pytest.fixture(scope="module")
def servers(samples):
    return tfprof.load(samples / "parameter_servers").data


def run_metadata(path):
    return message_class("RunMetadata").FromString(path.read_bytes())


# --- devices


def test_nodes_time_and_bytes_are_those_of_the_records(two_cpus, samples):
    found = placement(two_cpus)
    message = run_metadata(samples / "two_cpus" / "run_meta")
    for device in message.step_stats.dev_stats:
        nodes = [one for one in device.node_stats if one.node_name != "_SOURCE"]
        mine = found.devices[f"/cpu:{device.device[-1]}"]
        assert mine.nodes.number == len({one.node_name for one in nodes})
        assert mine.time_us.number == sum(max(1, one.op_end_rel_micros) for one in nodes)
    assert sum(one.params.number for one in found.devices.values()) == 38_420


def test_what_is_asked_for_is_counted_with_what_stays_beside_it(two_cpus):
    graph = two_cpus.graph
    found = placement(two_cpus)
    named = Counter(graph.devices.counts())
    assert found.devices["/gpu:0"].asked.number == named["/device:GPU:0"] == 5
    asked = [found.unplaced.nodes, *(one.asked for one in found.devices.values())]
    assert sum(one.number for one in asked) == len(graph)
    # slots of the optimizer name no device: they stay with their variables
    place = found.place
    assert place[graph.index["second/kernel/Momentum"]] == "/cpu:1"


# --- soft placement


def test_soft_placed_is_what_ran_elsewhere(two_cpus):
    moved = placement(two_cpus).soft_placed
    assert {(one.asked, one.ran) for one in moved} == {("/gpu:0", "/cpu:0")}
    assert {one.op for one in moved} == {
        "Tanh", "SparseSoftmaxCrossEntropyWithLogits", "Mean", "Const",
    }  # fmt: skip


def test_the_log_knows_nodes_that_were_optimized_away(two_cpus):
    log = read_placement_log(LOGS / "two_cpus.log")
    moved = placement(two_cpus, log).soft_placed
    assert len(moved) == 5
    assert {one.name for one in moved} > {one.name for one in placement(two_cpus).soft_placed}


def test_in_a_cluster_everything_ran_where_it_was_asked_for(servers):
    assert placement(servers).soft_placed == []


def test_a_capture_only_tells_kinds_of_devices(samples):
    data = tfprof.load(samples / "two_cpus_function").data
    found = placement(data)
    moved = [(one.name, one.asked, one.ran) for one in found.soft_placed]
    assert moved == [("Relu", "/gpu:0", "/cpu:0")]
    assert not found.devices["/cpu:1"].nodes.known
    assert "which CPU" in found.devices["/cpu:1"].nodes.reason
    log = read_placement_log(LOGS / "two_cpus_function.log")
    with_log = placement(data, log)
    assert with_log.place[data.graph.index["matmul"]] == "/cpu:1"


# --- copies


def test_graphs_that_ran_tell_the_same_copies_as_the_edges(two_cpus, samples):
    """The edges by the placer's log: as many bytes, but for constants that were replicated."""
    ran = placement(two_cpus)
    graph = tfprof.load(samples / "two_cpus" / "graph.pb").data
    by_edges = placement(graph, read_placement_log(LOGS / "two_cpus.log"))
    assert (ran.copies_from, by_edges.copies_from) == ("executed graphs", "graph")
    sizes = {(one.source, one.target): one.bytes.number for one in ran.copies}
    # Relu, the gradients of bias and kernel; logits, kernel and the end of the update
    assert sizes == {
        ("/cpu:0", "/cpu:1"): 4 * (32 * 256 + 10 + 256 * 10),
        ("/cpu:1", "/cpu:0"): 4 * (32 * 10 + 256 * 10),
    }
    written = {(one.source, one.target): one.bytes.number for one in by_edges.copies}
    scalars = 2 * 4
    assert written["/cpu:0", "/cpu:1"] == sizes["/cpu:0", "/cpu:1"] + scalars
    assert written["/cpu:1", "/cpu:0"] == sizes["/cpu:1", "/cpu:0"]


def test_tensors_received_from_other_tasks_are_counted(servers, samples):
    message = run_metadata(samples / "parameter_servers" / "run_meta")
    labels = [
        (one.timeline_label, one.output[0].tensor_description.allocation_description)
        for device in message.step_stats.dev_stats
        for one in device.node_stats
        if one.node_name == "RecvTensor"
    ]
    found = placement(servers)
    assert found.copies_from == "recorded"
    assert sum(one.count for one in found.copies) == len(labels)
    sizes = [one.bytes.number for one in found.copies]
    assert sum(sizes) == sum(d.requested_bytes for _, d in labels)
    to_first = [d.requested_bytes for text, d in labels if re.search("to /job:ps.*task:0", text)]
    (copy,) = (one for one in found.copies if one.target == "/job:ps/task:0/cpu:0")
    assert (copy.source, copy.bytes.number) == ("/job:worker/task:0/cpu:0", sum(to_first))


def test_copies_of_a_gpu_capture(samples):
    (copy,) = placement(tfprof.load(samples / "xplane" / "synthetic-gpu.xplane.pb").data).copies
    assert (copy.source, copy.target, copy.kind) == ("/cpu:0", "/gpu:0", "H2D")
    assert (copy.count, copy.bytes.number, copy.time_us.number) == (10, 10_000_000, 30_000)


def gpu_run(path):
    """A step with a GPU as TensorFlow 1's tracer writes it: copies stand in two places."""
    message = message_class("RunMetadata")()

    def node(device, name, micros, label=""):
        stats = next((d for d in message.step_stats.dev_stats if d.device == device), None)
        if stats is None:
            stats = message.step_stats.dev_stats.add(device=device)
        stats.node_stats.add(
            node_name=name, all_start_micros=1, op_end_rel_micros=micros,
            all_end_rel_micros=micros, timeline_label=label,
        )  # fmt: skip

    node(LOCAL + "GPU:0", "mul", 5, "mul = MatMul(a, b)")
    node(LOCAL + "CPU:0", "a", 2, "a = Const()")
    node(LOCAL + "CPU:0", "a/_1", 3, f"[cpu 0.1MB] a/_1 = _Send(edge_1_a @{LOCAL}GPU:0)")
    node(LOCAL + "GPU:0", "a/_2", 9, f"a/_2 = _Recv(edge_1_a @{LOCAL}CPU:0)")
    node("/device:GPU:0/stream:all", "mul:MatMul", 40)
    for device in ("/device:GPU:0/memcpy", "/device:GPU:0/stream:14"):
        node(device, "a/_2:MEMCPYHtoD", 7, "MEMCPYHtoD 4096 bytes (Pageable to Device)")
        node(device, "b:MEMCPYDtoD", 1, "MEMCPYDtoD 64 bytes (Device to Device)")
        node(device, "c:MEMCPYPtoP", 1, "MEMCPYPtoP 32 bytes (Device to Device)")
    path.write_bytes(message.SerializeToString())
    return tfprof.load(path).data


def test_copies_of_a_gpu_run(tmp_path):
    found = placement(gpu_run(tmp_path / "run_meta"))
    assert [
        (c.source, c.target, c.kind, c.count, c.bytes.number, c.time_us.number)
        for c in found.copies
    ] == [
        ("/cpu:0", "/gpu:0", "H2D", 1, 4096, 7),
        ("/gpu:0", "/gpu:0", "D2D", 1, 64, 1),
        ("/gpu:0", None, "P2P", 1, 32, 1),
    ]
    gpu = found.devices["/gpu:0"]
    assert (gpu.nodes.number, gpu.time_us.number) == (
        1,
        40,
    )  # its kernel; what launched it ran on the host
    cpu = found.devices["/cpu:0"]
    assert (cpu.nodes.number, cpu.time_us.number) == (1, 2)


def test_hosts_read_alone_and_merged_are_those_read_together(samples, tmp_path):
    paths = [samples / f"xplane/{name}.xplane.pb" for name in ("slow-cb", "synthetic-gpu")]
    for path in paths:
        shutil.copyfile(path, tmp_path / path.name)
    data = tfprof.load(tmp_path).data
    together = host_placement(data.trace)
    alone = [host_placement(one.trace, host=at) for at, one in enumerate(data.hosts)]
    names = DeviceNames(together.device_names)
    assert len(together.devices) == 2
    for merged in (alone[0].merge(alone[1]), alone[1].merge(alone[0])):
        assert (merged.spent, merged.copies) == (together.spent, together.copies)
        assert merged.finish(names) == together.finish(names)


# --- parameter servers


def test_the_balance_of_parameter_servers(servers):
    found = placement(servers).servers
    words, width = 50_000, 512
    tables, kernel, bias = words * width, 2 * width * 4 * width, 4 * width
    first = 2 * tables + kernel + bias
    second = tables + kernel + bias + words
    held = {name: one.params.number for name, one in found.tasks.items()}
    assert held == {"/job:ps/task:0": first, "/job:ps/task:1": second}
    assert found.imbalance == pytest.approx(2 * first / (first + second))
    assert found.fullest == "/job:ps/task:0"


def test_one_machine_has_no_parameter_servers(two_cpus):
    assert placement(two_cpus).servers is None


# --- graphs as they were executed


def test_the_graphs_of_all_devices_as_one(two_cpus):
    found = partition_graphs(two_cpus.trace)
    whole = executed(two_cpus).graph
    assert len(whole) == sum(len(part.graph) for part in found)
    assert whole.names.tolist() == [name for part in found for name in part.graph.names]
    received = whole.find("second/BiasAdd/_7")
    assert [whole.names[row] for row in received.inputs] == ["second/BiasAdd"]
    assert received.output_shapes() == [(32, 10)]
    for part in found:
        for name in ("second/kernel", "Relu", "train"):
            one = part.graph.find(name)
            if one is not None:
                mine = whole.find(name)
                assert mine.attributes.keys() == one.attributes.keys()
                assert len(mine.inputs) == len(one.inputs)
    for ops in (SENDS, RECEIVES):
        assert len(whole.ops.where(*ops)) == 6


def test_one_device_has_its_own_graph_and_executions(two_cpus, samples):
    data = executed(two_cpus, "/cpu:1")
    message = run_metadata(samples / "two_cpus" / "run_meta")
    (device,) = (one for one in message.step_stats.dev_stats if one.device.endswith("CPU:1"))
    names = [one.node_name for one in device.node_stats]
    rows = data.trace.executions
    assert [rows.node[row] for row in range(len(rows))] == names
    assert [data.trace.record(row).node_name for row in range(len(rows))] == names
    taken = data.trace.allocations()
    assert {rows.node[row] for row in taken.execution.tolist()} == {"second/BiasAdd"}
    assert np.cumsum(taken.bytes).max() == 32 * 10 * 4
    assert data.graph.find("Relu/_5").output_shapes() == [(32, 256)]


def test_a_device_that_is_not_there(two_cpus, samples):
    with pytest.raises(UsageError, match="/gpu:0") as fault:
        executed(two_cpus, "/gpu:0")
    assert "/cpu:0, /cpu:1" in fault.value.hint
    with pytest.raises(UsageError, match="means"):
        executed(two_cpus, "cpu")
    with pytest.raises(InputMissing, match="partition graphs"):
        executed(tfprof.load(samples / "parameter_servers").data)
