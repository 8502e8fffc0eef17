"""Work on a file that may bring a C library down, in a process whose death is only an error."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable
from typing import Any

from tfprof.errors import CorruptFile, TfprofError


def in_a_child(work: Callable[[], Any], where: str) -> Any:  # noqa: ANN401
    """What `work` returns, as JSON brings it over; without fork it is done right here."""
    if not hasattr(os, "fork"):
        return work()
    read_end, write_end = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    with warnings.catch_warnings():
        # threads of others do not matter: the child only reads a file and ends
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        os.close(read_end)
        _answer(work, write_end)
    os.close(write_end)
    with os.fdopen(read_end, "rb") as pipe:
        data = pipe.read()
    os.waitpid(child, 0)
    if not data:
        what = "the file is so damaged that its library crashed"
        raise CorruptFile(what, offset=0, where=where)
    said = json.loads(data)
    if "fault" in said:
        raise CorruptFile(said["fault"], offset=0, where=where)
    return said["result"]


def _answer(work: Callable[[], Any], write_end: int) -> None:
    """The child's whole life: it never returns, so nothing of the parent is cleaned up twice."""
    try:
        said = {"result": work()}
    except TfprofError as fault:
        said = {"fault": fault.what.removesuffix(" at byte 0")}
    except BaseException as fault:  # noqa: BLE001  (the parent has to hear of everything)
        said = {"fault": f"{type(fault).__name__}: {fault}"}
    try:
        with os.fdopen(write_end, "wb") as pipe:
            pipe.write(json.dumps(said).encode())
    finally:
        os._exit(0)
