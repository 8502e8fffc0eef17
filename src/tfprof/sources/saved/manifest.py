"""`tfprof.json`, the first member of a saved profile: what each file is, as they are read."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import PurePosixPath
from typing import Final, TypeVar

from tfprof.errors import CorruptFile, NotReadYet, UnsafeFile
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.sources.saved.beginning import NAME

VERSION: Final = 1
USED, BESIDE, PASSED_OVER, ELSEWHERE = "used", "beside", "passed over", "elsewhere"
_ROLES = (USED, BESIDE, PASSED_OVER, ELSEWHERE)
T = TypeVar("T")
_HINT = "Copy or save it again: tfprof save"


@frozen_dataclass
class SavedFile:
    """A file of the profile: what it was called, what it is, and the member that has its bytes.

    `beside` is read through another file. What is passed over, or of runs elsewhere, has no member;
    `why` tells the reason. `kept` are the only stretches that were saved, from where to where, of a
    file that has `size` bytes.
    """

    name: str
    format: str
    role: str = USED
    member: str = ""
    size: int = 0
    modified: float = 0.0
    rank: int | None = None
    why: str = ""
    kept: tuple[tuple[int, int], ...] | None = None


@frozen_dataclass
class Manifest:
    """`found` is what there was to say about the folder, `warnings` about what was chosen in it."""

    title: str
    files: tuple[SavedFile, ...]
    written_by: str = ""
    other_runs: int = 0
    found: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    values: bool = True
    confidential: bool = False

    def encoded(self) -> bytes:
        """Half of a character, which a name may have, is spelt out in ASCII."""
        whole = {"format": "tfprof", "version": VERSION, **asdict(self)}
        for file in whole["files"]:
            for key in [key for key, value in file.items() if value in ("", None)]:
                del file[key]
        return json.dumps(whole, indent=1).encode("ascii")


def decoded(data: bytes, where: str) -> Manifest:
    """Nothing in it is believed: whoever wrote the file may mean harm."""
    try:
        whole = _checked(json.loads(data), dict)
        _check_version(_checked(whole["version"], int), whole.get("written_by"), where)
        files = tuple(_file(one) for one in _checked(whole["files"], list))
        made = Manifest(
            _checked(whole["title"], str),
            files,
            _checked(whole["written_by"], str),
            _checked(whole["other_runs"], int),
            _texts(whole["found"]),
            _texts(whole["warnings"]),
            _checked(whole["values"], bool),
            _checked(whole["confidential"], bool),
        )
    except (ValueError, TypeError, KeyError, RecursionError) as fault:
        why = f"{NAME} has no {fault}" if isinstance(fault, KeyError) else f"{NAME}: {fault}"
        what = f"the saved profile is damaged ({why})"
        raise CorruptFile(what, offset=0, where=where, hint=_HINT) from None
    _look_over(made, where)
    return made


def _check_version(version: int, by: object, where: str) -> None:
    if version > VERSION:
        raise _too_new(version, by, where)
    if version < VERSION:
        raise ValueError(f"its version is {version}")


def _file(said: object) -> SavedFile:
    if not isinstance(said, dict):
        raise TypeError("a file that is no object")
    known = {one.name for one in fields(SavedFile)}
    file: Mapping[str, object] = {key: value for key, value in said.items() if key in known}
    kept = file.get("kept")
    made = SavedFile(
        _checked(file["name"], str),
        _checked(file.get("format", ""), str),
        _checked(file["role"], str),
        _checked(file.get("member", ""), str),
        _checked(file.get("size", 0), int),
        _checked(file.get("modified", 0.0), float),
        None if file.get("rank") is None else _checked(file["rank"], int),
        _checked(file.get("why", ""), str),
        None if kept is None else tuple(_stretch(one) for one in _checked(kept, list)),
    )
    if made.role not in _ROLES:
        raise ValueError(f"a file is {made.role!r}")
    if made.size < 0 or (made.role in (USED, BESIDE)) != bool(made.member):
        raise ValueError(f"the file {made.name!r} has no bytes")
    return made


def _stretch(said: object) -> tuple[int, int]:
    begin, end = (_checked(one, int) for one in _checked(said, list))
    if not 0 <= begin <= end:
        raise ValueError(f"a stretch from {begin} to {end}")
    return begin, end


def _checked(value: object, kind: type[T]) -> T:
    """JSON has no types; a truth is no number here."""
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise TypeError(f"{type(value).__name__} where {kind.__name__} stands")
    return value


def _texts(value: object) -> tuple[str, ...]:
    return tuple(_checked(one, str) for one in _checked(value, list))


def _look_over(made: Manifest, where: str) -> None:
    """Names that are paths, and each of them of one file."""
    seen = dict[str, str]()
    for one in made.files:
        inside = PurePosixPath(one.name)
        outside = inside.is_absolute() or ".." in inside.parts
        if outside or not inside.parts or not _can_be_a_name(one.name):
            raise UnsafeFile(f"refused: its file {one.name!r} lies outside of it", where=where)
        if one.member and seen.setdefault(one.name, one.member) != one.member:
            what = f"the saved profile is damaged ({NAME} has {one.name!r} twice)"
            raise CorruptFile(what, offset=0, where=where, hint=_HINT)


def _can_be_a_name(name: str) -> bool:
    """Of a file: no system has one with a NUL, or with half of a character."""
    try:
        return b"\0" not in os.fsencode(name)
    except UnicodeEncodeError:
        return False


def _too_new(version: int, by: object, where: str) -> NotReadYet:
    who = f"{by} wrote it" if isinstance(by, str) and by else "a newer tfprof wrote it"
    return NotReadYet(
        f"this is a saved profile of format {version:,}, and this version reads up to {VERSION}; "
        f"{who}",
        where=where,
        hint="Take a newer tfprof: pip install --upgrade tfprof",
    )
