"""Slices that are read many at a time are those that are read one by one."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tfprof.sources.chrome import trace

TIMELINES = sorted((Path(__file__).parents[1] / "timelines").glob("*.gz"))

_times = st.one_of(
    st.integers(-(10**6), 10**15),
    st.floats(-1e6, 1e12, allow_nan=False).map(lambda time: round(time, 3)),
)
_plain = st.fixed_dictionaries(
    {
        "ph": st.just("X"),
        "ts": _times,
        "dur": _times,
        "name": st.sampled_from(["a", "b/c:Op", "Op", "é"]),
        "pid": st.sampled_from([1, 2, "gpu"]),
        "tid": st.sampled_from([0, 7, "stream"]),
    },
    optional={
        "args": st.dictionaries(
            st.sampled_from(["op", "name", "node", "long_name", "bytes"]),
            st.one_of(st.integers(), st.sampled_from(["Op", "b/c", "12", ""]), st.booleans()),
            max_size=3,
        )
    },
)
_odd = st.one_of(
    st.fixed_dictionaries({"ph": st.sampled_from("iBEbCsM"), "ts": _times, "name": st.just("x")}),
    st.fixed_dictionaries({"ph": st.just("X"), "ts": st.sampled_from([None, True, "1", 1e300])}),
    st.fixed_dictionaries({"ph": st.just("X"), "ts": _times, "pid": st.just([1])}),
    st.fixed_dictionaries({"ph": st.just("X"), "ts": _times, "name": st.just(5)}),
    st.fixed_dictionaries({"ph": st.just("X"), "ts": _times, "name": st.just("y"),
                           "dur": st.sampled_from([10**40, 1e299, "2"])}),
)  # fmt: skip


def _read(path, many):
    """All that a trace has, with columns from so many slices on."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(trace, "_MANY", many)
        piece = trace.read(path, 0, None)
    planes = []
    for plane in piece.trace.space.planes:
        rows = np.arange(len(plane.events.start_ps))
        names = [plane.name_of(row) for row in rows.tolist()]
        stats = {}
        for name in plane.stat_names.name[:-1]:
            column = plane.stat(name)
            stats[name] = (column.rows.tolist(), column.ints().tolist(), column.raw())
        planes.append((
            plane.name, plane.lines.name, names, plane.events.start_ps.tolist(),
            plane.events.duration_ps.tolist(), plane.line_of(rows).tolist(), stats,
        ))  # fmt: skip
    return planes, piece.warnings, piece.trace.space.origin_ns


@pytest.mark.parametrize("path", TIMELINES, ids=lambda path: path.name)
def test_of_real_traces(path):
    assert _read(path, 1) == _read(path, 1 << 40)


@settings(max_examples=150, deadline=None)
@given(st.lists(_plain, min_size=1, max_size=40), st.lists(_odd, max_size=2), st.randoms())
def test_of_any_events(tmp_path_factory, plain, odd, chance):
    events = [*plain, *odd]
    chance.shuffle(events)
    path = tmp_path_factory.mktemp("trace") / "made.trace.json.gz"
    # enough text that values are not taken one by one
    padding = {"ph": "X", "ts": 5, "dur": 1, "name": "pad" * 2000, "pid": 1, "tid": 0}
    path.write_bytes(gzip.compress(json.dumps([padding, *events, padding]).encode(), 1))
    assert _read(path, 1) == _read(path, 1 << 40)
