"""When a file of a store was written: every store has a word of its own for it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime

# of S3, Azure, Google, the system, web servers, fsspec's own
_KEYS = ("LastModified", "last_modified", "updated", "mtime", "Last-Modified", "created")


def moment_ns(info: Mapping[str, object]) -> int:
    """Nanoseconds since 1970; 0 where nobody says it."""
    for key in _KEYS:
        found = _seconds(info.get(key))
        if found is not None:
            return int(found * 1e9)
    return 0


def _seconds(said: object) -> float | None:
    if isinstance(said, datetime):
        return said.timestamp()
    if isinstance(said, int | float):
        return float(said)
    if isinstance(said, str):
        for read in (datetime.fromisoformat, parsedate_to_datetime):
            try:
                return read(said).timestamp()
            except ValueError:
                continue
    return None
