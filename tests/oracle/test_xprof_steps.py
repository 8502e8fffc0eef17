"""Step times against XProf: its overview page, made anew from a copy of each capture."""

import json
import shutil
import subprocess
import sys

import pytest
from referees import needs

from tfprof.analyses.step_time.breakdown import breakdowns
from tfprof.results.categories import Category
from tfprof.sources.xplane.xplane import read

_PS_A_MS = 1e9
_NEAR_MS = 1e-6
_ASK = """
import sys
from xprof.convert import raw_to_tool_data
data, _ = raw_to_tool_data.xspace_to_tool_data([sys.argv[1]], "overview_page", {})
sys.stdout.write(data if isinstance(data, str) else data.decode())
"""


@pytest.fixture
def by_both(samples, tmp_path):
    """Ours, and XProf's rows of its step-time graph and what it says about input."""
    needs("xprof")

    def ask(name):
        path = shutil.copy(samples / f"xplane/{name}.xplane.pb", tmp_path / "vm.xplane.pb")
        command = [sys.executable, "-c", _ASK, str(path)]
        page = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        graph = next(t for t in page if any(c["id"] == "stepnum" for c in t.get("cols", ())))
        keys = [column["id"] for column in graph["cols"]]
        rows = [dict(zip(keys, (c["v"] for c in row["c"]), strict=True)) for row in graph["rows"]]
        (ours,) = breakdowns(read(path, 0, None).trace.space)
        return ours, rows, graph["p"]

    return ask


@pytest.mark.parametrize("name", ["slow-trace", "fast-trace"])
def test_waiting_for_input_is_that_of_xprof_in_every_step(by_both, name):
    ours, rows, _ = by_both(name)
    middle = range(len(ours.time))[ours.averaged]
    assert len(rows) == len(middle) == 6
    for step, row in zip(middle, rows, strict=True):
        window = ours.steps.windows[step]
        assert row["stepnum"] == f"train {window.number}"
        assert window.duration / _PS_A_MS == pytest.approx(row["stepTimeMs"], abs=_NEAR_MS)
        waited = ours.of(Category.INPUT)[step] / _PS_A_MS
        assert waited == pytest.approx(row["infeedTimeMs"], abs=_NEAR_MS)


@pytest.mark.parametrize("name", ["slow-cb", "fast-cb"])
def test_steps_of_keras_are_found_where_xprof_sees_none(by_both, name):
    ours, rows, said = by_both(name)
    assert rows == []
    assert said["steptime_ms_average"] == "0.0"
    assert len(ours.time) == 8


def test_a_gpu_that_waits_is_seen_to_wait(by_both):
    ours, rows, said = by_both("synthetic-gpu")
    assert said["steptime_ms_average"] == "33.5"
    assert said["infeed_time_ms_avg"] == "0.0"
    assert len(rows) == 8
    average = {category: time / _PS_A_MS for category, time in ours.average().items()}
    assert sum(average.values()) == pytest.approx(100)
    assert average[Category.INPUT] == pytest.approx(60)
    assert average[Category.DEVICE_COMPUTE_32] == pytest.approx(30)
    assert average[Category.HOST_TO_DEVICE] == pytest.approx(3)
