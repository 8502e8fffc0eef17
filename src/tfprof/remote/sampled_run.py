"""The folder of a run that was sampled: a sub-folder a process, as `tfprof run` writes them.

It grows under a hidden name, which no command looks into, and gets its own when all is there.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import IO, Final

from tfprof.errors import told_if_unwritable
from tfprof.remote.addresses import Address
from tfprof.remote.run_records import Json, SampledProcess, write_process, write_run
from tfprof.results.capture import HostLeftOut

DEFAULT_LOGDIR: Final = Path("tfprof-runs")
_PRIVATE: Final = 0o700
_HIDDEN: Final = ".tfprof-capture-"
_LOCK: Final = ".lock"
_MOST_NAMES: Final = 10_000
# somebody else was quicker
_TAKEN: Final = (errno.EEXIST, errno.ENOTEMPTY)


class SampledRun:
    """Of captures that begin `started`, a time of the zone that people here live in."""

    def __init__(self, logdir: Path, started: datetime, options: dict[str, Json]) -> None:
        self._logdir, self._started, self._options = logdir, started, options
        self._kept: dict[Address, SampledProcess] = {}
        self.session = started.strftime("%Y_%m_%d_%H_%M_%S")
        self._made_logdir = not logdir.exists()
        self._lock: IO[bytes] | None = None
        with _told(logdir):
            logdir.mkdir(parents=True, exist_ok=True)
            _remove_left_behind(logdir)
            self._folder = logdir / f"{_HIDDEN}{os.getpid()}-{started:%H%M%S%f}"
            self._folder.mkdir(_PRIVATE)
            self._lock = _locked(self._folder)

    @property
    def is_empty(self) -> bool:
        return not self._kept

    @contextmanager
    def placed(self, capture: bytes, address: Address) -> Iterator[Path]:
        """The capture in its file, for a look at it; kept unless that fails."""
        path = self._folder / address.file_name / self._capture_file(address)
        with _told(self._logdir):
            path.parent.mkdir(_PRIVATE, parents=True)
            path.write_bytes(capture)
        try:
            yield path
        except BaseException:
            shutil.rmtree(self._folder / address.file_name, ignore_errors=True)
            raise
        self._kept[address] = SampledProcess(address, len(capture), _now())

    def finish(
        self, addresses: Sequence[Address], left_out: Sequence[HostLeftOut]
    ) -> list[tuple[Address, Path]]:
        """Under its name, ranks in the order of the addresses; the file of each."""
        kept = [address for address in addresses if address in self._kept]
        with _told(self._logdir):
            for rank, address in enumerate(kept):
                folder = self._folder / f"rank-{rank}"
                (self._folder / address.file_name).rename(folder)
                process = self._kept[address]
                write_process(
                    folder, self._started, process, self._options, (rank, len(kept)),
                    self._captures.as_posix(),
                )  # fmt: skip
            write_run(self._folder, self._started, _now(), self._options, len(kept), left_out)
            self._release()
            named = self._named()
        places = (named / f"rank-{rank}" for rank in range(len(kept)))
        return [
            (address, place / self._capture_file(address))
            for address, place in zip(kept, places, strict=True)
        ]

    def discard(self) -> None:
        """What has no name yet, as if nothing had been asked."""
        shutil.rmtree(self._folder, ignore_errors=True)
        self._release()
        if self._made_logdir:
            with suppress(OSError):  # there is something in it
                self._logdir.rmdir()

    @property
    def _captures(self) -> Path:
        return Path("plugins", "profile", self.session)

    def _capture_file(self, address: Address) -> Path:
        return self._captures / f"{address.file_name}.xplane.pb"

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None
            (self._folder / _LOCK).unlink(missing_ok=True)

    def _named(self) -> Path:
        """By the time; with a number where two began in one second."""
        name = f"capture-{self._started:%Y%m%d-%H%M%S}"
        for number in range(1, _MOST_NAMES):
            folder = self._logdir / (name if number == 1 else f"{name}-{number}")
            if folder.exists():
                continue
            try:
                return self._folder.rename(folder)
            except OSError as fault:
                if fault.errno not in _TAKEN:
                    raise
        raise FileExistsError(f"there are {_MOST_NAMES:,} captures of this second")


def _now() -> datetime:
    return datetime.now().astimezone()


def _locked(folder: Path) -> IO[bytes]:
    """As long as it is open, the folder is somebody's."""
    file = (folder / _LOCK).open("wb")
    with suppress(OSError):  # not every place has locks
        _lock(file)
    return file


def _lock(file: IO[bytes]) -> None:
    """An error where another process has it."""
    try:
        import fcntl
    except ImportError:
        return
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _remove_left_behind(logdir: Path) -> None:
    """Folders of processes that were killed: whoever fills one holds its lock."""
    for folder in logdir.glob(f"{_HIDDEN}*"):
        try:
            with (folder / _LOCK).open("rb") as file:
                _lock(file)
        except OSError:
            continue
        shutil.rmtree(folder, ignore_errors=True)


def _told(logdir: Path) -> AbstractContextManager[None]:
    return told_if_unwritable(logdir, "--logdir")
