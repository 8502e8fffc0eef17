"""A saved profile inside of another one."""

from __future__ import annotations

from pathlib import Path

from tfprof.errors import WrongKind
from tfprof.sources.files.registry import FilePiece
from tfprof.sources.saved.members import members_of
from tfprof.wire.fields import Progress


def read(path: Path, _step: int, _progress: Progress | None) -> FilePiece:
    """Whoever finds one takes the files in it: it comes to this only where that fails."""
    members_of(path)
    raise WrongKind("a saved profile inside of another one is not read", where=str(path))
