"""As many events as a tracer or a writer takes: what is missing is said."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tfprof.model.xspace import Events
from tfprof.sources.xplane.limits import MOST_GPU_EVENTS, said_of_tracer, said_of_viewed
from tfprof.sources.xplane.xplane import read


@pytest.fixture(scope="module")
def space(samples):
    return read(samples / "xplane" / "synthetic-gpu.xplane.pb", 0, None).trace.space


def _with(space, name, count):
    """One plane alone, with so many events."""
    plane = next(one for one in space.planes if one.name.startswith(name))
    none = np.zeros(count, np.int64)
    events = Events(none.astype(np.int32), none, none, none)
    return replace(space, planes=(replace(plane, events=events),))


def test_a_full_buffer_of_gpu_events_is_said(space):
    path = Path("x.xplane.pb")
    assert said_of_tracer(space, path) == []
    assert said_of_tracer(_with(space, "/device:GPU", MOST_GPU_EVENTS - 1), path) == []
    (said,) = said_of_tracer(_with(space, "/device:GPU", MOST_GPU_EVENTS), path)
    assert "2,097,152" in said
    assert "probably missing" in said
    # threads have no such limit
    assert said_of_tracer(_with(space, "/host:CPU", MOST_GPU_EVENTS), path) == []


def test_a_full_file_for_viewers_is_said(space):
    path = Path("x.trace.json.gz")
    assert said_of_viewed(space, path) == []
    assert said_of_viewed(_with(space, "/host:CPU", 1_000_001), path) == []
    (said,) = said_of_viewed(_with(space, "/host:CPU", 1_000_000), path)
    assert "the end of the capture is probably missing" in said
