"""Which steps are found in captures that are kept, and which rule wins where several hold."""

import numpy as np
import pytest

import tfprof
from tfprof.analyses.events.run_space import run_space
from tfprof.analyses.steps.detect import find_steps
from tfprof.wire.schema import message_class

MS = 1_000_000_000


@pytest.fixture
def space_of(samples):
    return lambda name: _space(samples / "xplane" / f"{name}.xplane.pb")


def _space(path):
    return tfprof.load(path).trace.space


@pytest.fixture
def changed(samples, tmp_path):
    """`changed(name, change)` is a sample after `change` had its message."""

    def make(name, change):
        message = message_class("XSpace").FromString(
            (samples / "xplane" / f"{name}.xplane.pb").read_bytes()
        )
        change(message)
        path = tmp_path / f"{name}.xplane.pb"
        path.write_bytes(message.SerializeToString())
        return _space(path)

    return make


@pytest.mark.parametrize(
    ("name", "numbers", "marker"),
    [
        ("slow-cb", range(2, 10), "Profiled batch"),
        ("fast-cb", range(2, 10), "Profiled batch"),
        ("slow-trace", range(8), "train"),
        ("fast-trace", range(8), "train"),
        ("fast-trace-bfc", range(8), "train"),
        ("fast-xla", range(8), "train"),
        ("synthetic-gpu", range(10), "train"),
        ("tiny-htl1", range(3), "train"),
        ("tiny-pytracer", range(3), "train"),
    ],
)
def test_the_markers_of_the_samples(space_of, name, numbers, marker):
    steps = find_steps(space_of(name))
    assert steps.rule == "step_num"
    assert [window.number for window in steps.windows] == list(numbers)
    assert steps.about == (f"{len(numbers)} events `{marker}` with a step_num on thread python")
    assert not steps.dropped


@pytest.mark.parametrize(
    ("name", "median_ms"), [("slow-cb", 244.8), ("fast-cb", 107.1), ("synthetic-gpu", 100.0)]
)
def test_periods_go_from_marker_to_marker(space_of, name, median_ms):
    windows = find_steps(space_of(name)).windows
    # the last one is not known to be whole: nothing follows it
    assert windows[-1].until == windows[-1].end
    periods = [window.period for window in windows[:-1]]
    assert np.median(periods) / MS == pytest.approx(median_ms, abs=0.05)


def test_the_thread_of_the_markers_is_given(space_of):
    space = space_of("slow-cb")
    steps = find_steps(space)
    assert space.planes[steps.plane].line_name(steps.line) == "python"


def test_traced_runs_of_sessions_are_steps_that_end_with_themselves(unet_profile):
    trace = tfprof.load(unet_profile).trace
    steps = find_steps(run_space(trace, {}).space)
    assert steps.rule == "run"
    assert steps.about == "2 traced runs"
    assert [window.number for window in steps.windows] == [3, 8]
    assert all(window.until == window.end for window in steps.windows)


def _with_steps_line(message, device):
    """What the device says: five steps of 80 ms from 50 ms on."""
    plane = next(plane for plane in message.planes if plane.name.startswith("/device:"))
    plane.name = device
    line = plane.lines.add(id=1 << 40, name="Steps", timestamp_ns=plane.lines[0].timestamp_ns)
    for number in range(5):
        plane.event_metadata[9000 + number].id = 9000 + number
        plane.event_metadata[9000 + number].name = str(20 + number)
        line.events.add(
            metadata_id=9000 + number, offset_ps=(50 + 80 * number) * MS, duration_ps=70 * MS
        )


def _without_markers(message):
    for plane in message.planes:
        for entry in plane.stat_metadata.values():
            if entry.name in ("step_num", "_r"):
                entry.name += " is gone"
        for entry in plane.event_metadata.values():
            if entry.name in ("train", "FunctionRun"):
                entry.name = "x"


def test_what_a_tpu_calls_its_steps_comes_before_markers_of_its_host(changed):
    space = changed("synthetic-gpu", lambda message: _with_steps_line(message, "/device:TPU:0"))
    steps = find_steps(space)
    assert steps.rule == "device"
    assert steps.about == "5 steps of the line Steps of /device:TPU:0"
    assert [window.number for window in steps.windows] == [20, 21, 22, 23, 24]
    assert [window.period // MS for window in steps.windows] == [80, 80, 80, 80, 70]
    assert steps.line is None


def test_markers_come_before_what_xprof_derived_for_a_gpu(changed):
    space = changed("synthetic-gpu", lambda message: _with_steps_line(message, "/device:GPU:0"))
    assert find_steps(space).rule == "step_num"


def test_without_markers_what_xprof_derived_is_better_than_nothing(changed):
    def change(message):
        _with_steps_line(message, "/device:GPU:0")
        _without_markers(message)

    steps = find_steps(changed("synthetic-gpu", change))
    assert steps.rule == "device"
    assert len(steps.windows) == 5


def test_requests_for_input_are_the_last_resort(changed):
    steps = find_steps(changed("synthetic-gpu", _without_markers))
    assert steps.rule == "input"
    assert [window.period // MS for window in steps.windows] == [100] * 9


def _other_numbers_without_root(message):
    """A marker of another name with a number in each step, but without `_r`."""
    plane = next(plane for plane in message.planes if plane.name == "/host:CPU")
    number = next(stat.id for stat in plane.stat_metadata.values() if stat.name == "step_num")
    plane.event_metadata[9000].id = 9000
    plane.event_metadata[9000].name = "inner"
    line = next(line for line in plane.lines if line.name == "python")
    for step in range(30):
        event = line.events.add(metadata_id=9000, offset_ps=step * 33 * MS, duration_ps=MS)
        event.stats.add(metadata_id=number, int64_value=step)


def test_markers_that_say_they_are_roots_come_first(changed):
    steps = find_steps(changed("synthetic-gpu", _other_numbers_without_root))
    assert len(steps.windows) == 10
    assert steps.dropped[0].what == "30 events `inner` with a step_num"
    assert "_r" in steps.dropped[0].why


def test_of_several_hosts_one_is_picked(samples, tmp_path):
    plain = (samples / "xplane" / "synthetic-gpu.xplane.pb").read_bytes()
    message = message_class("XSpace").FromString(plain)
    _without_markers(message)
    for name, content in (("a", message.SerializeToString()), ("b", plain)):
        (tmp_path / f"{name}.xplane.pb").write_bytes(_renamed(content, name))
    space = _space(tmp_path)
    best = find_steps(space)
    assert best.rule == "step_num"
    assert space.planes[best.plane].host == "b"
    assert find_steps(space, "a").rule == "input"
    assert find_steps(space, "b") == best


def _renamed(content, host):
    message = message_class("XSpace").FromString(content)
    del message.hostnames[:]
    message.hostnames.append(host)
    return message.SerializeToString()
