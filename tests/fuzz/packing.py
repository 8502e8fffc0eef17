"""Any file packed with gzip: whole, in pieces, cut, damaged, or with something behind it."""

from __future__ import annotations

import gzip

from fuzz.odd import Chance, damaged

_MOST_PIECES = 5


def packed(data: bytes, chance: Chance) -> bytes:
    size = max(1, len(data) // chance.randrange(1, _MOST_PIECES))
    pieces = [data[at : at + size] for at in range(0, len(data), size)] or [b""]
    whole = b"".join(gzip.compress(piece, 1, mtime=0) for piece in pieces)
    ways = (
        lambda: whole[: chance.randrange(len(whole))],
        lambda: damaged(whole, chance),
        lambda: whole + chance.choice([bytes(1000), b"\x1f\x8b", b"behind", whole, b"\x1f"]),
        lambda: gzip.compress(whole, 1, mtime=0),
        lambda: gzip.compress(b"", mtime=0) * 1000 + whole,
        lambda: whole + gzip.compress(bytes(1 << 20), 1, mtime=0) * chance.choice([1, 40]),
        lambda: whole,
        lambda: whole,
    )
    return chance.choice(ways)()
