"""Answers that are longer than the screen, in a terminal."""

import subprocess
import sys

import pytest
from run_cli import environment
from terminal import Terminal


@pytest.fixture
def pager(tmp_path):
    """One that says what it is and how many lines it got."""
    path = tmp_path / "pager.py"
    path.write_text("import sys\nprint('PAGED', sys.argv[1], len(sys.stdin.readlines()) > 24)\n")
    return f"{sys.executable} {path} word"


def test_a_long_answer_goes_to_the_pager(pager, unet):
    with Terminal(["layers", str(unet)], PAGER=pager) as terminal:
        terminal.wait_for("PAGED word True")
        assert terminal.exit_code() == 0


def test_a_short_answer_does_not(pager):
    with Terminal(["explain", "usage"], PAGER=pager, rows=60) as terminal:
        assert terminal.exit_code() == 0
        assert "PAGED" not in terminal.heard


@pytest.mark.parametrize("named", ["", "no-such-pager-anywhere", "'half a quote"])
def test_without_a_pager_that_works_it_is_printed(named, unet):
    with Terminal(["layers", str(unet)], PAGER=named) as terminal:
        assert terminal.exit_code() == 0
        assert "right0" in terminal.heard


def test_a_pipe_has_no_pager(pager, unet):
    done = subprocess.run(
        [sys.executable, "-m", "tfprof", "layers", str(unet)],
        capture_output=True, text=True, env=environment(PAGER=pager), check=True,
    )  # fmt: skip
    assert "PAGED" not in done.stdout
