"""`tfprof run` around scripts that do not come to TensorFlow: they cannot tell that it is there."""

import json
import os
import pty
import select
import signal
import stat
import subprocess
import sys
import time

import pytest
import run_scripts
from run_cli import run, spawn
from run_scripts import (
    ScriptRun,
    child_of,
    ended,
    plain,
    script_environment,
    started,
    under_run,
    written,
)

from tfprof.cli.words import divided

_SEEN = """
    import json, os, signal, sys, threading

    print(json.dumps({
        "name": __name__, "file": __file__, "argv": sys.argv, "path": sys.path,
        "environment": {k: v for k, v in os.environ.items() if k != "COLUMNS"},
        "flags": str(sys.flags), "words": sys.orig_argv[1:], "group": os.getpgrp() == os.getpid(),
        "spec": __spec__ is None, "package": __package__,
        "customised": "sitecustomize" in sys.modules,
        "signals": [str(signal.getsignal(s)) for s in (signal.SIGINT, signal.SIGTERM, 1)],
        "mask": [int(s) for s in signal.pthread_sigmask(signal.SIG_BLOCK, [])],
        "threads": threading.active_count(), "excepthook": sys.excepthook is sys.__excepthook__,
        "stdin": sys.stdin.read(), "numpy": "numpy" in sys.modules, "cwd": os.getcwd(),
    }, sort_keys=True, indent=1))
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder to work in, on a machine where a package of that name is installed.

    `run` asks whether there is one before it starts; the scripts here never import it.
    """
    written(tmp_path, "", "installed/tensorflow/__init__.py")
    folder = tmp_path / "work"
    folder.mkdir()
    search = os.pathsep.join([run_scripts.SEARCH, str(tmp_path / "installed")])
    monkeypatch.setattr(run_scripts, "SEARCH", search)
    return folder


@pytest.mark.parametrize(
    "words",
    [
        ["train.py"],
        ["train.py", "--max_depth=3", "-o", "x", "--json", "--", "-m", "run", "--steps", ""],
        ["./train.py", "--help"],
        ["-m", "train", "--steps", "4"],
        ["-m", "package.inner", "-max_size", "3"],
    ],
    ids=" ".join,
)
def test_a_script_sees_what_it_would_see(place, words):
    written(place, _SEEN)
    written(place, _SEEN, "package/inner.py")
    alone = plain(place, *words, stdin="some\ninput")
    ran = under_run(place, "--memory", *words, stdin="some\ninput")
    assert ran.code == alone.code == 0
    seen, expected = json.loads(ran.out), json.loads(alone.out)
    expected["environment"]["TF_CPU_ALLOCATOR_USE_BFC"] = "1"  # --memory is just that
    assert seen == expected


def test_stdout_is_the_script_s_to_the_byte(place):
    script = """
        import os, sys
        sys.stdout.buffer.write(bytes(range(256)))
        os.write(1, b"\\x00no line end")
    """
    written(place, script)
    words = [sys.executable, "-m", "tfprof", "run", "train.py"]
    done = subprocess.run(
        words, cwd=place, capture_output=True, env=script_environment(), check=True
    )
    assert sorted(done.stdout) == sorted(bytes(range(256)) + b"\x00no line end")


@pytest.mark.parametrize(
    ("last", "code"),
    [
        ("sys.exit(7)", 7),
        ("sys.exit('a word')", 1),
        ("sys.exit()", 0),
        ("raise ValueError('x')", 1),
        ("os._exit(9)", 9),
        ("os.kill(os.getpid(), 9)", -9),
        ("os.kill(os.getpid(), 15)", -15),
        ("os.abort()", -6),
        ("raise KeyboardInterrupt", -2),
        ("undefined syntax here", 1),
    ],
)
def test_it_ends_as_the_script_ends(place, last, code):
    script = f"""
        import atexit, os, sys
        atexit.register(print, "last of all", flush=True)
        atexit.register(print, "at exit", flush=True)
        print("begun", flush=True)
        {last}
    """
    written(place, script)
    alone, ran = plain(place, "train.py"), under_run(place, "train.py")
    assert (ran.code, ran.out) == (alone.code, alone.out)
    assert ran.code == code
    assert _without_ours(ran.err) == alone.err


def _without_ours(text):
    return "".join(line for line in text.splitlines(True) if not line.startswith("tfprof: "))


def test_a_signal_that_ended_it_is_told(place):
    written(place, "import os\nos.kill(os.getpid(), 9)")
    ran = under_run(place, "train.py")
    assert ran.said[0] == "tfprof: the script was ended by SIGKILL"
    assert ran.top["ended_by"] == "signal 9"
    assert ran.top["exit_code"] is None
    assert ran.top["state"] == "failed"


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGUSR1", "SIGINT"])
def test_signals_to_the_parent_reach_the_script_once(place, name):
    script = f"""
        import signal, sys, time
        heard = []
        signal.signal(signal.{name}, lambda *_: heard.append(1))
        print("ready", flush=True)
        while not heard:
            time.sleep(0.01)
        time.sleep(0.2)
        sys.exit(20 + len(heard))
    """
    written(place, script)
    process = started(place, "train.py")
    assert process.stdout.readline() == "ready\n"
    process.send_signal(getattr(signal, name))
    ran = ended(process, place)
    assert ran.code == 21


def test_ctrl_c_in_a_terminal_is_heard_once(place):
    script = """
        import time
        heard = 0
        print("ready", flush=True)
        end = time.monotonic() + 20
        while time.monotonic() < end:
            try:
                time.sleep(0.3)
            except KeyboardInterrupt:
                heard += 1
                end = time.monotonic() + 0.6
        print("heard", heard, flush=True)
    """
    written(place, script)
    out = _in_a_terminal(place, b"\x03")
    assert "heard 1\r\n" in out


def _in_a_terminal(place, key):
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(place)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        words = [sys.executable, "-m", "tfprof", "run", "train.py"]
        os.execve(sys.executable, words, script_environment())  # noqa: S606  (no shell between)
    out, sent, end = "", False, time.monotonic() + 60
    while time.monotonic() < end:
        try:
            if select.select([terminal], [], [], 0.1)[0]:
                out += os.read(terminal, 10_000).decode()
        except OSError:  # all have left
            break
        if "ready" in out and not sent:
            time.sleep(0.3)  # from what it says to where it waits
            os.write(terminal, key)
            sent = True
    os.waitpid(process, 0)
    os.close(terminal)
    return out


def test_a_killed_script_is_not_waited_for(place):
    written(place, "import time\nprint('ready', flush=True)\ntime.sleep(100)")
    process = started(place, "train.py")
    process.stdout.readline()
    os.kill(child_of(process), signal.SIGKILL)
    assert ended(process, place).code == -9


def test_the_sitecustomize_of_the_user_is_loaded(place):
    written(place.parent, "import sys\nsys.customised = 'by the user'", "mine/sitecustomize.py")
    written(place, "import sys, sitecustomize; print(sys.customised, sitecustomize.__file__)")
    search = os.pathsep.join([str(place.parent / "mine"), run_scripts.SEARCH])
    alone = plain(place, "train.py", PYTHONPATH=search)
    ran = under_run(place, "train.py", PYTHONPATH=search)
    assert ran.out == alone.out
    assert ran.out.startswith("by the user ")


def test_a_module_of_the_script_may_be_called_as_ours(place):
    """It is run, and nothing of it is loaded in place of ours."""
    written(place, "raise ImportError('the wrong one')", "tfprof.py")
    written(place, "print('fine')")
    process = [sys.executable, "-P", "-m", "tfprof", "run", "train.py"]
    done = subprocess.run(
        process, cwd=place, capture_output=True, text=True, env=script_environment(), check=False
    )
    assert (done.returncode, done.stdout) == (0, "fine\n")
    assert "nothing is recorded" not in done.stderr


def test_processes_of_the_script_are_left_alone(place):
    child = "import os, sys; print(sorted(os.environ.items()), sys.path)"
    script = f"""
        import os, subprocess, sys
        subprocess.run([sys.executable, "-c", {child!r}], check=True)
        if os.fork() == 0:
            print("forked", flush=True)
            sys.exit(5)
        print(os.waitstatus_to_exitcode(os.wait()[1]))
    """
    written(place, script)
    assert under_run(place, "train.py").out == plain(place, "train.py").out


# before it starts


def _refused(ran: ScriptRun, code, slug):
    assert ran.code == code
    assert ran.out == ""
    assert ran.err.splitlines()[-1] == f"  (more: tfprof explain {slug})"


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["-m"],
        ["--json", "train.py"],
        ["--format", "md", "train.py"],
        ["-o", "x.exe", "train.py"],
        ["--steps", "3..1", "train.py"],
        ["--steps", "x", "train.py"],
        ["--every", "1", "train.py"],
        ["--every", "x", "train.py"],
        ["--duration", "soon", "train.py"],
        ["--duration", "0", "train.py"],
        ["--steps", "3", "--duration", "2", "train.py"],
        ["--max-size", "much", "train.py"],
        ["--what", "sleep", "train.py"],
        ["--no-such-option", "train.py"],
    ],
    ids=" ".join,
)
def test_words_that_are_off_are_2(place, words):
    written(place, "print('it ran')")
    _refused(under_run(place, *words), 2, "usage")
    assert not (place / "tfprof-runs").exists()


def test_a_script_that_is_not_there_is_3(place):
    _refused(under_run(place, "gone.py"), 3, "path-not-found")
    _refused(under_run(place, "-m", "no_such_module.train"), 3, "input-missing")


def test_an_existing_target_is_5_before_it_starts(place):
    written(place, "print('it ran')")
    (place / "kept.txt").write_text("kept", "utf-8")
    _refused(under_run(place, "-o", "kept.txt", "train.py"), 5, "output-exists")


def test_without_tensorflow_is_6_before_it_starts(tmp_path, monkeypatch):
    script = written(tmp_path, f"open({str(tmp_path / 'ran')!r}, 'w')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "tensorflow", None)  # as Python marks what is not there
    ran = run("run", script)
    assert ran.code == 6
    assert "pip install tensorflow" in ran.err
    assert not (tmp_path / "ran").exists()
    assert not (tmp_path / "tfprof-runs").exists()


# what is left


def test_the_folder_is_private_and_tells_no_secret(place):
    written(place, "print('fine')")
    words = ["--api-key", "s3cret", "--token=s3cret", "password=s3cret", "--epochs", "3", "--keys"]
    ran = under_run(place, "--logdir", "logs/all", "train.py", *words, MY_VARIABLE="s3cret")
    (folder,) = (place / "logs" / "all").iterdir()
    assert folder.name.startswith("train-")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    text = (folder / "run.json").read_text("utf-8")
    assert "s3cret" not in text
    assert "MY_VARIABLE" not in text
    top = json.loads(text)
    assert top["schema"] == "tfprof-run/1"
    assert top["program"]["arguments"] == [
        "--api-key", "***", "--token=***", "password=***", "--epochs", "3", "--keys",
    ]  # fmt: skip
    assert (top["state"], top["exit_code"], top["ended_by"]) == ("ended", 0, "exit")
    assert ran.said == [
        "tfprof: the script did not get to TensorFlow: nothing was captured",
        "tfprof:   processes that it starts are captured with --follow",
    ]


@pytest.mark.parametrize("logdir", ["/proc/no_such_place", "taken"])
def test_a_folder_that_cannot_be_made_lets_the_script_run(place, logdir):
    written(place, "import sys\nprint('trained')\nsys.exit(3)")
    (place / "taken").write_text("a file", "utf-8")
    ran = under_run(place, "--logdir", logdir, "train.py")
    assert (ran.code, ran.out) == (3, "trained\n")
    assert ran.said[0].startswith(f"tfprof: {logdir}: cannot be written: ")
    assert ran.said[1].startswith("tfprof: the script runs, and nothing is recorded")


# the words


@pytest.mark.parametrize(
    ("argv", "script"),
    [
        ("run train.py --steps 3", "train.py --steps 3"),
        ("run --steps 3 train.py run", "train.py run"),
        ("--steps 3 run train.py", "train.py"),
        ("run --steps=3 -max_size 3MB -o x.md train.py -x", "train.py -x"),
        ("run -m package a b", "-m package a b"),
        ("run -memory -m package", "-m package"),
        ("run -- -odd.py --x", "-odd.py --x"),
        ("run - x", "- x"),
        ("summary run train.py", ""),
        ("--run train.py steps", ""),
        ("run --help", ""),
        ("help run", ""),
        ("", ""),
    ],
)
def test_words_of_the_script_begin_with_it(argv, script):
    valued = {"--steps", "--max-size", "-o", "--run"}
    ours, theirs = divided(argv.split(), valued)
    assert theirs == script.split()
    assert [*ours, *theirs] == [word for word in argv.split() if word != "--"]


def test_help_names_it_and_its_options():
    assert "tfprof run train.py" in run("--help").out
    told = spawn("run", "--help").out
    assert told.startswith("usage: tfprof run [options] train.py|-m module [arguments]\n")
    for option in (
        "--steps",
        "--every",
        "--what",
        "--duration",
        "--memory",
        "--follow",
        "--logdir",
    ):
        assert option in told
