"""Every way a call can end has its code, one message on stderr, and nothing on stdout."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest
from run_cli import command, environment, run, spawn

from tfprof.errors import UsageError


def _refused(ran, code, slug):
    assert ran.code == code
    assert ran.out == ""
    lines = ran.err.splitlines()
    assert lines[0].startswith("tfprof: ")
    assert lines[-1] == f"  (more: tfprof explain {slug})"
    assert len(lines) <= 3


@pytest.mark.parametrize("words", [["summary"], ["doctor"], []])
def test_an_answer_is_0(unet, words):
    ran = run(*words, unet)
    assert ran.code == 0
    assert ran.out
    assert ran.err == ""


@pytest.mark.parametrize(
    "words",
    [
        ["summary"],
        ["doctor"],
        ["--json"],
        ["summary", "--no-such-option", "x"],
        ["formats", "--graph_path", "x"],
        ["summary", "x", "--format", "xml"],
        ["summary", "--graph_path"],
        ["formats", "-o", "x.exe"],
        ["formats", "-o", "no_suffix"],
        ["formats", "surplus"],
    ],
    ids=" ".join,
)
def test_words_that_are_off_are_2(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _refused(run(*words), 2, "usage")
    assert list(tmp_path.iterdir()) == []


def test_a_profile_with_a_graph_beside_it_is_2(unet, unet_profile):
    _refused(run("--profile_path", unet_profile, "--graph_path", unet / "graph.pb"), 2, "usage")


@pytest.mark.parametrize("name", ["summary", "doctor"])
def test_a_path_that_is_not_there_is_3(name, tmp_path):
    _refused(run(name, tmp_path / "gone.pb"), 3, "path-not-found")


def test_a_folder_of_nothing_is_3(tmp_path):
    _refused(run(tmp_path), 3, "nothing-recognised")
    (tmp_path / "notes.txt").write_text("hello", "utf-8")
    _refused(run(tmp_path), 3, "nothing-recognised")


def test_an_empty_file_is_4(tmp_path):
    (tmp_path / "graph.pb").touch()
    _refused(run(tmp_path / "graph.pb"), 4, "empty-file")


def test_a_foreign_file_is_4(tmp_path):
    (tmp_path / "graph.pb").write_text("import os\n", "utf-8")
    ran = run(tmp_path / "graph.pb")
    _refused(ran, 4, "wrong-kind")
    assert "a Python file" in ran.err


def test_another_kind_than_the_flag_says_is_4(unet):
    _refused(run("--run_meta_path", unet / "graph.pb"), 4, "wrong-kind")


def test_an_empty_capture_is_4(tmp_path):
    (tmp_path / "vm.xplane.pb").touch()
    ran = run(tmp_path / "vm.xplane.pb")
    _refused(ran, 4, "empty-file")
    assert "2 GB" in ran.err


def test_two_graphs_are_4(samples):
    paths = samples / "keras_mlp_fwd.graph.pb", samples / "keras_lstm_fwd.graph.pb"
    _refused(run(*paths), 4, "inputs-disagree")


def test_a_damaged_file_is_4(samples, tmp_path):
    data = bytearray((samples / "keras_mlp_train.graph.pb").read_bytes())
    data[0] = 0x0F
    (tmp_path / "graph.pb").write_bytes(data)
    assert run(tmp_path / "graph.pb").code == 4
    text = (samples / "keras_mlp_fwd.graph.pbtxt").read_text("utf-8").replace("op: ", "op = ", 1)
    (tmp_path / "graph.pbtxt").write_text(text, "utf-8")
    _refused(run(tmp_path / "graph.pbtxt"), 4, "corrupt-text")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_4(samples, tmp_path):
    path = tmp_path / "graph.pb"
    shutil.copyfile(samples / "keras_mlp_fwd.graph.pb", path)
    path.chmod(0)
    _refused(run(path), 4, "access-denied")


def test_an_output_that_exists_is_5(unet, tmp_path):
    path = tmp_path / "out.json"
    path.write_text("mine", "utf-8")
    _refused(run(unet, "-o", path), 5, "output-exists")
    assert path.read_text("utf-8") == "mine"


@pytest.mark.parametrize("where", ["gone/out.json", "file/out.json"])
def test_a_place_that_cannot_be_written_is_5(where, tmp_path):
    (tmp_path / "file").touch()
    _refused(run("formats", "-o", tmp_path / where), 5, "output-not-writable")


def test_a_full_disk_behind_stdout_is_5(unet):
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = subprocess.run(
            command("summary", unet),
            stdout=full,
            stderr=subprocess.PIPE,
            env=environment(),
            check=False,
        )
    assert done.returncode == 5
    assert b"Traceback" not in done.stderr


def test_our_own_fault_is_70_and_says_so(monkeypatch):
    """Nothing known ends like this, so a fault is put in by hand."""

    def broken():
        raise ZeroDivisionError("by hand")

    monkeypatch.delenv("TFPROF_DEBUG", raising=False)
    monkeypatch.setattr("tfprof.reports.formats.formats_known", broken)
    ran = run("formats")
    _refused(ran, 70, "internal-fault")
    assert "ZeroDivisionError: by hand" in ran.err
    assert "TFPROF_DEBUG" in ran.err
    monkeypatch.setenv("TFPROF_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        run("formats")


@pytest.fixture
def ctrl_c_counts():
    """Also for children of a shell's background job, which are started with it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes")
@pytest.mark.usefixtures("ctrl_c_counts")
def test_ctrl_c_is_130(tmp_path):
    pipe = tmp_path / "graph.pb"
    os.mkfifo(pipe)
    process = subprocess.Popen(
        command("summary", pipe),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    with pipe.open("wb"):  # opens when the other end does
        time.sleep(0.5)  # which then waits for what is written
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert out == ""
    assert "interrupted" in err
    assert "Traceback" not in err


def test_a_damaged_model_in_a_folder_does_not_hide_the_others(samples, tmp_path):
    shutil.copyfile(samples / "keras_lstm_fwd.graph.pb", tmp_path / "good.pb")
    data = bytearray((samples / "keras_mlp_fwd.graph.pb").read_bytes())
    # an attribute of the first node: found only when it is decoded
    at = data.index(b"dtype")
    data[at + 5] = 0x0F
    (tmp_path / "bad.pb").write_bytes(data)
    assert run(tmp_path / "bad.pb").code == 4
    ran = run(tmp_path)
    assert ran.code == 0
    assert "2,609,538" in ran.out
    assert "bad.pb" in ran.out


def test_doctor_answers_about_bad_files(tmp_path):
    (tmp_path / "graph.pb").write_text("import os\n", "utf-8")
    (tmp_path / "run_meta").touch()
    ran = run("doctor", tmp_path)
    assert ran.code == 0
    assert "Python" in ran.out
    assert "empty" in ran.out


def test_the_process_ends_with_the_code(tmp_path, unet):
    assert spawn(unet).code == 0
    assert spawn("--nonsense").code == 2
    assert spawn(tmp_path / "gone").code == 3


@pytest.fixture
def empty_capture(tmp_path):
    """What a profiler leaves in a log directory when its capture is too large."""
    capture = tmp_path / "logs/plugins/profile/2026_01_02_00_00_00/vm.xplane.pb"
    capture.parent.mkdir(parents=True)
    capture.touch()
    return capture


@pytest.mark.parametrize("name", ["summary", "steps", "layers", "timeline"])
def test_a_log_directory_with_an_empty_capture_says_what_to_do(name, tmp_path, empty_capture):
    ran = run(name, tmp_path / "logs")
    _refused(ran, 4, "empty-file")
    assert str(empty_capture) in ran.err
    assert "Profile fewer steps" in ran.err
    assert "killed" in ran.err  # an empty file does not tell which of them it was


@pytest.mark.usefixtures("empty_capture")
def test_an_older_capture_is_not_taken_in_silence(tmp_path, samples):
    older = tmp_path / "logs/plugins/profile/2026_01_01_00_00_00/vm.xplane.pb"
    older.parent.mkdir()
    shutil.copy(samples / "xplane/tiny-htl1.xplane.pb", older)
    ran = run("steps", tmp_path / "logs", "--json")
    assert ran.code == 0
    assert any("the file is empty" in warning for warning in json.loads(ran.out)["warnings"])


def test_a_folder_with_one_useless_file_is_said_so(tmp_path):
    (tmp_path / "notes.txt").write_text("hello\n")
    ran = run("steps", tmp_path)
    _refused(ran, 3, "nothing-recognised")
    assert "its only file is not one tfprof knows" in ran.err


def test_a_picture_is_made_by_draw(samples, tmp_path):
    ran = run("steps", samples / "xplane/slow-cb.xplane.pb", "-o", tmp_path / "x.svg")
    _refused(ran, 2, "usage")
    assert "`tfprof draw` makes pictures" in ran.err


def test_python_shows_what_to_try_below_the_message():
    fault = UsageError("off", hint="Do this.")
    assert fault.__notes__ == ["Do this."]
    assert str(fault) == "off"
    assert not hasattr(UsageError("off"), "__notes__")
