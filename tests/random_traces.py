"""Captures made by hand or at random, read back from the bytes of an XSpace.

By hand, in microseconds; an event is (name, start, duration) or with stats (…, {"step_num": 3}):

    space = capture({
        "/host:CPU": {"python": [("train", 0, 100, {"step_num": 0, "_r": 1})]},
        "/device:GPU:0": {"Stream #1(Compute)": [("gemm", 20, 30, {"correlation_id": 7})]},
    })

Several hosts: `capture_of_hosts({"a": {...}, "b": {...}})`.

At random, for hypothesis; each draw is a Space with 0 to 3 GPUs a host and up to two hosts:

    @given(spaces())            # or spaces(hosts=1, devices=0), spaces(steps=(3, 6))
    def test_something(space): ...

Every host has a thread `python` with steps marked on it, unless `steps` allows none. Times are
small, so that events often begin and end together, touch, nest and overlap.
"""

import tempfile
from pathlib import Path

from hypothesis import strategies as st

from tfprof.model.xspace import Space
from tfprof.sources.xplane.xplane import read
from tfprof.wire.schema import message_class

PS_A_MICROSECOND = 1_000_000

_RUNTIME = [
    "EagerExecute", "EagerKernelExecute", "KernelAndDeviceFunc::Run", "FunctionRun",
    "TFE_Py_ExecuteCancelable", "EagerLocalExecute: __inference_train_8", "$train.py:7 step",
    "IteratorGetNextOp::DoCompute", "Iterator::Root", "XlaCompile", "my own note",
    "cuLaunchKernel", "cuMemcpyHtoDAsync", "cuStreamSynchronize",
]  # fmt: skip
_OPS = [
    "ExecutorState::Process", "model/dense/MatMul:MatMul", "model/conv/Conv2D:Conv2D",
    "save/SaveV2:SaveV2", "ThreadpoolListener::Record", "cuLaunchKernel",
    "IteratorGetNextOp::DoCompute",
]  # fmt: skip
_PIPELINE = [
    "IteratorGetNextOp::DoCompute", "Iterator::Root", "Iterator::Root::Map", "PrefetchProduce",
    "resize/ResizeBilinear:ResizeBilinear", "ExecutorState::Process", "FunctionRun",
]  # fmt: skip
_KERNELS = [
    "volta_sgemm_128x64_nn", "volta_fp16_s884gemm_fp16", "ncclDevKernel_AllReduce", "Memset",
]  # fmt: skip
_COPIES = ["MemcpyH2D", "MemcpyD2H", "MemcpyD2D", "MemcpyP2P"]
_HOST_LINES = {
    "tf_Compute/1": _OPS, "tf_Compute/2": _OPS, "tf_data_iterator_get_next/3": _PIPELINE,
    "tf_data_private_threadpool/4": _PIPELINE,
}  # fmt: skip
_DEVICE_LINES = {
    "Stream #1(Compute)": _KERNELS, "Stream #2(Compute,MemcpyD2D)": _KERNELS + _COPIES,
    "Stream #3(MemcpyH2D)": _COPIES, "Framework Ops - from #1": _KERNELS, "Steps": ["1", "2"],
}  # fmt: skip
_LONGEST = 120
_EVENTS = st.lists(st.integers(0, 1_000_000), max_size=8)
_SOME_THREADS = st.lists(st.sampled_from(sorted(_HOST_LINES)), unique=True)
_SOME_STREAMS = st.lists(st.sampled_from(sorted(_DEVICE_LINES)), unique=True)


def capture(planes, host="vm", bases=None, origin_ns=1_000_000_000):
    """A Space; `bases` are the nanoseconds that lines count from beside the origin, by plane."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{host}.xplane.pb"
        path.write_bytes(capture_bytes(planes, host, bases, origin_ns))
        return read(path, 0, None).trace.space


def capture_bytes(planes, host="vm", bases=None, origin_ns=1_000_000_000):
    """The same as a file has it; a host of None does not say its name."""
    message = message_class("XSpace")(hostnames=[host] if host is not None else [])
    for name, lines in planes.items():
        _add_plane(message, name, lines, origin_ns, (bases or {}).get(name, {}))
    return message.SerializeToString()


def capture_of_hosts(hosts):
    return Space.joined([capture(planes, host) for host, planes in hosts.items()])


def _add_plane(message, name, lines, origin_ns, bases):
    plane = message.planes.add(name=name)
    names, stats = {}, {}
    for number, (line_name, events) in enumerate(lines.items(), 1):
        base = bases.get(line_name, 0)
        line = plane.lines.add(id=number, name=line_name, timestamp_ns=origin_ns + base)
        for event_name, start, duration, *more in sorted(events, key=lambda e: (e[1], -e[2])):
            event = line.events.add(metadata_id=names.setdefault(event_name, len(names) + 1))
            event.offset_ps = round(start * PS_A_MICROSECOND) - base * 1000
            event.duration_ps = round(duration * PS_A_MICROSECOND)
            for stat_name, value in (more[0] if more else {}).items():
                stat = event.stats.add(metadata_id=stats.setdefault(stat_name, len(stats) + 1))
                setattr(stat, "str_value" if isinstance(value, str) else "int64_value", value)
    for known, where in ((names, plane.event_metadata), (stats, plane.stat_metadata)):
        for text, number in known.items():
            where[number].id, where[number].name = number, text


@st.composite
def spaces(draw, hosts=2, devices=3, steps=(0, 5)):
    """At most so many hosts, GPUs each, and from - to markers of steps."""
    parts = []
    for host in range(draw(st.integers(1, hosts))):
        planes, bases = {"/host:CPU": _threads(draw, steps)}, {}
        for device in range(draw(st.integers(0, devices))):
            planes[f"/device:GPU:{device}"] = _streams(draw, device)
        for name, lines in planes.items():
            bases[name] = {line: _base(draw, events) for line, events in lines.items()}
        origin = 1_000_000_000 + 1000 * draw(st.integers(0, 50))
        parts.append(capture(planes, f"host{host}", bases, origin))
    return Space.joined(parts)


def _base(draw, events):
    """Nanoseconds; a line does not count from later than its first event."""
    earliest = min((event[1] for event in events), default=0)
    return draw(st.integers(0, 1000 * earliest)) if earliest else 0


def _threads(draw, steps):
    lines = {"python": _markers(draw, steps) + _events(draw, _RUNTIME)}
    for line in draw(_SOME_THREADS):
        lines[line] = _events(draw, _HOST_LINES[line])
    return lines


def _streams(draw, device):
    return {line: _events(draw, _DEVICE_LINES[line], device) for line in draw(_SOME_STREAMS)}


def _markers(draw, steps):
    """One after the other; touching ones and pauses both happen."""
    events, at = [], draw(st.integers(0, 20))
    stats = {"_r": 1} if draw(st.booleans()) else {}
    for number in range(draw(st.integers(*steps))):
        duration = draw(st.integers(1, 40))
        events.append(("train", at, duration, {"step_num": number, **stats}))
        at += duration + draw(st.integers(0, 15))
    return events


def _events(draw, names, device=0):
    return [_event(names, device, number) for number in draw(_EVENTS)]


def _event(names, device, number):
    """Everything about an event from one number: a draw each would take most of the time."""
    number, name = divmod(number, len(names))
    number, start = divmod(number, _LONGEST)
    number, duration = divmod(number, 40)
    return names[name], start, duration, _stats(names[name], device, number % 10)


def _stats(name, device, number):
    """Calls of the driver and what they launched carry the same number."""
    if name.startswith("cu"):
        return {"correlation_id": number, "device_id": device}
    if name in _KERNELS or name in _COPIES:
        return {"correlation_id": number}
    return {}
