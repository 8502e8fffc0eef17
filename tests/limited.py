"""A command in a forked process with limits: what it took, and how it ended."""

import importlib
import os
import pkgutil
import resource
import signal
import sys
import tempfile
import traceback
from dataclasses import dataclass
from pathlib import Path

from tfprof.cli.main import main
from tfprof.ops.rule import rules
from tfprof.sources.files.registry import formats

# a process that is over in neither is stopped: what is held to is 20 s and 2 GB
SECONDS, GIGABYTES = 20, 2
# address space is more than memory: libraries reserve what they never touch
_SPACE = 2 * GIGABYTES << 30
_MB = 1 << 20 if sys.platform == "darwin" else 1 << 10
# ends of a command that read something it did not like, or had nothing to say
ENDS = frozenset({0, 2, 3, 4, 6})

COMMANDS = (
    "summary", "doctor", "layers", "layers --by op", "memory", "memory --batch 1,8",
    "memory --optimizer adam", "steps", "input", "timeline", "placement",
    "scope -select params,float_ops", "graph", "op -select float_ops", "code", "draw memory",
    "summary --json",
)  # fmt: skip


@dataclass(frozen=True)
class Taken:
    """`seconds` of processor time: other processes do not count."""

    code: int
    seconds: float
    megabytes: int
    out: str
    err: str

    @property
    def is_fine(self) -> bool:
        return (
            self.code in ENDS
            and self.seconds <= SECONDS
            and self.megabytes <= GIGABYTES << 10
            and "Traceback" not in self.err
        )


def _load() -> None:
    """What commands import when they need it, once: every process would anew."""
    formats()
    rules()
    for package in ("reports", "renderers"):
        found = importlib.import_module(f"tfprof.{package}")
        for module in pkgutil.walk_packages(found.__path__, f"tfprof.{package}."):
            importlib.import_module(module.name)


_load()


def _held() -> int:
    """Megabytes of this process, which a forked one has from the beginning."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    except OSError:
        return 0
    return int(pages) * resource.getpagesize() >> 20


_LOADED = _held()


def run_limited(*words) -> Taken:
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        # what other tests have left in this process is not the command's
        left = max(0, _held() - _LOADED)
        process = os.fork()
        if not process:
            _child([str(word) for word in words], out.fileno(), err.fileno())
        _, status, used = os.wait4(process, 0)
        out.seek(0)
        err.seek(0)
        code = os.waitstatus_to_exitcode(status)
        took = used.ru_utime + used.ru_stime
        megabytes = max(0, used.ru_maxrss // _MB - left)
        return Taken(code, round(took, 2), megabytes, out.read(), err.read())


def _child(words: list[str], out: int, err: int) -> None:
    code = 70
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS + 1, SECONDS + 2))
        resource.setrlimit(resource.RLIMIT_AS, (_SPACE, _SPACE))
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        os.dup2(out, 1)
        os.dup2(err, 2)
        sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
        code = main(words)
        sys.stdout.flush()
    except BaseException:  # noqa: BLE001  (a child must not go on in its parent's code)
        os.write(2, traceback.format_exc().encode(errors="replace"))
    finally:
        os._exit(code)
