"""Memory as runs and captures recorded it, against plain sums over TensorFlow's own messages."""

from collections import Counter

import pytest
from tensorflow.core.protobuf.config_pb2 import RunMetadata
from tensorflow.tsl.profiler.protobuf import xplane_pb2

import tfprof
from tfprof.analyses.memory_trace.devices import corners, measured_memory
from tfprof.model.hosts import Hosts
from tfprof.sources.find.load import Request, choose, read

RUNS = {
    "unet_infer_b1.runmeta.pb": 180_936_736,
    "resnet50_infer_b1.runmeta.pb": 7_225_344,
    "resnet50_train_b1.runmeta.pb": 190_550_712,
    "keras_mlp_train_b8_default.runmeta.pb": 3_217_560,
    "resnet32/run_meta": None,
    "parameter_servers/run_meta": None,
}
SCRATCH = 700_876_800
MICROSECOND = 1_000_000


def mem_util(run):
    """The rule of OpenAI's mem_util: all records of a device by time, summed; the highest sum."""
    peaks = []
    for device in run.step_stats.dev_stats:
        records = [r for n in device.node_stats for m in n.memory for r in m.allocation_records]
        total = peak = 0
        for record in sorted(records, key=lambda one: one.alloc_micros):
            total += record.alloc_bytes
            peak = max(peak, total)
        peaks += [peak] if records else []
    return sorted(peaks)


def devices_of(*paths):
    (selection,) = choose(Request(list(paths))).selections
    return measured_memory(read(selection).hosts)


@pytest.mark.parametrize("name", RUNS)
def test_a_run_peaks_where_mem_util_says(samples, name):
    found = sorted(tfprof.peak_memory(samples / name).values())
    assert found == mem_util(RunMetadata.FromString((samples / name).read_bytes()))
    assert RUNS[name] in (None, *found)


def test_run_metadata_may_be_a_message_or_bytes(unet):
    data = (unet / "run_meta").read_bytes()
    expected = {"/cpu:0": 2_093_226_660}
    for form in (unet / "run_meta", data, RunMetadata.FromString(data)):
        assert tfprof.peak_memory(form) == expected


def test_two_scratch_buffers_lead_at_the_peak_of_the_unet(unet):
    (device,) = devices_of(unet / "run_meta")
    usage = device.highest
    first, second = usage.live[:2]
    assert {(one.kind, one.bytes) for one in (first, second)} == {("scratch", SCRATCH)}
    ops = {one.name.rpartition("/")[2] for one in (first, second)}
    assert ops == {"Conv2DBackpropInput", "Conv2DBackpropFilter"}
    assert usage.attributed == usage.peak
    assert (usage.residue, usage.lost) == (4, 0)
    relu = next(one for one in usage.live if one.name == "model/left0/conv0/Relu")
    assert (relu.kind, relu.shape, relu.dtype) == ("output", (1, 570, 570, 64), "float32")


def test_an_output_and_scratch_of_the_same_size_are_told_apart(samples):
    (device,) = devices_of(samples / "unet_infer_b1.runmeta.pb")
    live = device.highest.live
    transposed = [one for one in live if one.name.endswith("transpose_0/conv2d_transpose")]
    assert Counter((one.kind, one.bytes) for one in transposed) == {
        ("scratch", 39_337_984): 1,
        ("output", 39_337_984): 1,
    }


def test_each_run_is_summed_alone(unet, samples):
    small, large = samples / "unet_infer_b1.runmeta.pb", unet / "run_meta"
    data = [tfprof.load(path).data.trace for path in (small, large)]
    joined = type(data[0]).joined([data[0], _as_step(data[1], 7)])
    (device,) = measured_memory(Hosts.of(joined))
    assert [one.peak for one in device.stretches] == [180_936_736, 2_093_226_660]
    assert (device.peak, device.highest.peak_step) == (2_093_226_660, 7)
    assert device.highest.live[0].bytes == SCRATCH


def _as_step(trace, number):
    from dataclasses import replace

    rows = trace.executions
    return replace(trace, executions=replace(rows, step=rows.step * 0 + number), steps=(number,))


@pytest.fixture
def capture(samples):
    return samples / "xplane/fast-trace-bfc.xplane.pb"


def test_a_capture_is_what_a_plain_sweep_finds(capture):
    (device,) = devices_of(capture)
    usage, plain = device.highest, sweep(capture)
    assert len(usage) == 10_475
    assert (usage.peak, usage.attributed, len(usage.live)) == (64_970_752, 58_662_912, 23)
    assert (usage.peak, sorted(one.bytes for one in usage.live)) == plain
    assert (usage.baseline, usage.lost) == (9_436_416, 0)
    assert usage.attributed + usage.from_before == usage.peak
    largest = usage.live[0]
    assert largest.name.endswith("conv2d_1_2/convolution/Conv2DBackpropFilter")
    assert (largest.kind, largest.bytes) == ("scratch", 33_554_432)
    assert (largest.shape, largest.dtype) == ((52, 841, 144), "float32")
    assert usage.peak_step == 6
    state = usage.state("bfc_cpu_allocator_for_gpu", usage.at_peak)
    assert (state.lifetime_peak_bytes.number, state.fragmentation.number) == (64_970_752, 0.4125)


def sweep(path):
    """The highest level that an event tells, and the sizes that are held then."""
    plane = xplane_pb2.XSpace.FromString(path.read_bytes()).planes[0]
    stats = {key: value.name for key, value in plane.stat_metadata.items()}
    events = []
    for line in plane.lines:
        for event in line.events:
            name = plane.event_metadata[event.metadata_id].name
            if name.startswith("Memory"):
                values = {stats[s.metadata_id]: s.int64_value for s in event.stats}
                events.append((line.timestamp_ns * 1000 + event.offset_ps, name, values))
    peak, live, best = 0, {}, {}
    for _, name, values in sorted(events, key=lambda one: one[0]):
        if name == "MemoryAllocation":
            live[values["addr"]] = values["allocation_bytes"]
        else:
            live.pop(values["addr"], None)
        level = values["bytes_allocated"] + values["bytes_reserved"]
        if level > peak:
            peak, best = level, dict(live)
    return peak, sorted(best.values())


def test_few_points_keep_the_peak_and_both_ends(capture):
    usage = devices_of(capture)[0].highest
    times, levels = corners(usage, 100)
    assert len(times) <= 100
    assert levels.max() == usage.peak
    assert (levels[0], levels[-1]) == (usage.levels[0], usage.residue)


class Capture:
    """A capture made event by event; each thread has a time base of its own."""

    def __init__(self):
        self.space = xplane_pb2.XSpace(hostnames=["vm"])
        self.plane = self.space.planes.add(name="/host:CPU")
        self.level = Counter()
        self.plane.event_metadata[1].name = "MemoryAllocation"
        self.plane.event_metadata[2].name = "MemoryDeallocation"
        self.lines = [
            self.plane.lines.add(id=n, name=f"t{n}", timestamp_ns=n * 700) for n in (0, 1)
        ]

    def stat(self, event, name, **value):
        known = {m.name: key for key, m in self.plane.stat_metadata.items()}
        key = known.setdefault(name, len(known) + 1)
        self.plane.stat_metadata[key].name = name
        event.stats.add(metadata_id=key, **value)

    def add(self, micros, size, address, op="", thread=0, allocator="GPU_0_bfc", unseen=0):
        """A change of `size` bytes, after one of `unseen` bytes that nobody recorded."""
        self.level[allocator] += size + unseen
        line = self.lines[thread]
        offset = micros * MICROSECOND - line.timestamp_ns * 1000
        event = line.events.add(metadata_id=1 if size > 0 else 2, offset_ps=offset)
        self.stat(event, "allocator_name", str_value=allocator)
        self.stat(event, "bytes_allocated", int64_value=self.level[allocator])
        self.stat(event, "allocation_bytes", int64_value=abs(size))
        self.stat(event, "addr", uint64_value=address)
        if op:
            self.stat(event, "tf_op", str_value=op)
            self.stat(event, "region_type", str_value="temp")
        return self

    def write(self, folder):
        path = folder / "vm.xplane.pb"
        path.write_bytes(self.space.SerializeToString())
        return path


HIGH = 2**63 + 16  # an address that is negative as a signed number


def test_threads_with_other_time_bases_are_brought_together(tmp_path):
    made = Capture()
    made.level["GPU_0_bfc"] = 1000
    made.add(10, 300, 1, "a", thread=0)
    made.add(11, 500, HIGH, "b", thread=1)
    made.add(12, -300, 1, thread=1)
    made.add(13, -500, HIGH, thread=0)
    (device,) = devices_of(made.write(tmp_path))
    usage = device.highest
    assert device.device == "/gpu:0"
    assert usage.levels.tolist() == [1000, 1300, 1800, 1500, 1000]
    assert [(one.name, one.bytes) for one in usage.live] == [("b", 500), ("a", 300)]
    assert (usage.from_before, usage.peak_step) == (1000, None)


def test_what_was_allocated_before_the_capture_is_counted_as_that(tmp_path):
    made = Capture()
    made.level["GPU_0_bfc"] = 1000
    made.add(1, -400, 7)  # freed, though nobody saw it allocated
    made.add(2, 900, 7, "a")  # the same address again
    made.add(3, -900, 7)
    made.add(4, -900, 7, unseen=900)  # an allocation in between was lost
    usage = devices_of(made.write(tmp_path))[0].highest
    assert usage.levels.tolist() == [1000, 600, 1500, 600, 600]
    assert (usage.peak, usage.attributed, usage.from_before, usage.lost) == (1500, 900, 600, 0)


def test_what_is_allocated_twice_was_freed_in_between(tmp_path):
    made = Capture().add(1, 100, 7, "a").add(2, 300, 7, "b", unseen=-100).add(3, 50, 8)
    usage = devices_of(made.write(tmp_path))[0].highest
    assert (usage.peak, usage.lost) == (350, 0)
    assert [(one.name, one.kind, one.bytes) for one in usage.live] == [
        ("b", "scratch", 300),
        (None, None, 50),
    ]


def test_events_that_were_lost_are_no_ones_memory(tmp_path):
    made = Capture().add(1, 100, 1, "a").add(2, 10, 2, "b", unseen=500)
    usage = devices_of(made.write(tmp_path))[0].highest
    assert (usage.peak, usage.attributed, usage.lost) == (610, 110, 500)


def test_a_capture_that_only_frees_peaks_at_its_start(tmp_path):
    made = Capture()
    made.level["GPU_0_bfc"] = 1000
    made.add(1, -400, 7).add(2, -100, 8)
    usage = devices_of(made.write(tmp_path))[0].highest
    assert (usage.peak, usage.from_before, usage.live, usage.baseline) == (1000, 1000, [], 600)


def test_devices_and_allocators_are_kept_apart(tmp_path):
    made = Capture()
    made.add(1, 100, 1, "a").add(2, 70, 1, "b", allocator="GPU_1_bfc")
    made.add(3, 5, 1, "c", allocator="gpu_host_bfc").add(4, 6, 1, "d", allocator="cpu")
    made.add(5, -5, 1, allocator="gpu_host_bfc")
    found = {one.device: one.highest for one in devices_of(made.write(tmp_path))}
    assert {device: usage.peak for device, usage in found.items()} == {
        "/cpu:0": 11, "/gpu:0": 100, "/gpu:1": 70,
    }  # fmt: skip
    host = found["/cpu:0"]
    of = {name: host.of_allocator(name) for name in host.allocators}
    assert {name: (one.events, one.peak_bytes) for name, one in of.items()} == {
        "gpu_host_bfc": (2, 5), "cpu": (1, 6),
    }  # fmt: skip
    assert {one.allocator for one in host.live} == {"gpu_host_bfc", "cpu"}


def test_frees_without_an_allocation_in_a_run_are_left_out(tmp_path):
    run = RunMetadata()
    stats = run.step_stats.dev_stats.add(device="/job:w/replica:0/task:0/device:GPU:0")
    node = stats.node_stats.add(node_name="a", all_start_micros=10, op_end_rel_micros=5)
    memory = node.memory.add(allocator_name="GPU_0_bfc")
    for micros, size in ((11, -8), (12, 8), (13, 8), (14, -8), (15, 16)):
        memory.allocation_records.add(alloc_micros=micros, alloc_bytes=size)
    path = tmp_path / "run_meta"
    path.write_bytes(run.SerializeToString())
    usage = devices_of(path)[0].highest
    assert usage.levels.tolist() == [0, -8, 0, 8, 0, 16]
    assert [one.bytes for one in usage.live] == [16, 8]
    # the sum is below zero for a while: what is held and what is counted differ by that
    assert (usage.peak, usage.lost) == (16, -8)
