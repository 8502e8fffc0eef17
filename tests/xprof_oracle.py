"""Op statistics as XProf computes them, beside ours.

XProf runs in a process of its own: it writes caches beside its input, and its libraries are not
made to be loaded beside TensorFlow's.
"""

import json
import subprocess
import sys

import pytest
from referees import needs

from tfprof.analyses.runtime.op_events import op_events
from tfprof.analyses.runtime.op_times import groups, op_times
from tfprof.sources.xplane.xplane import read

# what XProf shows is rounded to nanoseconds
NEAR_US = 2e-3
_ASK = """
import sys
from xprof.convert import raw_to_tool_data
data, _ = raw_to_tool_data.xspace_to_tool_data([sys.argv[1]], sys.argv[2], {})
sys.stdout.write(data if isinstance(data, str) else data.decode())
"""


def by_xprof(capture, tool):
    """The rows of one of XProf's tables, by the names of its columns."""
    needs("xprof")
    command = [sys.executable, "-c", _ASK, str(capture), tool]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    table = json.loads(said)
    table = table[0] if isinstance(table, list) else table
    keys = [column["id"] for column in table["cols"]]
    return [dict(zip(keys, (cell["v"] for cell in row["c"]), strict=True)) for row in table["rows"]]


def steps_by_xprof(capture):
    """What XProf calls its steps; the first and the last of a capture are none to it."""
    needs("xprof")
    command = [sys.executable, "-c", _ASK, str(capture), "overview_page"]
    page = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    graph = next(t for t in page if any(c["id"] == "stepnum" for c in t.get("cols", ())))
    at = next(i for i, column in enumerate(graph["cols"]) if column["id"] == "stepnum")
    return [row["c"][at]["v"] for row in graph["rows"]]


def ops_by_xprof(capture):
    """Its rows of ops; what is between ops is none."""
    return [row for row in by_xprof(capture, "framework_op_stats") if row["type"] != "IDLE"]


def ops_of(runs):
    """Runs, whole and own microseconds by name and type."""
    found = op_times(runs, groups(runs, "node"))
    return {
        (row.name, row.op): (row.own.runs, row.own.total_ps / 1e6, row.own.self_ps / 1e6)
        for row in found
    }


def both_op_times(capture):
    """Ours, and what XProf says, to compare as they are."""
    ours = ops_of(op_events(read(capture, 0, None).trace))
    theirs = {
        (row["operation"], row["type"]): (
            row["occurrences"],
            pytest.approx(row["total_time"], abs=NEAR_US),
            pytest.approx(row["total_self_time"], abs=NEAR_US),
        )
        for row in ops_by_xprof(capture)
    }
    return ours, theirs
