"""Where the runs of a history lie: by the names of files alone, so that a second look opens none.

A place is what is read together, and again when one of its files changes: a saved profile, the
folder of a recorded run, or the folder around captures and graphs, which may hold several runs.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tfprof.errors import (
    AccessDenied,
    NothingRecognised,
    PathNotFound,
    TfprofError,
    WrongKind,
)
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.sources.files.below import MOST_FILES, ListedFile, Listing, files_listed, listed_file
from tfprof.sources.files.opener import opener_for, spelt
from tfprof.sources.find.choose import run_around
from tfprof.sources.find.globs import Pattern, lies_in_match, matching, pattern_of
from tfprof.sources.formats.run_record import NAME as RECORD
from tfprof.sources.history.index_file import NAME as INDEX

_RANK = re.compile(r"rank-\d{1,6}")
_SAVED = ".tfprof"


@frozen_dataclass
class RunPlace:
    """`home` is the folder whose index knows it; `is_named`: somebody named it by itself."""

    path: Path
    home: Path
    files: tuple[ListedFile, ...]
    is_recorded: bool = False
    is_named: bool = False

    @property
    def is_file(self) -> bool:
        return len(self.files) == 1 and self.files[0].path == self.path

    @property
    def key(self) -> str:
        """As the index calls it."""
        return self.path.relative_to(self.home).as_posix()

    @property
    def stamp(self) -> str:
        """What is another one if a file came, went or was written again; empty if nobody knows."""
        if not all(file.stamp for file in self.files):
            return ""
        made = hashlib.blake2b(digest_size=16)
        for file in sorted(self.files, key=lambda one: one.path):
            name = file.path.relative_to(self.path).as_posix()
            line = f"{name}\0{file.size}\0{file.stamp}\n"
            made.update(line.encode(errors="surrogatepass"))
        return made.hexdigest()

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)

    @property
    def modified_ns(self) -> int:
        return max((file.modified_ns for file in self.files), default=0)


@frozen_dataclass
class NotFound:
    """What somebody named, and why nothing could be looked at there."""

    path: Path
    fault: TfprofError


@frozen_dataclass
class FoundPlaces:
    """`whole` are the folders that were looked through: what is not among the places is gone.

    `shut` are those that could not be.
    """

    places: tuple[RunPlace, ...]
    missing: tuple[NotFound, ...]
    whole: tuple[Path, ...]
    warnings: tuple[str, ...]
    shut: tuple[AccessDenied, ...]


def find_places(words: Sequence[Path], most_files: int = MOST_FILES) -> FoundPlaces:
    """Of files, folders and patterns, each place once; of a folder, so many files are looked at."""
    places: dict[Path, RunPlace] = {}
    missing: list[NotFound] = []
    whole: list[Path] = []
    warnings: list[str] = []
    shut: list[AccessDenied] = []
    look = _Look(most_files, whole, warnings, shut)
    for word in words:
        path, shut_before = spelt(word), len(shut)
        try:
            for place in _places_of(path, look):
                places.setdefault(place.path, place)
        except NothingRecognised as fault:  # for all that could be seen
            mine = shut[shut_before:]
            missing += [NotFound(Path(one.where), one) for one in mine] or [NotFound(path, fault)]
        except TfprofError as fault:
            missing.append(NotFound(path, fault))
        except OSError as fault:
            missing.append(NotFound(path, AccessDenied.because(fault, str(path))))
    found = tuple(places.values())
    return FoundPlaces(found, tuple(missing), tuple(whole), tuple(warnings), tuple(shut))


@frozen_dataclass
class _Look:
    """How many files are looked at, and what is learned on the way, as FoundPlaces has it."""

    most_files: int
    whole: list[Path]
    warnings: list[str]
    shut: list[AccessDenied]

    def listed(self, folder: Path) -> Listing:
        found = files_listed(folder, self.most_files)
        self.warnings.extend(found.warnings)
        self.shut.extend(found.shut)
        return found


def _places_of(path: Path, look: _Look) -> Iterator[RunPlace]:
    pattern = pattern_of(path)
    if pattern is None:
        yield from _at(path, None, look)
        return
    found = False
    for one in matching(pattern):
        below = _below(one, pattern, look) if pattern.is_deep else _at(
            one, pattern.base, look, is_named=False)  # fmt: skip
        for place in below:
            found = True
            yield place
    if not found:
        raise NothingRecognised("nothing that matches is a run", where=pattern.text)


def _at(path: Path, home: Path | None, look: _Look, *, is_named: bool = True) -> Iterator[RunPlace]:
    """A file, a run folder, or a folder of them."""
    opener = opener_for(path)
    if not opener.is_folder(path):
        if not opener.exists(path):
            raise PathNotFound("no such file or folder", where=str(path))
        if path.name == INDEX:
            hint = "Name the folder that it lies in."
            raise WrongKind("this is the index of a history", where=str(path), hint=hint)
        beside = home or path.parent
        yield RunPlace(path, beside, (listed_file(path),), is_named=True)
        return
    listing = look.listed(path)
    grouped = [*_grouped(path, listing.files, home or path)]
    if [place.path for place in grouped] == [path] and grouped[0].is_recorded:
        beside = home or (path.parent if path.parent != path else path)
        yield RunPlace(path, beside, grouped[0].files, is_recorded=True, is_named=is_named)
        return
    if home is None and listing.is_whole:
        look.whole.append(path)
    if not grouped and not listing.is_whole:
        what = f"no run among the first {look.most_files:,} files of this folder"
        raise NothingRecognised(what, where=str(path), hint="--most-files N looks at more.")
    if not grouped and is_named:
        raise NothingRecognised("there is no file in this folder", where=str(path))
    yield from grouped


def _below(folder: Path, pattern: Pattern, look: _Look) -> Iterator[RunPlace]:
    """Of a pattern with `**`: what is called so, and what lies in folders that are."""
    if not opener_for(folder).is_folder(folder):
        return
    files = look.listed(folder).files
    called = [one for one in files if lies_in_match(pattern, one.path.relative_to(folder).parts)]
    yield from _grouped(folder, called, pattern.base)


def _grouped(root: Path, files: Iterable[ListedFile], home: Path) -> Iterator[RunPlace]:
    listed = [*files]
    recorded = {_recorded_at(root, one.path) for one in listed if one.path.name == RECORD}
    groups: dict[Path, list[ListedFile]] = {}
    around: dict[Path, tuple[Path, bool]] = {}
    for file in listed:
        folder = file.path.parent
        if folder not in around:  # of many files, few folders
            around[folder] = _run_around(root, folder, recorded)
        place, is_record = around[folder]
        alone = not is_record and file.path.name.lower().endswith(_SAVED)
        groups.setdefault(file.path if alone else place, []).append(file)
    for path, mine in groups.items():
        yield RunPlace(path, home, tuple(mine), is_recorded=path in recorded)


def _recorded_at(root: Path, record: Path) -> Path:
    """The run that a record is of: of a rank's, the folder around it."""
    folder = record.parent
    return folder.parent if folder != root and _RANK.fullmatch(folder.name) else folder


def _run_around(root: Path, folder: Path, recorded: set[Path]) -> tuple[Path, bool]:
    """The run that the files of a folder are of, and whether it was recorded."""
    around = [one for one in (folder, *folder.parents) if one == root or one.is_relative_to(root)]
    run = next((one for one in reversed(around) if one in recorded), None)
    return (run, True) if run is not None else (run_around(root, folder / "a file"), False)
