"""The folder of a run: private, its run.json never half-written, its captures few."""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any, Final, TypeAlias

from tfprof.errors import OutputNotWritable, UsageError
from tfprof.frozen_dataclass import frozen_dataclass

SCHEMA: Final = "tfprof-run/1"
RECORD: Final = "run.json"
# where the folders of runs go that nobody names
FOLDER: Final = "tfprof-runs"
CAPTURES: Final = Path("plugins") / "profile"
HIDDEN: Final = ".tmp-"
RUN_METADATA: Final = "run_meta_"
_LOCK: Final = ".lock"
_PRIVATE: Final = 0o700
_MASKED: Final = "***"
_SECRET: Final = re.compile(r"token|key|secret|password|passwd|credential", re.IGNORECASE)
_STEM: Final = re.compile(r"[^A-Za-z0-9_.-]+")
Json: TypeAlias = Any


@frozen_dataclass
class About:
    """What a recording is of: the program, and the place of this process in it."""

    script: str | None = None
    module: str | None = None
    arguments: Sequence[str] = ()
    rank: int = 0
    ranks: int = 1
    task: str | None = None
    memory: bool = False
    python_tracer: bool = False
    every_op: bool = False
    max_bytes: int = 256 << 20

    def program(self) -> dict[str, Json]:
        return {
            "script": self.script,
            "module": self.module,
            "arguments": masked(self.arguments),
        }


def masked(arguments: Sequence[str]) -> list[str]:
    """The arguments without the values of those that are called like a secret."""
    found = []
    hidden = False
    for argument in arguments:
        name, equals, value = argument.partition("=")
        is_option = argument.startswith("-") and len(argument) > 1
        if hidden and not (is_option and not _is_number(argument)):
            found.append(_MASKED)
            hidden = False
            continue
        secret = _SECRET.search(name) is not None
        if secret and equals:
            found.append(f"{name}={_MASKED}" if value else argument)
            hidden = False
        else:
            found.append(argument)
            hidden = secret and is_option
    return found


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def new_run_folder(parent: Path, stem: str) -> Path:
    """A folder of a run that starts now: `<stem>-<time>`, with a number if that is taken."""
    name = _STEM.sub("-", stem).strip("-.") or "run"
    name = f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"
    with _told(parent):
        parent.mkdir(parents=True, exist_ok=True)
    for number in range(1, 10_000):
        folder = parent / (name if number == 1 else f"{name}-{number}")
        try:
            with _told(folder):
                folder.mkdir(_PRIVATE)
        except OutputNotWritable as fault:
            if isinstance(fault.__cause__, FileExistsError):
                continue
            raise
        return folder
    raise OutputNotWritable("there are too many runs of this second", where=str(parent))


def made(folder: Path) -> Path:
    """The folder, made private to its user if it was not there, and known to be writable."""
    with _told(folder):
        missing = [folder, *folder.parents]
        for one in reversed([path for path in missing if not path.exists()]):
            one.mkdir(_PRIVATE, exist_ok=True)
        probe = folder / f"{HIDDEN}probe-{os.getpid()}"
        probe.mkdir()
        probe.rmdir()
    return folder


class _told:  # noqa: N801  (reads as a word where it is used)
    """An error of the operating system as one of ours."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, fault: BaseException | None, at: object) -> None:
        if isinstance(fault, OSError | ValueError):
            why = fault.strerror if isinstance(fault, OSError) and fault.strerror else fault
            raise OutputNotWritable(
                f"cannot be written: {why}",
                where=str(self._path),
                hint="Give another folder for the run.",
            ) from fault


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def write_json(path: Path, record: Mapping[str, Json]) -> None:
    """The old file or the new, never a part; an OSError is the caller's."""
    write_bytes(path, (json.dumps(record, indent=1, allow_nan=False) + "\n").encode())


def write_bytes(path: Path, content: bytes) -> None:
    part = path.with_name(f"{HIDDEN}{os.getpid()}-{path.name}")
    try:
        part.write_bytes(content)
        part.replace(path)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def read_record(path: Path) -> dict[str, Json]:
    """What an earlier process wrote; nothing where that cannot be read."""
    try:
        record = json.loads(path.read_text())
    except (OSError, ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) and record.get("schema") == SCHEMA else {}


@dataclass(slots=True)
class RankFolder:
    """The folder of one process, locked while it records."""

    path: Path
    before: dict[str, Json] = field(default_factory=dict)
    _lock: int | None = None

    @classmethod
    def opened(cls, path: Path) -> RankFolder:
        """Locked, without what a killed process left half-written, and with what it recorded."""
        made(path)
        folder = cls(path)
        folder._take_lock()
        for left in path.glob(f"{HIDDEN}*"):
            remove(left)
        folder.before = read_record(path / RECORD)
        return folder

    def release(self) -> None:
        """Another process may record here."""
        if self._lock is not None:
            with suppress(OSError):
                os.close(self._lock)
            self._lock = None

    def hidden(self, name: str) -> Path:
        """Where something is made that has to be whole before anybody sees it."""
        return self.path / f"{HIDDEN}{os.getpid()}-{name}"

    def show_capture(self, made_in: Path) -> Path:
        """A whole capture moves to its place; another one of that second keeps its own."""
        target = self.path / CAPTURES
        target.mkdir(parents=True, exist_ok=True)
        for number in range(1, 1000):
            place = target / (made_in.name if number == 1 else f"{made_in.name}_{number}")
            if place.exists():
                continue
            made_in.rename(place)
            return place
        raise FileExistsError(f"{target} is full")

    def remove_run_metadata(self, captures: Sequence[Mapping[str, Json]]) -> None:
        """All but theirs, of steps before the newest of these captures."""
        newest = max((one["first_step"] or 0 for one in captures), default=0)
        theirs = {one.get("run_meta") for one in captures}
        for path in self.path.glob(f"{RUN_METADATA}*"):
            step = path.name.removeprefix(RUN_METADATA)
            if path.name not in theirs and step.isdecimal() and int(step) < newest:
                remove(path)

    def captures_before(self) -> list[dict[str, Json]]:
        """The captures that are really there, also those whose process died before it told."""
        told = self.before.get("captures")
        known = {
            one["folder"]: one
            for one in (told if isinstance(told, list) else [])
            if isinstance(one, dict) and isinstance(one.get("folder"), str)
        }
        there = sorted(self.path.glob(f"{CAPTURES.as_posix()}/*/*.xplane.pb"))
        folders = dict.fromkeys(path.parent.relative_to(self.path).as_posix() for path in there)
        return [known.get(folder) or _unknown_capture(self.path, folder) for folder in folders]

    def _take_lock(self) -> None:
        try:
            import fcntl
        except ImportError:  # this system has none
            return
        lock = os.open(self.path / _LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            raise UsageError(
                f"{self.path}: a recording into this folder is going on",
                hint="End the other one first, or give another folder.",
            ) from None
        except OSError:  # not every place has locks
            os.close(lock)
        else:
            self._lock = lock


def _unknown_capture(path: Path, folder: str) -> dict[str, Json]:
    size = sum(file.stat().st_size for file in (path / folder).glob("*.xplane.pb"))
    return {
        "folder": folder, "first_step": None, "last_step": None, "complete": None,
        "started": None, "seconds": None, "bytes": size, "why": None, "events_dropped": None,
        "step_us": [], "run_meta": None, "kept_as": None,
    }  # fmt: skip


def remove(path: Path) -> None:
    """Whatever it is; what cannot be removed stays."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def kept(captures: Sequence[Mapping[str, Json]], keep: int) -> list[str | None]:
    """By capture, oldest first, why it is kept; None for those that make room."""
    told: list[str | None] = [None] * len(captures)
    for at in range(max(0, len(captures) - keep), len(captures)):
        told[at] = "newest"
    slowest = max(range(len(captures)), key=lambda at: _pace(captures[at]), default=None)
    if slowest is not None and told[slowest] is None and _pace(captures[slowest]) > 0:
        told[slowest] = "slowest"
    return told


def _pace(capture: Mapping[str, Json]) -> float:
    """How long its steps took; 0 where nobody knows."""
    periods = [value for value in capture.get("step_us") or () if isinstance(value, int | float)]
    return float(median(periods)) if periods else 0.0
