"""The prompt as people see it: in a terminal, over a profile that took its time to read."""

import io
import sys
from pathlib import Path

import pytest
from terminal import CTRL_C, CTRL_D, TAB, Terminal

from tfprof.cli import progress

# a read of more than a second, so that progress is shown
SLOW = """
import sys, time
from tfprof.sources.files import reader
from tfprof.cli.main import main
quick = reader._read_in_chunks
def slow(path, progress):
    data = quick(path, progress)
    time.sleep(1.1)
    progress(len(data))
    return data
reader._read_in_chunks = slow
sys.exit(main(sys.argv[1:]))
"""
BAR = "━"


@pytest.fixture
def slow(samples, tmp_path):
    words = ["shell", samples / "keras_mlp_fwd.graph.pb"]
    with Terminal(words, code=SLOW, HOME=tmp_path) as terminal:
        terminal.wait_for("tfprof>")
        assert BAR in terminal.heard  # or this tests nothing
        yield terminal


def test_progress_is_gone_when_the_prompt_is_there(slow):
    before = len(slow.heard)
    slow.listen(0.5)
    assert BAR not in slow.heard[before:]
    assert slow.screen == "tfprof>"


def test_a_question_is_typed_completed_answered_and_the_prompt_left(slow):
    before = len(slow.heard)
    slow.press("sco")
    slow.wait_for("tfprof> sco")
    slow.press(TAB)
    slow.wait_for("tfprof> scope")
    slow.press(" -account_type_regexes Placeholder -max_depth 1\r")
    slow.wait_for("_TFProfRoot (")
    slow.press("quit\r")
    assert slow.exit_code() == 0
    assert BAR not in slow.heard[before:]
    assert slow.screen.splitlines()[0].startswith("tfprof> scope -account_type_regexes")
    assert slow.screen.splitlines()[-1] == "tfprof> quit"


def test_tab_offers_values_where_they_are_due(slow):
    slow.press("scope -order_by para")
    slow.wait_for("tfprof> scope -order_by para")
    slow.press(TAB)
    slow.wait_for("tfprof> scope -order_by params")
    slow.press(CTRL_C)


def test_control_c_drops_the_line_and_control_d_leaves(slow):
    slow.press("scope")
    slow.wait_for("tfprof> scope")
    slow.press(CTRL_C)
    slow.wait_for("tfprof> scope\ntfprof>")
    slow.press(CTRL_D)
    assert slow.exit_code() == 0


def test_a_home_that_takes_no_files_does_not_spoil_the_prompt(samples, tmp_path):
    words = ["shell", samples / "keras_mlp_fwd.graph.pb"]
    with Terminal(words, HOME=tmp_path / "gone") as terminal:
        terminal.wait_for("tfprof>")
        terminal.press("scope\r")
        terminal.wait_for("_TFProfRoot (")
        terminal.press("exit\r")
        assert terminal.exit_code() == 0
        assert "Traceback" not in terminal.heard


def test_what_is_read_late_brings_no_bar_back(monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(progress, "_PATIENCE", 0)
    monkeypatch.setattr(progress, "_shown", lambda: pytest.fail("a bar was opened"))
    with progress.progress_bar() as reading:
        done = reading(Path("graph.pb"), 10)
    done(10)


def test_hosts_that_are_read_again_have_a_bar_of_their_own(monkeypatch):
    """Of those that are read then: one that went back would be at its end already."""
    from rich.console import Console
    from rich.progress import Progress

    bar = Progress(console=Console(file=io.StringIO()))
    monkeypatch.setattr(progress, "_PATIENCE", 0)
    monkeypatch.setattr(progress, "_shown", lambda: bar)
    reading = progress.Reading()
    reading.hosts(3, 30)(3, 30)
    reading.hosts(2, 20)(1, 10)
    (task,) = bar.tasks
    assert (task.description, task.completed, task.total) == ("1 of 2 hosts", 10, 20)
    assert not task.finished
    reading.end()
