"""Timelines: flames of made-up trees, and executions whose lanes never overlap."""

import json
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tfprof.analyses.accounting.graph_timeline import graph_timeline
from tfprof.analyses.accounting.nodes import build_nodes
from tfprof.model.hosts import Hosts
from tfprof.model.interned import Interned
from tfprof.model.profile import ProfileData
from tfprof.model.trace import Executions, Trace
from tfprof.renderers.trace import original_timeline
from tfprof.results.tree_exports import Flow, GraphTimeline, MemorySample, MemoryUse, Point, Slice
from tfprof.results.trees import ROOT_NAME, CostRow, Costs
from tfprof.views.trees import CostTreeView


def row(name, parent, indent, micros):
    total = Costs(micros=micros)
    return CostRow(name, parent, indent, accounted=True, own=total, total=total)


def flames(*rows):
    text = original_timeline.scope_timeline(CostTreeView(rows, frozenset()))
    return json.loads(text)["traceEvents"]


def boxes(events):
    return [(e["name"], e["pid"], e["ts"], e["dur"]) for e in events if e["ph"] == "X"]


def test_children_lie_end_to_end_below_their_parent():
    events = flames(
        row(ROOT_NAME, -1, 0, 30),
        row("a", 0, 1, 10),
        row("a/x", 1, 2, 4),
        row("a/y", 1, 2, 6),
        row("b", 0, 1, 20),
        row("b/x", 4, 2, 20),
    )
    assert boxes(events) == [
        (ROOT_NAME, 0, 0, 30),
        ("a", 1, 0, 10),
        ("a/x", 2, 0, 4),
        ("a/y", 2, 4, 6),
        ("b", 1, 10, 20),
        ("b/x", 2, 10, 20),
    ]
    processes = [(e["pid"], e["args"]["name"]) for e in events if e["ph"] == "M"]
    assert processes == [(0, "Scope:0"), (1, "Scope:1"), (2, "Scope:2")]


def test_what_took_no_time_is_left_out_with_all_below_it():
    events = flames(
        row(ROOT_NAME, -1, 0, 5), row("a", 0, 1, 0), row("a/x", 1, 2, 5), row("b", 0, 1, 5)
    )
    assert boxes(events) == [(ROOT_NAME, 0, 0, 5), ("b", 1, 0, 5)]


def test_the_root_stands_even_if_nothing_ran():
    assert boxes(flames(row(ROOT_NAME, -1, 0, 0))) == [(ROOT_NAME, 0, 0, 0)]


def test_the_text_is_one_line_of_ascii():
    view = CostTreeView([row('é"', -1, 0, 1)], frozenset())
    assert original_timeline.scope_timeline(view) == (
        '{"traceEvents":[{"args":{"name":"Scope:0"},"name":"process_name","ph":"M","pid":0},'
        '{"args":{"name":"\\u00e9\\"","op":"\\u00e9\\""},"cat":"Op","dur":1,'
        '"name":"\\u00e9\\"","ph":"X","pid":0,"tid":0,"ts":0}]}\n'
    )


def test_executions_come_first_then_flows_and_counters():
    timeline = GraphTimeline(
        ["/cpu:0", "/gpu:0", "/gpu:0/stream:all"],
        [Slice("a", 0, 0, 10, 5), Slice("b", 1, 2, 20, 5)],
        [Flow("a", Point(0, 0, 15), Point(1, 2, 20))],
        [MemoryUse("/gpu:0", 9, [MemorySample(25, 9_000_000, [("b", 1_500_000)], 7_500_000)])],
    )
    events = json.loads(original_timeline.graph_timeline(timeline))["traceEvents"]
    assert [event["ph"] for event in events] == list("MMMXXMMstCC")
    assert [event["args"]["name"] for event in events if event["ph"] == "M"] == [
        "Op scheduling threads: /cpu:0",
        "Op scheduling threads: /gpu:0",
        "Op execution threads: /gpu:0/stream:all",
        "mem usage on:/gpu:0",
        "mem usage on:/gpu:0 allocations",
    ]
    assert [event["id"] for event in events if event["ph"] in "st"] == [1, 1]
    used, held = events[-2:]
    assert (used["pid"], used["args"]) == (3, {"Allocator Bytes in Use": 9_000_000})
    assert held["pid"] == 4
    assert held["args"]["Top Allocation 00"] == "1.5 MB from b"
    assert held["args"]["Top Allocation 09"] == "N/A"
    assert held["args"]["Not Displayed"] == "7.50 MB"


DEVICES = ["/cpu:0", "/gpu:0", "/gpu:0/stream:all"]
RUNS = st.lists(
    st.tuples(
        st.sampled_from("abc"),
        st.sampled_from(DEVICES),
        st.integers(0, 60),
        st.integers(0, 30),
    ),
    max_size=40,
)


def profile_of(runs):
    count = len(runs)
    zeros = np.zeros(count, np.int64)
    executions = Executions(
        node=Interned.of([name for name, *_ in runs]),
        device=Interned.of([device for _, device, *_ in runs]),
        step=zeros,
        start=np.array([start for _, _, start, _ in runs], np.int64),
        op_start_rel=zeros,
        op_end_rel=np.array([duration for *_, duration in runs], np.int64),
        end_rel=zeros,
        thread=zeros,
        requested=zeros,
        peak=zeros,
        residual=zeros,
        output=zeros,
    )
    return ProfileData("test", hosts=Hosts.of(Trace(executions, (0,))))


@given(RUNS)
def test_executions_of_a_lane_never_overlap(runs):
    data = profile_of(runs)
    found = graph_timeline(data, build_nodes(data, 0, compat=True), "abc", 0)
    lanes = {}
    for one in found.slices:
        lanes.setdefault((one.process, one.lane), []).append(one)
    for lane in lanes.values():
        for before, after in pairwise(lane):
            assert before.start + before.duration <= after.start
    for (process, number), lane in lanes.items():
        if number:  # every lane before was taken when this one was begun
            first = lane[0].start
            below = [
                one for one in found.slices if (one.process, one.lane) == (process, number - 1)
            ]
            assert any(one.start < first < one.start + one.duration for one in below)


@given(RUNS)
def test_every_start_on_a_device_is_drawn_once(runs):
    data = profile_of(runs)
    nodes = build_nodes(data, 0, compat=True)
    found = graph_timeline(data, nodes, "abc", 0)
    drawn = [(found.processes[one.process], one.start) for one in found.slices]
    own = dict(zip(nodes.names, nodes.devices, strict=True))
    ran = {
        (device, start)
        for name, device, start, _ in runs
        if start and own[name] and ("stream" in device or own[name] == device)
    }
    assert len(drawn) == len(set(drawn))
    assert set(drawn) == ran


def test_without_a_trace_there_is_nothing_to_draw():
    data = ProfileData("test")
    found = graph_timeline(data, build_nodes(data, 0, compat=True), [], 0)
    assert found == GraphTimeline([], [], [], [])
    assert original_timeline.graph_timeline(found) == '{"traceEvents":[]}\n'
