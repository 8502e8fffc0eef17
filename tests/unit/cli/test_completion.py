"""Completion in the shells themselves."""

import shutil
import subprocess

import pytest
from run_cli import run, spawn
from terminal import TAB, Terminal

from tfprof.commands.registry import commands


def script(shell):
    ran = run("completion", shell)
    assert (ran.code, ran.err) == (0, "")
    return ran.out


def in_bash(*words):
    """What bash would offer for the last of these words."""
    line = " ".join(f"'{word}'" for word in words)
    asks = f"COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _tfprof; echo ${{COMPREPLY[@]}}"
    done = subprocess.run(
        ["bash", "-c", f"{script('bash')}\n{asks}"], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return set(done.stdout.split())


def test_bash_completes_commands():
    assert in_bash("tfprof", "la") == {"layers"}
    assert in_bash("tfprof", "") == {*commands()}


def test_bash_completes_options_and_their_words():
    assert "--by" in in_bash("tfprof", "layers", "model.pb", "--b")
    assert "--recompute" not in in_bash("tfprof", "layers", "--")
    assert in_bash("tfprof", "layers", "--by", "ph") == {"phase"}
    assert in_bash("tfprof", "completion", "f") == {"fish"}
    # files are what bash completes by itself
    assert in_bash("tfprof", "layers", "mod") == set()


def test_bash_completes_words_without_an_option():
    assert {"memory", "steps", "model"} <= in_bash("tfprof", "draw", "")
    assert in_bash("tfprof", "draw", "memory", "mod") == set()
    assert in_bash("tfprof", "config", "lay") == {"layers"}
    assert in_bash("tfprof", "rules", "") == {"ops", "advice"}


def test_bash_completes_where_an_answer_goes():
    assert {"csv", "json", "md", "txt"} <= in_bash("tfprof", "layers", "--format", "")
    assert "junit" in in_bash("tfprof", "check", "--format", "")
    assert "junit" not in in_bash("tfprof", "layers", "--format", "")
    # neither a picture nor a script has these
    assert in_bash("tfprof", "draw", "memory", "--js") == set()
    assert "--device-memory" in in_bash("tfprof", "draw", "memory", "--dev")
    assert in_bash("tfprof", "completion", "bash", "--") == {"--help"}


@pytest.mark.parametrize("command", sorted(commands()))
def test_what_is_offered_is_accepted(command):
    """Each option stands in the help of its command, or of a picture."""
    offered = in_bash("tfprof", command, "x", "--")
    helps = [spawn(command, "--help").out]
    if command == "draw":
        helps += [spawn("draw", one, "--help").out for one in in_bash("tfprof", "draw", "")]
    told = " ".join(helps)
    assert {one for one in offered if one not in told} == set()


@pytest.mark.parametrize(("shell", "check"), [("zsh", "-n"), ("fish", "--no-execute")])
def test_other_shells_read_their_script(shell, check, tmp_path):
    path = tmp_path / "script"
    path.write_text(script(shell), encoding="utf-8")
    for name in commands():
        assert name in path.read_text(encoding="utf-8")
    if shutil.which(shell):  # of those that are here
        subprocess.run([shell, check, str(path)], check=True, capture_output=True)


def test_fish_completes():
    if not shutil.which("fish"):
        pytest.skip("no fish here")
    asks = f"{script('fish')}\ncomplete -C 'tfprof layers --by ph'\ncomplete -C 'tfprof mem'"
    asks += "\ncomplete -C 'tfprof draw mo'\ncomplete -C 'tfprof config lay'"
    done = subprocess.run(["fish", "-c", asks], capture_output=True, text=True, check=True)
    assert {line.split("\t")[0] for line in done.stdout.splitlines()} == {
        "phase", "memory", "model", "layers",
    }  # fmt: skip


SHELLS = {
    "bash": (["bash", "--norc", "-i"], "source {}; PS1='now> '"),
    "zsh": (["zsh", "-f", "-i"], "autoload -U compinit; compinit -u -D; source {}; PS1='now> '"),
}


@pytest.mark.parametrize("shell", SHELLS)
def test_typed_in_a_terminal(shell, tmp_path):
    if not shutil.which(shell):
        pytest.skip(f"no {shell} here")
    words, begins = SHELLS[shell]
    path = tmp_path / "script"
    path.write_text(script(shell), encoding="utf-8")
    starts = "import os, sys; os.execvp(sys.argv[1], sys.argv[1:])"
    with Terminal(words, code=starts, HOME=tmp_path, TERM="dumb") as terminal:
        terminal.press(f"{begins.format(path)}\n")
        terminal.wait_for("\nnow>")
        for typed, whole in [
            ("tfprof lay", "tfprof layers"),
            ("--by ph", "tfprof layers --by phase"),
        ]:
            terminal.press(f"{typed}{TAB}")
            terminal.wait_for(whole)


def test_a_shell_that_is_not_known():
    ran = run("completion", "tcsh")
    assert (ran.code, ran.out) == (2, "")
    assert "bash" in ran.err
