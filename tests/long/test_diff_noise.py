"""Real captures, three a side, in turn: one program has no changes, a slower layer is named."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from run_cli import run

pytestmark = [pytest.mark.long, pytest.mark.alone]

SCRIPT = Path(__file__).parents[1] / "diff_captures.py"
PAIRS, SLOWER = 20, 10


def changed(folder, seed, factor):
    """The rows of a pair that are called changed, by kind and name."""
    command = [sys.executable, str(SCRIPT), str(folder), str(seed), str(factor)]
    subprocess.run(command, check=True, capture_output=True)
    sides = (
        ",".join(str(folder / f"{name}-{at}") for at in (1, 2, 3)) for name in ("before", "after")
    )
    ran = run("diff", *sides, "--json")
    assert ran.code == 0, ran.err
    rows = json.loads(ran.out)["data"]["rows"]
    return {(row["kind"], row["name"]) for row in rows if row["significant"] is True}


@pytest.mark.timeout(1800)
def test_the_same_program_has_no_changes(tmp_path):
    found = [changed(tmp_path / str(seed), seed, 1.0) for seed in range(PAIRS)]
    print("pairs of the same program with a change:", [one for one in found if one])
    assert sum(bool(one) for one in found) <= 1


@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("factor", "least"), [(1.2, 9), (1.1, 0)])
def test_a_slower_layer_is_named(tmp_path, factor, least):
    """A tenth is only counted."""
    found = [changed(tmp_path / str(seed), seed, factor) for seed in range(SLOWER)]
    named = sum(any(kind == "layer" and "heavy" in name for kind, name in one) for one in found)
    print(f"heavy {factor}: named in {named} of {SLOWER}; {[sorted(one) for one in found]}")
    assert named >= least
