"""A TPU's ops count on a clock of their own; what the file writes on the host's is not believed."""

import numpy as np
from random_traces import capture

US = 1_000_000


def _op(name, start, duration, true_start, true_duration):
    own = {"device_offset_ps": true_start * US, "device_duration_ps": true_duration * US}
    return (name, start, duration, own)


def _times(space, line):
    (plane,) = space.devices
    rows = plane.rows_of_line(plane.lines.name.index(line))
    names = [plane.name_of(row) for row in range(rows.start, rows.stop)]
    starts = (plane.events.start_ps[rows] // US).tolist()
    return list(zip(names, starts, (plane.events.duration_ps[rows] // US).tolist(), strict=True))


def test_ops_are_where_the_device_says():
    ops = [_op("a", 0, 10, 0, 10), _op("b", 40, 100, 10, 20), _op("c", 60, 0, 30, 5)]
    space = capture({"/device:TPU:0": {"XLA Ops": ops}})
    assert _times(space, "XLA Ops") == [("a", 0, 10), ("b", 10, 20), ("c", 30, 5)]


def test_the_order_of_a_line_is_that_of_the_device():
    ops = [_op("a", 0, 10, 0, 10), _op("c", 20, 5, 30, 5), _op("b", 21, 5, 10, 20)]
    space = capture({"/device:TPU:0": {"XLA Ops": ops}})
    assert [name for name, *_ in _times(space, "XLA Ops")] == ["a", "b", "c"]
    (plane,) = space.devices
    assert np.array_equal(plane.stat("device_offset_ps").ints() // US, [0, 10, 30])


def test_other_lines_move_with_the_ops_around_them():
    ops = [_op("a", 0, 10, 0, 10), _op("b", 110, 20, 10, 20)]
    modules = [("jit_f(1)", 0, 10), ("jit_f(1)", 110, 20)]
    space = capture({"/device:TPU:0": {"XLA Ops": ops, "XLA Modules": modules}})
    assert _times(space, "XLA Modules") == [("jit_f(1)", 0, 10), ("jit_f(1)", 10, 20)]


def test_times_that_nobody_can_mean_are_passed_over():
    ops = [("a", 5, 10, {"device_offset_ps": 2**62, "device_duration_ps": 10}), ("b", 20, 5)]
    space = capture({"/device:TPU:0": {"XLA Ops": ops}})
    assert _times(space, "XLA Ops") == [("a", 5, 10), ("b", 20, 5)]


def test_a_gpu_has_no_such_clock():
    ops = [_op("a", 0, 10, 50, 10), ("b", 20, 5)]
    space = capture({"/device:GPU:0": {"XLA Ops": ops}})
    assert _times(space, "XLA Ops")[0] == ("a", 0, 10)
