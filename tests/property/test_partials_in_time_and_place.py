"""What hosts contribute: in any order and any tree the same, and that of all hosts at once."""

import pickle
from functools import reduce
from itertools import groupby

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_traces import spaces

from tfprof.analyses.placement.copy_sums import CopyRoute, CopySum
from tfprof.analyses.placement.host_placement import PlacementPartial, Spent, host_runs
from tfprof.analyses.timeline.event_filters import Filters, first_start, last_end
from tfprof.analyses.timeline.host_lanes import (
    LaneKey,
    LanesPartial,
    LaneSums,
    Longest,
    host_lanes,
)
from tfprof.model.device import DeviceNames
from tfprof.model.hosts import Host, Hosts, TraceAtHand
from tfprof.model.interned import Interned
from tfprof.model.trace import Executions, Trace
from tfprof.model.xspace import Space
from tfprof.results.partial import FirstPlace, Met

LOCAL = "/job:localhost/replica:0/task:0/device:"
DEVICES = (
    f"{LOCAL}CPU:0", f"{LOCAL}GPU:0", "/device:GPU:0/stream:all", "/device:GPU:0/stream:13",
    "/device:GPU:0/memcpy", "/host:a/device:CPU:0", "/host:a/device:GPU:0/stream:all",
    "/host:b/device:GPU:0/stream:all", "/device:TPU:1/stream:all",
)  # fmt: skip
NODES = ("a", "b", "scope/c", "d")
WHOLE = st.integers(0, 2**40)
MAYBE = st.none() | WHOLE
DEVICE, NODE = st.sampled_from(DEVICES), st.sampled_from(NODES)
PLACE = st.builds(FirstPlace, st.integers(0, 3), st.integers(0, 9))
ENDS = st.none() | DEVICE
COPIES = st.dictionaries(
    st.builds(CopyRoute, ENDS, ENDS, st.sampled_from(["H2D", "_Send"])),
    st.builds(CopySum, st.integers(1, 99), MAYBE, MAYBE),
    max_size=4,
)


@st.composite
def placements(draw):
    """A node or device that something is known of has a place."""
    spent = draw(
        st.dictionaries(
            st.tuples(DEVICE, NODE), st.builds(Spent, st.integers(0, 3), WHOLE, WHOLE), max_size=6
        )
    )
    devices = {device for device, _ in spent} | draw(st.sets(DEVICE, max_size=2))
    return PlacementPartial(
        {name: Met(draw(PLACE), draw(st.integers(0, 9))) for name in sorted(devices)},
        {name: draw(PLACE) for name in sorted({node for _, node in spent})},
        spent,
        draw(COPIES),
        draw(COPIES),
        tuple(sorted(draw(st.lists(st.integers(0, 9), max_size=3)))),
        draw(st.booleans()),
    )


@st.composite
def lane_parts(draw):
    """Lanes of four hosts: one that two parts have is the same lane in both."""
    keys = draw(st.sets(st.builds(LaneKey, st.integers(0, 3), st.just(0), st.integers(0, 2))))
    longest = st.builds(Longest, st.integers(-99, 0), st.integers(0, 9), st.integers(9, 20), NODE)
    lanes = {
        key: LaneSums(
            DEVICES[key.host],
            f"thread {key.place}",
            draw(st.integers(0, 99)),
            _boxes(draw(st.integers(0, 99))),
            tuple(sorted(draw(st.lists(longest, max_size=6)))),
        )
        for key in sorted(keys)
    }
    return LanesPartial(60_000, lanes, frozenset(DEVICES[key.host] for key in keys))


def _boxes(seed):
    return tuple(seed * at % 31 for at in range(600))


def in_a_tree(draw, parts):
    """Merged two at a time, whichever two come."""
    parts = list(draw(st.permutations(parts)))
    while len(parts) > 1:
        one = parts.pop(draw(st.integers(0, len(parts) - 1)))
        other = parts.pop(draw(st.integers(0, len(parts) - 1)))
        parts.append(one.merge(other))
    return parts[0]


def ordered(ran):
    """Also the order of what is a dict counts."""
    return ran, list(ran.devices), list(ran.places), list(ran.micros)


@given(st.lists(placements(), min_size=1, max_size=5), st.data())
def test_placement_in_any_order_and_tree(parts, data):
    whole = reduce(PlacementPartial.merge, parts)
    again = in_a_tree(data.draw, parts)
    names = DeviceNames(whole.device_names)
    assert again == whole
    assert ordered(again.finish(names)) == ordered(whole.finish(names))
    assert whole.merge(PlacementPartial()) == whole
    assert pickle.loads(pickle.dumps(whole)) == whole


@given(st.lists(lane_parts(), min_size=1, max_size=4), st.data())
def test_lanes_in_any_order_and_tree(parts, data):
    whole = reduce(LanesPartial.merge, parts)
    again = in_a_tree(data.draw, parts)
    assert again == whole
    assert again.finish() == whole.finish()
    assert pickle.loads(pickle.dumps(whole)) == whole


def test_lanes_of_other_windows_are_refused():
    with pytest.raises(ValueError, match="cannot be merged"):
        LanesPartial(1).merge(LanesPartial(2))


# --- several hosts together


@st.composite
def traces(draw):
    """A run of one host, its tables in any order."""
    rows = draw(st.lists(st.tuples(NODE, DEVICE, st.integers(0, 2), WHOLE, WHOLE), max_size=8))
    node, device, start, took, requested = zip(*rows, strict=True) if rows else ((),) * 5
    columns = {"start": start, "op_end_rel": took, "requested": requested}
    none = np.zeros(len(rows), np.int64)
    others = ["step", "op_start_rel", "end_rel", "thread", "peak", "residual", "output"]
    return Trace(
        Executions(
            Interned.of(node),
            Interned.of(device),
            **dict.fromkeys(others, none),
            **{name: np.array(values, np.int64) for name, values in columns.items()},
        ),
        tuple(range(draw(st.integers(0, 3)))),
    )


@given(st.lists(traces(), min_size=1, max_size=4))
def test_placement_of_hosts_is_that_of_their_joined_trace(hosts):
    joined = Hosts(Host("", at, one.steps, TraceAtHand(one)) for at, one in enumerate(hosts)).trace
    whole = host_runs(joined, frozenset())
    parts = [host_runs(trace, frozenset(), at) for at, trace in enumerate(hosts)]
    merged = reduce(PlacementPartial.merge, parts)
    names = DeviceNames(whole.device_names)
    assert (merged.spent, merged.steps) == (whole.spent, tuple(sorted(whole.steps)))
    assert ordered(merged.finish(names)) == ordered(whole.finish(names))


@given(spaces(hosts=3, devices=2), st.integers(0, 100), st.integers(1, 100))
def test_lanes_of_hosts_are_those_of_their_joined_capture(space, begin, length):
    first = first_start(space)
    begin = first + (last_end(space) - first) * begin // 100
    end = begin + length * 1_000_000
    filters = Filters(begin, end)
    hosts = [tuple(planes) for _, planes in groupby(space.planes, key=lambda plane: plane.host)]
    parts = [
        host_lanes(Space(planes, space.origin_ns, {}), filters, begin, end, at)
        for at, planes in enumerate(hosts)
    ]
    merged = reduce(LanesPartial.merge, parts, LanesPartial(end - begin))
    whole = host_lanes(space, filters, begin, end)
    assert merged.finish() == whole.finish()
    for lane in whole.finish():
        assert lane.busy_us == pytest.approx(sum(lane.busy) * length / 600, abs=1e-3)
        assert all(0 <= part <= 1 for part in lane.busy)
