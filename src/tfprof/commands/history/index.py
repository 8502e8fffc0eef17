"""The index of a history: where it lies, who reads it, and how it is written.

It lies beside the runs; where nothing can be written there, in the cache of the user. It is only
ever written whole. Two who look at the same time may both write: what one of them knew is read
again next time, and nothing else is lost.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tfprof import __version__
from tfprof.commands.writing import write_chunks
from tfprof.errors import OutputNotWritable, TfprofError
from tfprof.model.known_run import KnownRun
from tfprof.printable import place
from tfprof.sources.files.opener import here, is_remote, opener_for
from tfprof.sources.find.run_places import RunPlace
from tfprof.sources.history.index_file import MOST_BYTES, NAME, Entry, Index, decoded, encoded

_WEB = ("http:", "https:")


class RunIndex:
    """What is known of the runs of one folder, `home`."""

    def __init__(self, home: Path, warnings: list[str]) -> None:
        self.home = home
        self._warnings = warnings
        self._read = [self._read_at(path) for path in self._places()]
        self._new: dict[str, Entry] = {}

    def known(self, run_place: RunPlace) -> tuple[KnownRun, ...] | None:
        """None where its files are not what they were; paths as they are seen from here."""
        stamp = run_place.stamp
        for index in self._read:
            entry = index.entries.get(run_place.key)
            if stamp and entry is not None and entry.stamp == stamp:
                return tuple(replace(r, path=str(self.home / r.path)) for r in entry.runs)
        return None

    def add(self, run_place: RunPlace, runs: tuple[KnownRun, ...]) -> None:
        """Nothing of a place whose files nobody can tell from others."""
        if run_place.stamp:
            seen = tuple(replace(r, path=_seen_from(self.home, r.path)) for r in runs)
            self._new[run_place.key] = Entry(run_place.stamp, seen)

    def write(self, there: frozenset[str] | None) -> str | None:
        """Where to; None if there is nothing new. `there` are all places, if all were looked at."""
        if not self._new:
            return None
        why = ""
        for path in self._places():
            if not _may_be_ours(path):
                continue
            try:
                write_chunks(path, self._merged(path, there), force=True)
            except (OutputNotWritable, TfprofError, OSError) as fault:
                why = why or str(fault)
            else:
                return place(path)
        self._warnings.append(
            f"the index could not be written, the next look reads all again: {why or 'no place'}"
        )
        return None

    def _merged(self, path: Path, there: frozenset[str] | None) -> Iterator[bytes]:
        """With what others wrote meanwhile, without what is gone."""
        entries = {**self._read_at(path, quiet=True).entries, **self._new}
        kept = {key: one for key, one in entries.items() if there is None or key in there}
        return encoded(kept, __version__)

    def _places(self) -> list[Path]:
        beside = self.home / NAME
        cached = _cached(self.home)
        return [beside] if cached is None else [beside, cached]

    def _read_at(self, path: Path, *, quiet: bool = False) -> Index:
        try:
            data = _bytes(path)
        except (TfprofError, OSError) as fault:
            found = Index({}, why=f"the index cannot be read: {getattr(fault, 'what', fault)}")
        else:
            found = Index({}) if data is None else decoded(data, __version__)
        if found.why and not quiet:
            self._warnings.append(f"{place(path)}: {found.why}; the runs are read again")
        if found.damaged and not quiet:
            said = f"{found.damaged:,} entries of the index are damaged; those runs are read again"
            self._warnings.append(f"{place(path)}: {said}")
        return found


def _seen_from(home: Path, path: str) -> str:
    return Path(path).relative_to(home).as_posix()


def _bytes(path: Path) -> bytes | None:
    """None where there is none; no link is followed, and nothing is read that is no file."""
    if not is_remote(path):
        try:
            found = path.lstat()
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return None
        if not stat.S_ISREG(found.st_mode):
            raise OSError("it is a link, or no file")
    opener = opener_for(path)
    if is_remote(path) and not opener.exists(path):
        return None
    size = opener.facts(path).size
    if size > MOST_BYTES:
        raise OSError(f"it has {size >> 20:,} MB")
    return opener.read(path)


def _may_be_ours(path: Path) -> bool:
    """A link could lead to any file of the user's; a web server takes no files."""
    if is_remote(path):
        return path.parts[0] not in _WEB
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except FileNotFoundError:
        return _made(path.parent)
    except (OSError, ValueError):
        return False


def _made(folder: Path) -> bool:
    """The cache may not be there yet; nobody else needs to see it."""
    cache = _cache_folder()
    if cache is None or folder != cache:
        return True
    try:
        folder.mkdir(0o700, parents=True, exist_ok=True)
    except OSError:
        return False
    return True


def _cached(home: Path) -> Path | None:
    folder = _cache_folder()
    if folder is None:
        return None
    opener = opener_for(home)
    seen = str(opener.real(opener.absolute(home, here())))
    name = hashlib.blake2b(seen.encode(errors="surrogatepass"), digest_size=16).hexdigest()
    return folder / f"{name}.json"


def _cache_folder() -> Path | None:
    said = os.environ.get("XDG_CACHE_HOME", "")
    if said.startswith("/"):
        return Path(said, "tfprof", "log")
    try:
        return Path.home() / ".cache" / "tfprof" / "log"
    except RuntimeError:  # nobody's home
        return None
