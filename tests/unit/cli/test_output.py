"""Where answers go: pipes, terminals, files; whole or not at all."""

import json
import os
import pty
import re
import resource
import stat
import subprocess
from pathlib import Path

import pytest
from run_cli import command, environment, run, spawn

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def test_a_pipe_gets_no_colour(unet):
    assert "\x1b" not in spawn(unet).out


def test_force_color_colours_a_pipe_and_changes_no_text(unet):
    plain, coloured = spawn(unet), spawn(unet, FORCE_COLOR=1, TERM="xterm-256color")
    assert "\x1b[" in coloured.out
    stripped = [line.rstrip() for line in ESCAPE.sub("", coloured.out).splitlines()]
    assert stripped == plain.out.splitlines()


def test_no_color_wins(unet):
    assert spawn(unet, NO_COLOR=1, FORCE_COLOR=1).out == spawn(unet).out


def _on_a_terminal(words, **changes):
    """What a terminal of 90 columns would show."""
    main, child = pty.openpty()
    import fcntl
    import struct
    import termios

    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 90, 0, 0))
    process = subprocess.Popen(
        command(*words),
        stdin=child,
        stdout=child,
        stderr=subprocess.PIPE,  # no terminal: progress would show there whenever reading is slow
        env=environment(TERM="xterm-256color", **changes),
    )
    os.close(child)
    shown = b""
    while True:
        try:
            piece = os.read(main, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    os.close(main)
    assert process.communicate(timeout=30)[1] == b""
    assert process.returncode == 0
    return shown.decode().replace("\r\n", "\n")


def test_a_terminal_gets_colour_and_its_own_width(unet):
    shown = _on_a_terminal([unet])
    assert "\x1b[" in shown
    lines = ESCAPE.sub("", shown).splitlines()
    assert 80 < max(map(len, lines)) <= 90


def test_a_terminal_with_no_color_gets_none(unet):
    assert "\x1b" not in _on_a_terminal([unet], NO_COLOR=1)


@pytest.mark.parametrize(
    ("columns", "widest"), [(60, 60), (80, 80), (100, 100), (500, 120), (10, 40)]
)
def test_columns_are_respected_within_reason(unet, columns, widest):
    out = spawn(unet, COLUMNS=columns).out
    assert max(map(len, out.splitlines())) <= widest


def test_columns_that_are_no_number_mean_80(unet):
    assert spawn(unet, COLUMNS="wide").out == spawn(unet, COLUMNS=80).out


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
@pytest.mark.parametrize("colour", [0, 1])
def test_a_terminal_of_any_encoding_gets_an_answer(unet, encoding, colour):
    changes = {"FORCE_COLOR": 1} if colour else {}
    done = subprocess.run(
        command(unet),
        capture_output=True,
        env=environment(PYTHONIOENCODING=encoding, **changes),
        check=False,
    )
    assert done.returncode == 0
    assert done.stderr == b""
    assert b"31,030,658" in done.stdout


@pytest.mark.parametrize(
    "words", [[], ["--help"], ["--version"], ["formats"], ["formats", "--json"], ["UNET"]], ids=str
)
def test_a_closed_pipe_is_silent(words, unet):
    words = [unet if word == "UNET" else word for word in words]
    process = subprocess.Popen(
        command(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    )
    process.stdout.close()  # the reader has seen enough before anything was written
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=30) == 0
    assert err == b""


def test_head_gets_its_line_and_nobody_complains(unet):
    line = " ".join(f"'{word}'" for word in command(unet))
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line} | head -1"],
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout == f"{unet}\n"
    assert done.returncode == 0


@pytest.mark.parametrize("suffix", ["txt", "md", "csv", "json"])
def test_a_file_gets_the_format_of_its_suffix(unet, tmp_path, suffix):
    path = tmp_path / f"out.{suffix}"
    ran = run(unet, "-o", path)
    assert ran.code == 0
    assert ran.out == ""
    assert str(path) in ran.err
    assert path.read_text("utf-8") == run(unet, "--format", suffix).out
    assert list(tmp_path.iterdir()) == [path]


def test_the_suffix_may_be_in_capitals(unet, tmp_path):
    assert run(unet, "-o", tmp_path / "OUT.JSON").code == 0
    json.loads((tmp_path / "OUT.JSON").read_bytes())


def test_format_wins_over_the_suffix(unet, tmp_path):
    path = tmp_path / "report.dat"
    assert run(unet, "-o", path, "--format", "csv").code == 0
    assert path.read_text("utf-8") == run(unet, "--format", "csv").out


def test_json_is_the_json_format(unet):
    assert run(unet, "--json").out == run(unet, "--format", "json").out


def test_an_existing_file_is_replaced_only_by_force(unet, tmp_path):
    path = tmp_path / "out.txt"
    path.write_text("mine", "utf-8")
    refused = run(unet, "-o", path)
    assert refused.code == 5
    assert "--force" in refused.err
    assert path.read_text("utf-8") == "mine"
    assert run(unet, "-o", path, "--force").code == 0
    assert "31,030,658" in path.read_text("utf-8")


def test_a_new_file_has_the_rights_of_any_new_file(tmp_path):
    before = os.umask(0o027)
    try:
        run("formats", "-o", tmp_path / "out.txt")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out.txt").stat().st_mode) == 0o640


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_nothing_is_left_in_a_read_only_folder(tmp_path):
    folder = tmp_path / "locked"
    folder.mkdir()
    folder.chmod(0o500)
    assert run("formats", "-o", folder / "out.txt").code == 5
    assert list(folder.iterdir()) == []


def test_a_file_system_that_takes_no_files_is_5():
    ran = run("formats", "-o", "/proc/self/out.txt")
    assert ran.code == 5
    assert ran.out == ""


@pytest.mark.parametrize("existing", [False, True])
def test_a_write_that_fails_leaves_nothing_half_written(unet, tmp_path, existing):
    path = tmp_path / "out.json"
    if existing:
        path.write_text("mine", "utf-8")

    def no_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    done = subprocess.run(
        command(unet, "-o", path, "--force"),
        capture_output=True,
        text=True,
        env=environment(PYTHONDONTWRITEBYTECODE=1),
        preexec_fn=no_room,
        check=False,
    )
    assert done.returncode == 5
    assert "Traceback" not in done.stderr
    left = {p.name: p.read_text("utf-8") for p in tmp_path.iterdir()}
    assert left == ({"out.json": "mine"} if existing else {})


def test_a_folder_as_output_is_refused(tmp_path):
    folder = tmp_path / "out.json"
    folder.mkdir()
    assert run("formats", "-o", folder, "--force").code == 5
    assert list(tmp_path.iterdir()) == [folder]
    assert list(folder.iterdir()) == []


def test_an_output_without_a_folder_lands_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("formats", "-o", "out.md").code == 0
    assert (tmp_path / "out.md").exists()


def test_a_question_that_fails_writes_no_file(tmp_path):
    assert run(tmp_path / "gone", "-o", tmp_path / "out.json").code == 3
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "name", "says"),
    [
        ("summary", "s.trace.json", "tfprof timeline"),
        ("scope", "s.trace.json.gz", "tfprof timeline"),
        ("summary", "s.TRACE.JSON", "tfprof timeline"),
        ("timeline", "t.speedscope.json", ".trace.json"),
        ("summary", "s.speedscope.json", ".trace.json"),
        ("code", "c.pb.gz", "pprof"),
        ("timeline", "t.json.gz", ".json"),
    ],
)
def test_a_suffix_of_another_format_is_refused_before_anything_is_read(
    command, name, says, tmp_path
):
    ran = run(command, tmp_path / "gone", "-o", tmp_path / name)
    assert ran.code == 2
    assert says in ran.err
    assert list(tmp_path.iterdir()) == []


def test_a_format_that_is_named_wins_over_a_suffix_of_another(unet, tmp_path):
    path = tmp_path / "s.trace.json"
    assert run(unet, "-o", path, "--format", "csv").code == 0
    assert path.read_text("utf-8") == run(unet, "--format", "csv").out


def test_an_existing_file_is_told_before_anything_is_read(tmp_path):
    (tmp_path / "out.json").write_text("mine", "utf-8")
    assert run(tmp_path / "gone", "-o", tmp_path / "out.json").code == 5


def test_two_places_for_one_answer_are_refused(unet, tmp_path):
    other = f"-output=file:outfile={tmp_path / 'a.txt'}"
    assert run("scope", unet, "-o", tmp_path / "b.txt", other).code == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["notes.json", "broken.csv"])
def test_a_file_that_was_of_no_use_is_an_input_all_the_same(tmp_path, name):
    """Doctor looks at files that nothing can read."""
    target = tmp_path / name
    target.write_bytes(b"\x00\x01 nobody knows this")
    ran = run("doctor", target, "-o", target, "--force")
    assert ran.code == 5
    assert target.read_bytes() == b"\x00\x01 nobody knows this"


@pytest.mark.parametrize(
    ("side", "target"),
    [
        ("before.pb", "before.pb"),
        ("folder", "folder/graph.pb"),
        ("before.pb,folder", "before.pb"),
        ("before.pb,folder", "folder/graph.pb"),
    ],
)
def test_a_baseline_is_never_written_over(samples, tmp_path, side, target, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    graph = (samples / "keras_mlp_fwd.graph.pb").read_bytes()
    for name in ("before.pb", "folder/graph.pb", "now.pb"):
        Path(name).write_bytes(graph)
    words = ["--max-params", "+0", "--baseline", side, "-o", target, "--format", "junit"]
    ran = run("check", "now.pb", *words, "--force")
    assert ran.code == 5
    assert "never written over" in ran.err
    assert Path(target).read_bytes() == graph
