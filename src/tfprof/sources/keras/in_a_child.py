"""Work on a file that may bring a C library down, in a process whose death is only an error.

The process is a new one: a fork beside the threads of TensorFlow may hang for ever.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from typing import IO

from tfprof.errors import CorruptFile, TfprofError
from tfprof.wire.json_values import Json, Object, as_object

# it finds modules where we do, wherever it is started
_ENTER = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from tfprof.sources.keras.in_a_child import answer; answer(*sys.argv[2:])"
)
# what is read is small: whoever takes longer is lost. The clock on the wall is for what waits
_LONGEST_SECONDS, _LONGEST_WAIT = 15, 60
_TIME_IS_UP = getattr(signal, "SIGXCPU", 0)
_MOST_MEMORY = 2 << 30
# a machine of many cores would have threads for each of them, and reserve memory for those
_ALONE = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def in_a_child(module: str, given: Object, stdin: IO[bytes], where: str) -> Object:
    """What `module.work(given)` returns, as JSON brings it over."""
    command = [sys.executable, "-c", _ENTER, json.dumps(sys.path), module, json.dumps(given)]
    try:
        ran = subprocess.run(  # noqa: S603  (ourselves)
            command,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_LONGEST_WAIT,
            env={**os.environ, **_ALONE},
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _endless(where) from None
    return result_of(ran.returncode, ran.stdout, where)


def result_of(code: int, out: bytes, where: str) -> Object:
    """From how the child ended, and what it said."""
    if code == -_TIME_IS_UP:
        raise _endless(where)
    if not out or code:
        what = "the file is so damaged that its library crashed"
        raise CorruptFile(what, offset=0, where=where)
    said = json.loads(out)
    if "fault" in said:
        raise CorruptFile(said["fault"], offset=0, where=where)
    return as_object(said["result"])


def _endless(where: str) -> CorruptFile:
    what = "the file is so damaged that its library does not come to an end"
    return CorruptFile(what, offset=0, where=where)


def answer(module: str, given: str) -> None:
    """The child's whole life."""
    try:
        _limit()
        said: Json = {"result": importlib.import_module(module).work(json.loads(given))}
    except TfprofError as fault:
        said = {"fault": fault.what.removesuffix(" at byte 0")}
    except BaseException as fault:  # noqa: BLE001  (the parent has to hear of everything)
        said = {"fault": f"{type(fault).__name__}: {fault}"}
    sys.stdout.write(json.dumps(said))


def _limit() -> None:
    """A library may be led in circles, or to ask for any memory; not every system has limits."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (_LONGEST_SECONDS, _LONGEST_SECONDS + 1))
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
