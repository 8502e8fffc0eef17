"""Which executions of a capture may decide when a step ends."""

from random_traces import capture

from tfprof.analyses.timeline.path_events import path_events


def test_lines_that_another_tool_derived_ran_nothing():
    lines = {
        "Stream #1": [("gemm", 10, 30)],
        "XLA Modules": [("module", 0, 100)],
        "XLA Ops - from #1": [("fusion", 10, 30)],
        "CUPTI overhead": [("flush", 50, 10)],
    }
    found = path_events(capture({"/device:GPU:0": lines}), 0, 200_000_000)
    assert [found.node[row] for row in range(len(found))] == ["gemm"]
