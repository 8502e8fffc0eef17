"""A strict checker of Chrome traces, written from the format's own document.

https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
"""

import gzip
import json
from collections import Counter, defaultdict
from decimal import Decimal

NEEDED = {
    "X": {"name", "cat", "pid", "tid", "ts", "dur"},
    "s": {"name", "cat", "pid", "tid", "ts", "id"},
    "f": {"name", "cat", "pid", "tid", "ts", "id", "bp"},
    "C": {"name", "pid", "ts", "args"},
    "M": {"name", "pid", "args"},
}
NAMES = {"process_name": "name", "thread_name": "name"}
ORDERS = {"process_sort_index", "thread_sort_index"}


def load(path):
    """The trace with exact times; what JSON does not allow is not allowed here."""
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)

    def refuse(text):
        raise ValueError(f"{text} is no JSON number")

    return json.loads(data.decode("utf-8"), parse_float=Decimal, parse_constant=refuse)


def check(path):
    """Events by phase; fails where the trace breaks a rule."""
    trace = load(path)
    assert isinstance(trace["otherData"], dict)
    events = defaultdict(list)
    for event in trace["traceEvents"]:
        phase = event["ph"]
        assert phase in NEEDED, event
        assert NEEDED[phase] <= event.keys(), event
        assert isinstance(event["name"], str), event
        assert event["name"], event
        for key in ("ts", "dur"):
            number = event.get(key, 0)
            assert isinstance(number, int | Decimal), event
            assert not isinstance(number, bool), event
            assert number >= 0, event
        for key in ("pid", "tid", "id"):
            assert isinstance(event.get(key, 0), int), event
        events[phase].append(event)
    _check_names(events)
    _check_nesting(events["X"])
    _check_flows(events)
    _check_counters(events["C"])
    return events


def _check_names(events):
    """Every process and thread that is used has one name and one place."""
    told = Counter()
    for event in events["M"]:
        key = NAMES.get(event["name"], "sort_index")
        assert event["name"] in {*NAMES, *ORDERS}, event
        assert isinstance(event["args"][key], str if event["name"] in NAMES else int), event
        is_thread = event["name"].startswith("thread")
        told[event["name"], event["pid"], event["tid"] if is_thread else None] += 1
    assert set(told.values()) <= {1}
    for event in [*events["X"], *events["C"]]:
        for name in ("process_name", "process_sort_index"):
            assert told[name, event["pid"], None] == 1, event
    for pid, tid in {(event["pid"], event["tid"]) for event in events["X"]}:
        for name in ("thread_name", "thread_sort_index"):
            assert told[name, pid, tid] == 1


def _check_nesting(slices):
    """Slices of a thread come by time, and each lies inside or beside every other."""
    open_ = defaultdict(list)
    last = {}
    for event in slices:
        place = event["pid"], event["tid"]
        begin, end = event["ts"], event["ts"] + event["dur"]
        assert begin >= last.get(place, 0), event
        last[place] = begin
        ends = open_[place]
        while ends and ends[-1] <= begin:
            ends.pop()
        assert not ends or end <= ends[-1], (event, ends)
        ends.append(end)


def _check_flows(events):
    """An arrow has two ends of one name, each at a slice, and never points back in time."""
    starts = {event["id"]: event for event in events["s"]}
    ends = {event["id"]: event for event in events["f"]}
    assert len(starts) == len(events["s"])
    assert len(ends) == len(events["f"])
    assert starts.keys() == ends.keys()
    at = {(event["pid"], event["tid"], event["ts"]) for event in events["X"]}
    for number, start in starts.items():
        end = ends[number]
        assert (start["name"], start["cat"]) == (end["name"], end["cat"])
        assert end["bp"] == "e"
        assert start["ts"] <= end["ts"]
        for event in (start, end):
            assert (event["pid"], event["tid"], event["ts"]) in at, event


def _check_counters(counters):
    last = {}
    for event in counters:
        assert event["args"]
        assert all(isinstance(value, int | Decimal) for value in event["args"].values()), event
        place = event["pid"], event["name"]
        assert event["ts"] >= last.get(place, 0), event
        last[place] = event["ts"]
