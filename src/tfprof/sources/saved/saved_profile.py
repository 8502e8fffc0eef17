"""A saved profile as a format: told by its first member, read as the files that are in it."""

from __future__ import annotations

from pathlib import Path

from tfprof.errors import WrongKind
from tfprof.sources.files.registry import FilePiece, Format, register
from tfprof.sources.saved.archive import is_saved
from tfprof.sources.saved.members import members_of
from tfprof.wire.fields import Progress

KIND = "saved profile"


def _read(path: Path, _step: int, _progress: Progress | None) -> FilePiece:
    """Whoever finds one takes the files in it: it comes to this only where that fails."""
    members_of(path)
    raise WrongKind("a saved profile inside of another one is not read", where=str(path))


register(Format(
    name=KIND,
    about="what `tfprof save` keeps: the files of a profile in one",
    names="*.tfprof",
    recognised_by="its first member",
    gives="all that its files gave",
    score=lambda probe: float(is_saved(probe.head)),
    read=_read,
))  # fmt: skip
