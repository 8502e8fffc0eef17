"""Op self times of captures of megabytes, against XProf: each thread goes through many rounds."""

import sys
from pathlib import Path

import pytest
from xprof_oracle import both_op_times

pytestmark = pytest.mark.long

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SIZE = 4_900_000


@pytest.fixture(scope="module")
def grow():
    """Of the benchmarks, which are scripts and no package."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        from _xplane import grow
    finally:
        sys.path.remove(str(BENCHMARKS))
    return grow


@pytest.mark.parametrize("name", ["slow-cb", "fast-trace"])
def test_self_times_of_a_large_capture_are_those_of_xprof(samples, tmp_path, grow, name):
    small, large = samples / f"xplane/{name}.xplane.pb", tmp_path / "vm.xplane.pb"
    large.write_bytes(grow(small.read_bytes(), 1 + SIZE // small.stat().st_size))
    assert large.stat().st_size > SIZE
    ours, theirs = both_op_times(large)
    assert len(theirs) > 300
    assert ours == theirs
    assert sum(runs for runs, _, _ in ours.values()) > 50_000
