"""The scripts of tests/scripts, run plainly and under `tfprof run`; what is known about each."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from run_cli import SOURCES, Ran

SCRIPTS = Path(__file__).parent / "scripts"
SECONDS = 180
_ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_DURATION = re.compile(r"\b\d+(?:\.\d+)?(?:us|ms|s)(?:/(?:step|epoch))?\b")


@dataclass(frozen=True)
class Layout:
    """A script and the truth about it; `steps` are training steps in each process that trains."""

    name: str
    words: tuple[str, ...]
    steps: int
    folder: str = "."
    options: tuple[str, ...] = ()
    # processes that train
    ranks: int = 1
    # of the model, as somebody who wrote it would look for them; some have none
    layers: tuple[str, ...] = ()
    stdin: str = ""
    # with which it ends
    code: int = 0

    @property
    def stem(self) -> str:
        """What the run folder is called after."""
        words = self.words
        return words[1].rpartition(".")[2] if words[0] == "-m" else Path(words[0]).stem


def _script(name, steps, *layers, words=(), **told):
    return Layout(name, (f"{name}.py", *words), steps, layers=layers, **told)


KEY = "hunter2"
# the ten that stand for what people write
USUAL = [
    _script("image_classification", 22, "conv2d", "conv2d_1", "dense"),
    _script("text_classification", 48, "embedding", "conv1d", "predictions"),
    _script("transformer", 60, "transformer_block", "dense_2"),
    _script("gan", 32, "generator", "discriminator"),
    _script("vae", 36, "encoder", "decoder"),
    _script("actor_critic", 60, "dense"),
    _script("tfrecords", 24, "base", "dense"),
    _script("argparse_main", 36, "dense", "dense_2", words=("--api-key", KEY, "parabola")),
    Layout(
        "package", ("-m", "trainer.task", "--steps", "40"), 40, "package", layers=("lstm", "dense")
    ),
    _script("notebook", 56, "dense"),
]
OTHERS = [
    _script("legacy_keras", 40, "conv2d", "dense"),
    _script("supervisor", 60, "hidden", "out"),
    _script("monitored_session", 48),
    _script("custom_loop", 48, "dense_1", "dense_2", "logits"),
    _script("gradient_accumulation", 20, "dense", "dense_1"),
    _script("local_function", 25),
    _script("eager_loop", 40),
    _script("eager_optimizer", 40),
    _script("xla", 56),
    _script("mirrored", 40, "dense"),
    _script("mirrored_loop", 40, "dense"),
    Layout("multi_worker", ("multi_worker/launch.py",), 24, options=("--follow",), ranks=2),
    Layout(
        "spawned", ("processes.py", "spawn"), 20, options=("--follow",), ranks=2, layers=("dense",)
    ),
    Layout(
        "forked", ("processes.py", "fork"), 20, options=("--follow",), ranks=2, layers=("dense",)
    ),
]
# written when those above were right already, to find out what was missed
UNSEEN = [
    _script("progress_bar", 36, "wide", "deep", "score"),
    _script("feeding", 45, "hidden", "out"),
    _script("trainer_class", 36, "first", "last"),
    _script("snapshot", 40, "features", "classes"),
    _script("low_rank", 40, "first", "second"),
    _script("fit_twice", 32, "base", "head"),
    _script("changes_directory", 30),
    _script("reads_stdin", 25, stdin='{"units": 4}\n{"batches": 25}\n\nmore\n'),
    _script("subcommands", 30, "hidden", "out", words=("-o", "x", "train", "--strict"), code=3),
    _script("distributed_loop", 40, "hidden", "out"),
    _script("in_a_thread", 40, "only"),
    _script("fails", 15, "dense", code=1),
]
NEVER_TRAIN = [_script("evaluate_only", 0), _script("predict_generator", 0)]


@dataclass(frozen=True)
class Recorded(Ran):
    """A script under `tfprof run`, and the folder of the run."""

    folder: Path

    @property
    def run(self) -> dict:
        return json.loads((self.folder / "run.json").read_text())

    @property
    def ranks(self) -> list[Path]:
        return sorted(self.folder.glob("rank-*"))

    def rank(self, number: int = 0) -> dict:
        return json.loads((self.folder / f"rank-{number}" / "run.json").read_text())


def environment() -> dict[str, str]:
    """A user's, with our sources where an installed tfprof would be."""
    quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1", "NO_COLOR": "1"}
    return {**os.environ, **quiet, "PYTHONPATH": str(SOURCES)}


def _finished(command: list[str], cwd: Path, stdin: str = "") -> Ran:
    # bytes: a bar goes back to the beginning of its line with a character of its own
    done = subprocess.run(
        command, cwd=cwd, env=environment(), input=stdin.encode(), capture_output=True,
        timeout=SECONDS, check=False,
    )  # fmt: skip
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def plainly(words, cwd: Path = SCRIPTS, stdin: str = "") -> Ran:
    return _finished([sys.executable, *words], cwd, stdin)


def command(words, logdir: Path, *options: str) -> list[str]:
    start = [sys.executable, "-m", "tfprof", "run", "--logdir", str(logdir), *options]
    return [*start, *map(str, words)]


def recorded(words, logdir: Path, *options: str, cwd: Path = SCRIPTS, stdin="") -> Recorded:
    done = _finished(command(words, logdir, *options), cwd, stdin)
    return Recorded(done.code, done.out, done.err, run_folder(logdir, done.err))


def run_folder(logdir: Path, said: str = "") -> Path:
    runs = [path for path in logdir.iterdir() if (path / "run.json").exists()]
    assert len(runs) == 1, (sorted(logdir.iterdir()), said)
    return runs[0]


def started(words, logdir: Path, *options: str, **changes) -> subprocess.Popen:
    """Under `tfprof run`, in a session of its own; a reader follows its lines."""
    changes.setdefault("preexec_fn", _listen_to_ctrl_c)
    return subprocess.Popen(
        command(words, logdir, *options), cwd=SCRIPTS, env=environment(), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, **changes,
    )  # fmt: skip


def _listen_to_ctrl_c():
    """A shell lets what it runs in the background ignore it, and so would the script."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def read_until(process: subprocess.Popen, line: str) -> None:
    """What it prints, up to this line; whoever waits in vain is told what went wrong."""
    deadline = time.monotonic() + SECONDS
    for said in process.stdout:
        if said.rstrip() == line:
            return
        if time.monotonic() > deadline:
            break
    kill(process)
    raise AssertionError(f"never said {line!r}: {process.stderr.read()}")


def kill(process: subprocess.Popen) -> None:
    """It and its children."""
    os.killpg(process.pid, signal.SIGKILL)


def child_of(process: subprocess.Popen) -> int:
    """The script that `tfprof run` has started."""
    (found,) = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return int(found)


def masked(text: str) -> str:
    """What stays on a screen: of a line drawn again and again the last one, without times."""
    lines = [_ESCAPE.sub("", line.rpartition("\r")[2]) for line in text.split("\n")]
    return _DURATION.sub("TIME", "\n".join(lines))
