"""How an input is given to a command: by its name, through a pipe, or among odd company."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

# options that say what a file is, and those that take another file beside it
_KINDS = ("--graph-path", "--run-meta-path", "--op-log-path", "--checkpoint-path", "--profile-path",
          "--vars")  # fmt: skip
_BESIDE = ("--calibrate", "--against", "--placement-log")
_FOR_FOLDERS = ("name", "name", "link", "company", "twice", *_KINDS, *_BESIDE)
WAYS = (*_FOR_FOLDERS, "stdin", "redirected", "pipe")


def fits(way: str, path: Path) -> str:
    """A folder goes through no pipe."""
    return way if way in _FOR_FOLDERS or path.is_file() else "name"


@contextmanager
def given(path: Path, way: str, room: Path) -> Iterator[list[str]]:
    """The words that name the input; `room` is a folder for what is needed."""
    match way:
        case "stdin":
            reading, writing = os.pipe()
            with _as_stdin(reading), _feeding(lambda: writing, path):
                yield ["-"]
        case "redirected":
            with _as_stdin(os.open(path, os.O_RDONLY)):
                yield ["-"]
        case "pipe":
            pipe = room / f"pipe-{path.name}"[:99]
            os.mkfifo(pipe)
            with _unblocking(pipe), _feeding(lambda: os.open(pipe, os.O_WRONLY), path):
                yield [str(pipe)]
        case "link":
            link = room / f"link-{path.name}"[:99]
            link.symlink_to(path)
            yield [str(link)]
        case "company":
            folder = path if path.is_dir() else path.parent
            _odd_company(folder)
            yield [str(folder)]
        case "twice":
            yield [str(path), str(path), str(room / "gone.pb")]
        case _ if way in _KINDS:
            yield [f"{way}={path}"]
        case _ if way in _BESIDE:
            yield [str(path), f"{way}={path}"]
        case _:
            yield [str(path)]


@contextmanager
def _as_stdin(opened: int) -> Iterator[None]:
    usual = os.dup(0)
    os.dup2(opened, 0)
    os.close(opened)
    try:
        yield
    finally:
        os.dup2(usual, 0)
        os.close(usual)


@contextmanager
def _feeding(open_it: Callable[[], int], path: Path) -> Iterator[None]:
    def feed() -> None:
        with suppress(OSError), os.fdopen(open_it(), "wb") as pipe:  # nobody may want to read it
            pipe.write(path.read_bytes())

    thread = threading.Thread(target=feed, daemon=True)
    thread.start()
    yield


@contextmanager
def _unblocking(pipe: Path) -> Iterator[None]:
    """Whoever still waits for a reader has one for a moment."""
    yield
    os.close(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK))


def _odd_company(folder: Path) -> None:
    """What folders may hold beside files that can be read."""
    for name, leads in (
        ("gone.pb", "nowhere"), ("loop.pb", "loop.pb"), ("up", ".."), ("here", "."),
        ("zero.xplane.pb", "/dev/zero"), ("stdin.pb", "/dev/stdin"), ("a\x1b[31m.pb", "gone.pb"),
        ("run_1", "/nonexistent"), ("l" * 255, "nowhere"),
    ):  # fmt: skip
        with suppress(OSError):
            (folder / name).symlink_to(leads)
    with suppress(OSError):
        os.mkfifo(folder / "pipe.xplane.pb")
    with suppress(OSError), socket.socket(socket.AF_UNIX) as made:
        made.bind(str(folder / "socket.pb"))
    for name in (b"\xff\xfe.pb", b"b\nc.pb", "\u202egnp.pb".encode(), b"=1+1.pb", b"-o.pb"):
        with suppress(OSError):
            Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).write_bytes(b"\x0a\x02\x0a\x00")
