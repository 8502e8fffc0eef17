"""Many stretches of one buffer, compared and looked up without making a string of each.

Stretches are hashed some words at a time, all together, and 64-bit hashes stand for them. The
factors are drawn anew for each process, so no file can be made to collide; by chance, two of a
million names do once in some ten million files.
"""

from __future__ import annotations

import os
import re

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.wire.distinct import distinct
from tfprof.wire.mapped import look
from tfprof.wire.words import WORD, Hashes, Words

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

# words that are taken in together
_MOST = 8
# odd, so that two stretches that differ in one word only never have one hash
_FACTORS = np.frombuffer(os.urandom(WORD * _MOST), np.uint64) | np.uint64(1)
_FACTOR = _FACTORS[0]
_MISSING = -1
# how many stretches are hashed together: their columns should stay in the processor's cache
_BLOCK = 1 << 13
# with more bytes than this between two stretches, decoding what lies between costs too much
_SPARSE = 100


@frozen_dataclass
class Spans:
    data: bytes
    starts: Ints
    ends: Ints

    @classmethod
    def of(cls, pieces: list[bytes]) -> Spans:
        """Pieces that lie in no file."""
        ends = np.cumsum(np.fromiter(map(len, pieces), np.int64, len(pieces)))
        return cls(b"".join(pieces), np.concatenate([[0], ends[:-1]])[: len(ends)], ends)

    @classmethod
    def of_texts(cls, texts: list[str]) -> Spans:
        """Strings, one after the other."""
        joined = "".join(texts)
        if joined.isascii():
            ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)))
            return cls(joined.encode(), np.concatenate([[0], ends[:-1]])[: len(ends)], ends)
        return cls.of([text.encode("utf-8", "surrogatepass") for text in texts])

    def __len__(self) -> int:
        return len(self.starts)

    def rows(self, rows: Ints) -> Spans:
        return Spans(self.data, self.starts[rows], self.ends[rows])

    def texts(self) -> list[str]:
        """Each stretch as a string; where they are close, one decode and many slices."""
        if not len(self):
            return []
        first, last = int(self.starts.min()), int(self.ends.max())
        look(self.data, first, last)
        if len(self) * _SPARSE < last - first:
            return [piece.decode("utf-8", "replace") for piece in self.raws()]
        text = self.data[first:last].decode("latin-1")
        begin, end = (self.starts - first).tolist(), (self.ends - first).tolist()
        found = [text[a:b] for a, b in zip(begin, end, strict=True)]
        if "".join(found).isascii():
            return found
        return [s if s.isascii() else s.encode("latin-1").decode("utf-8", "replace") for s in found]

    def text(self, row: int) -> str:
        begin, end = self.starts.item(row), self.ends.item(row)
        look(self.data, begin, end)
        return self.data[begin:end].decode("utf-8", "replace")

    def first_alike(self) -> Ints:
        """For each stretch, the first one with the same bytes."""
        return self.find(self)

    def find(self, wanted: Spans) -> Ints:
        """For each wanted stretch, the first of these with the same bytes; -1 if there is none."""
        held = self._hashes()
        return _find(held, held if wanted is self else wanted._hashes())

    def near(self, word: bytes) -> Ints:
        """The stretches with a word in them, and maybe some before which it stands.

        They have to lie in the order of their rows, none in another; else all are returned.
        """
        if (self.starts[1:] < self.ends[:-1]).any():
            return np.arange(len(self))
        look(self.data, 0, len(self.data))
        hits = [found.start() for found in re.finditer(re.escape(word), self.data)]
        rows = np.searchsorted(self.starts, np.array(hits, np.int64), side="right") - 1
        return distinct(rows[rows >= 0])

    def shared_with_previous(self) -> Ints:
        """How many bytes each stretch begins with as the one before it does."""
        words = Words(self.data)
        size = self.ends - self.starts
        shared = np.zeros(len(self), np.int64)
        shared[1:] = np.minimum(size[1:], size[:-1])
        rows = np.flatnonzero(shared)
        done = 0
        while len(rows):
            differing = words.at(self.starts[rows] + done) ^ words.at(self.starts[rows - 1] + done)
            ended = differing != 0
            here = rows[ended]
            shared[here] = np.minimum(shared[here], done + _equal_bytes(differing[ended]))
            done += WORD
            rows = rows[~ended & (shared[rows] > done)]
        return shared

    def raw(self, row: int) -> bytes:
        return self.data[self.starts.item(row) : self.ends.item(row)]

    def raws(self) -> list[bytes]:
        pairs = zip(self.starts.tolist(), self.ends.tolist(), strict=True)
        return [self.data[begin:end] for begin, end in pairs]

    def _hashes(self) -> Hashes:
        size = self.ends - self.starts
        result: Hashes = size.astype(np.uint64) * _FACTOR
        words = Words(self.data)
        for first in range(0, len(self), _BLOCK):
            block = slice(first, first + _BLOCK)
            _hash_block(words, self.starts[block], size[block], result[block])
        return result


def _equal_bytes(differing: Hashes) -> Ints:
    """Of words that are not zero: how many of the first bytes are."""
    lowest = differing & (~differing + np.uint64(1))
    # a power of two is exact as a float
    found: Ints = (np.frexp(lowest.astype(np.float64))[1].astype(np.int64) - 1) >> 3
    return found


def _hash_block(words: Words, position: Ints, left: Ints, result: Hashes) -> None:
    """Takes each stretch in, some words a pass; few enough to stay in the cache."""
    rows: Ints | slice = slice(None)
    while len(left):
        count = _width(int(left.max()))
        state = result[rows]
        state ^= state >> _SHIFT
        state *= _FACTOR
        state += _mixed(words.many_at(position, left, count)) @ _FACTORS[:count]
        result[rows] = state
        going = np.flatnonzero(left > count * WORD)
        rows = going if isinstance(rows, slice) else rows[going]
        position, left = position[going] + count * WORD, left[going] - count * WORD


def _width(longest: int) -> int:
    """How many words hold stretches of up to so many bytes, or a part of them."""
    count = 1
    while count < _MOST and count * WORD < longest:
        count *= 2
    return count


def _mixed(word: Hashes) -> Hashes:
    """Each bit of a word matters to all that are left of it; nothing stays nothing."""
    word ^= word >> _SHIFT
    word *= _FACTOR
    word ^= word >> _SHIFT
    return word


_SHIFT = np.uint64(32)


def _find(held: Hashes, wanted: Hashes) -> Ints:
    """The first row of `held` with each wanted hash. A table of slots a round, other bits each."""
    bits = max(8, int(4 * len(held)).bit_length())
    mask = np.uint64((1 << bits) - 1)
    found = np.full(len(wanted), _MISSING, np.int64)
    rows, open_ = np.arange(len(held)), np.arange(len(wanted))
    for shift in range(0, 64 - bits + 1, max(1, (64 - bits) // 3)):
        if not len(rows) or not len(open_):
            return found
        slot = held[rows] >> np.uint64(shift) & mask
        table = np.full(1 << bits, _MISSING, np.int64)
        table[slot[::-1]] = rows[::-1]  # the first row of a slot is written last
        candidate = table[wanted[open_] >> np.uint64(shift) & mask]
        hit = (candidate != _MISSING) & (held[candidate] == wanted[open_])
        found[open_[hit]] = candidate[hit]
        open_ = open_[~hit]
        # rows that share a slot with another hash wait for the next round
        rows = rows[held[table[slot]] != held[rows]]
    order = rows[np.argsort(held[rows], kind="stable")]
    place = np.minimum(np.searchsorted(held[order], wanted[open_]), max(0, len(order) - 1))
    if len(order):
        hit = held[order[place]] == wanted[open_]
        found[open_[hit]] = order[place[hit]]
    return found
