"""Values that readers and rules trip over, and damage that knows nothing of a format."""

from __future__ import annotations

import random
from functools import cache

Chance = random.Random

NUMBERS = (
    0, 1, 2, 3, 7, 8, 32, 127, 128, 255, 1000, 65_536, (1 << 31) - 1, 1 << 31, (1 << 32) - 1,
    (1 << 53) + 1, 10**12, 1 << 62, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, -1, -2, -128,
    -(1 << 31), -(1 << 63),
)  # fmt: skip
FLOATS = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    5e-324,
    1e-30,
    1e30,
    1.7e308,
    *map(float, ("nan", "inf", "-inf")),
)
NAMES = (
    b"", b"\0", b" ", b"\n", b"a\nb", b"\r", b"\t", b"/", b"//", b"a//b", b"a/", b"..", b"^",
    b"^^a", b":", b"a:", b"a:0", b"a:-1", b"a:99999999999999999999", b"a:1:2", b"\x1b[31mred",
    b"\xc2\x9b2J",
    "\u202eabc".encode(), "\u2028".encode(), b"\xed\xa0\x80", b"\xff\xfe", "🙂".encode(), b"=1+1",
    b"-", b"@x", b"gradients/", b"gradients/a_grad/b", b"/device:GPU:99999999999999999999",
    b"/job:w/replica:0/task:-1/device:CPU:0", b"/job:", b"%s{}", b"(", b"[a](b)", b"<svg>&", b"|",
    b"a" * 5000, b"a/" * 300, b"\xc3\xa9" * 300, b"_SOURCE", b"nan", b"-0", b"1e999",
)  # fmt: skip


@cache
def op_types() -> tuple[bytes, ...]:
    """Every op type that there is a rule for: a wrong op among its inputs tries the rule."""
    import tfprof.ops.every_family  # noqa: F401  (registers the rules)
    from tfprof.ops.rule import rules

    return tuple(name.encode() for name in sorted(rules()))


def damaged(data: bytes, chance: Chance) -> bytes:
    """Wrong bytes, a cut, a piece twice, a piece missing, or two pieces that changed places."""
    if not data:
        return chance.randbytes(chance.randrange(1, 40))
    kind = chance.randrange(5)
    if kind == 0:
        return flipped(data, chance)
    begin = chance.randrange(len(data))
    if kind == 1:
        return data[:begin]
    end = min(len(data), begin + chance.choice([1, 2, 4, 8, 64, 1000]))
    piece = data[begin:end]
    if kind == 2:
        return data[:end] + piece * chance.choice([1, 1, 2, 50]) + data[end:]
    if kind == 3:
        return data[:begin] + data[end:]
    other = chance.randrange(len(data))
    return data[:other] + piece + data[other + len(piece) :]


def flipped(data: bytes, chance: Chance) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice([1, 1, 1, 2, 5, 20])):
        # headers matter most: half of the damage is in the first kilobyte
        limit = len(data) if chance.random() < 0.5 else min(len(data), 1024)
        changed[chance.randrange(limit)] = chance.randrange(256)
    return bytes(changed)
