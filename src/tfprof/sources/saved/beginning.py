"""How a saved profile begins: its first member tells it from any other ZIP."""

from __future__ import annotations

from typing import Final

# the member that says what the others are
NAME: Final = "tfprof.json"
_LOCAL_HEADER: Final = 30
_LOCAL_MAGIC: Final = b"PK\x03\x04"
HEAD_SIZE: Final = _LOCAL_HEADER + len(NAME)


def is_saved(head: bytes) -> bool:
    return head.startswith(_LOCAL_MAGIC) and head[_LOCAL_HEADER:HEAD_SIZE] == NAME.encode()
