"""What the workers of one test run share: things made once for all, and turns.

A test marked `alone` looks at the clock: while it runs, the other workers wait.
"""

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def common_folder(factory: pytest.TempPathFactory) -> Path:
    """The folder of the whole run: each worker has one of its own inside."""
    own = factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """The folder that `make` filled, for whichever worker needed it first."""
    root = common_folder(factory)
    folder, mark = root / name, root / f"{name}.made"
    with _locked(root / f"{name}.lock"):
        if not mark.exists():
            shutil.rmtree(folder, ignore_errors=True)  # of somebody who failed
            make(folder)
            mark.touch()
    return folder


@contextmanager
def turn(root: Path, *, alone: bool) -> Iterator[None]:
    """A place among the others, or all of it.

    Everyone passes the gate. Who wants to be alone stands in it until the room is empty, so that
    nobody else slips in.
    """
    gate = (root / "gate.lock").open("w")
    room = (root / "room.lock").open("w")
    with gate, room:
        fcntl.flock(gate, fcntl.LOCK_EX)
        fcntl.flock(room, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        fcntl.flock(gate, fcntl.LOCK_UN)
        yield


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield  # closing it unlocks it
