"""Work on a file that may bring a C library down, in a process whose death is only an error.

The process is a new one: a fork beside the threads of TensorFlow may hang for ever.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys

from tfprof.errors import CorruptFile, TfprofError
from tfprof.wire.json_values import Json, Object, as_object

# it finds modules where we do, wherever it is started
_ENTER = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from tfprof.sources.keras.in_a_child import answer; answer(*sys.argv[2:])"
)
# what is read is small: whoever takes longer is lost
_LONGEST_SECONDS = 120


def in_a_child(module: str, given: Object, data: bytes, where: str) -> Object:
    """What `module.work(given)` returns, as JSON brings it over; `data` is on its stdin."""
    command = [sys.executable, "-c", _ENTER, json.dumps(sys.path), module, json.dumps(given)]
    try:
        ran = subprocess.run(  # noqa: S603  (ourselves)
            command,
            input=data,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_LONGEST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        what = "the file is so damaged that its library does not come to an end"
        raise CorruptFile(what, offset=0, where=where) from None
    if not ran.stdout:
        what = "the file is so damaged that its library crashed"
        raise CorruptFile(what, offset=0, where=where)
    said = json.loads(ran.stdout)
    if "fault" in said:
        raise CorruptFile(said["fault"], offset=0, where=where)
    return as_object(said["result"])


def answer(module: str, given: str) -> None:
    """The child's whole life."""
    try:
        said: Json = {"result": importlib.import_module(module).work(json.loads(given))}
    except TfprofError as fault:
        said = {"fault": fault.what.removesuffix(" at byte 0")}
    except BaseException as fault:  # noqa: BLE001  (the parent has to hear of everything)
        said = {"fault": f"{type(fault).__name__}: {fault}"}
    sys.stdout.write(json.dumps(said))
