"""The eight bytes at any place of a buffer as one number, and the varints in them, in bulk."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from tfprof.wire.mapped import mapped_file

Ints = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint64]
Bytes = npt.NDArray[np.uint8]
# some words as one thing
Wide = npt.NDArray[np.void]

WORD = 8
_THREE = 3
# how far a byte is looked for at once
_NEAR = 64
_BLOCK = 1 << 18


class Words:
    """A buffer read eight bytes at a time from any offset; behind its end all is zero."""

    def __init__(self, data: bytes) -> None:
        self.size = len(data)
        self._mapped = mapped_file(data)
        if len(data) < WORD:
            data = data + bytes(WORD)
        self._last = len(data) - WORD
        self._bytes: Bytes = np.frombuffer(data, np.uint8)
        # every offset, unaligned: numpy gathers from such a view without copying it
        self._view: Hashes = np.ndarray((self._last + 1,), "<u8", buffer=data, strides=(1,))
        # the same of bytes whose meaning is left open, which are copied faster than numbers
        if len(data) < _THREE * WORD:
            data = data + bytes(_THREE * WORD)
        self.last_three = len(data) - _THREE * WORD
        self._threes = np.ndarray(
            (self.last_three + 1,), f"V{_THREE * WORD}", buffer=data, strides=(1,)
        )
        if len(data) < _NEAR:
            data = data + bytes(_NEAR)
        self._windows = np.ndarray((len(data) - _NEAR + 1,), f"V{_NEAR}", buffer=data, strides=(1,))

    @property
    def is_mapped(self) -> bool:
        return self._mapped is not None

    def stretch(self, begin: int, end: int) -> Bytes:
        """The bytes themselves."""
        if self._mapped is not None:
            self._mapped.look(begin, end)
        return self._bytes[begin:end]

    def at(self, position: Ints) -> Hashes:
        """The eight bytes from each position on; no position may lie far behind the end."""
        self._look(position)
        word: Hashes
        if int(position.max(initial=0)) <= self._last:
            word = self._view[position]
        else:
            beyond = np.clip(position - self._last, 0, WORD - 1)
            word = self._view[np.minimum(position, self._last)] >> (beyond << 3).astype(np.uint64)
        return word

    def pairs_at(self, position: Ints) -> tuple[Bytes, Bytes]:
        """The byte at each position and the one behind it; any bytes behind the end."""
        self._look(position)
        return self._bytes.take(position, mode="clip"), self._bytes[1:].take(position, mode="clip")

    def thirds_at(self, position: Ints) -> Bytes:
        """The byte behind those two."""
        return self._bytes[2:].take(position, mode="clip")

    def towards(self, byte: int, position: Ints) -> Ints:
        """From each position on, the first that holds this byte; if that is far, some way to it.

        In the last bytes of the buffer, its end.
        """
        found = np.full(len(position), self.size)
        near = np.flatnonzero(position <= self.size - _NEAR)
        begin = position[near]
        self._look(begin)
        window = self._windows[begin].view(np.uint8).reshape(-1, _NEAR)
        holds = window == byte
        found[near] = begin + np.where(holds.any(axis=1), holds.argmax(axis=1), _NEAR)
        return found

    def threes_at(self, position: Ints) -> Hashes:
        """Three words from each position on, a row each; the last whole three behind those."""
        self._look(position)
        try:
            found = self._threes[position]
        except IndexError:
            found = self._threes[np.minimum(position, len(self._threes) - 1)]
        return found.view(np.uint64).reshape(-1, _THREE)

    def many_at(self, position: Ints, size: Ints, count: int) -> Hashes:
        """`count` words from each position on, a row each; behind the first `size` bytes zeros."""
        self._look(position)
        width = count * WORD
        found = self._wide_at(position, width).view(np.uint64)
        found &= _masks(width)[np.minimum(size, width)].view(np.uint64)
        return found.reshape(-1, count)

    def _wide_at(self, position: Ints, width: int) -> Wide:
        """So many bytes from each position on; any behind the end."""
        last = self.size - width
        if int(position.max(initial=0)) <= last:
            return _windows(self._bytes, width)[position]
        begin = max(0, last)
        rest = np.append(self._bytes[begin : self.size], np.zeros(width, np.uint8))
        found = _windows(rest, width)[np.maximum(position - begin, 0)]
        before = np.flatnonzero(position < begin)
        if len(before):
            found[before] = self._wide_at(position[before], width)
        return found

    def bytes_at(self, position: Ints) -> Bytes:
        """The byte at each of many positions, none of them behind the end."""
        found = np.empty(len(position), np.uint8)
        for first in range(0, len(position), _BLOCK):
            block = slice(first, first + _BLOCK)
            self._look(position[block])
            self._bytes.take(position[block], out=found[block])
        return found

    def _look(self, position: Ints) -> None:
        if self._mapped is not None and len(position):
            self._mapped.look(int(position[0]), int(position[-1]))


def _windows(data: Bytes, width: int) -> Wide:
    """So many bytes from every place on, as what numpy copies fastest."""
    return np.ndarray((len(data) - width + 1,), f"V{width}", buffer=data, strides=(1,))


@cache
def _masks(width: int) -> Wide:
    """By a number of bytes, what keeps so many."""
    kept = np.arange(width) < np.arange(width + 1)[:, None]
    return np.where(kept, 0xFF, 0).astype(np.uint8).view(f"V{width}").ravel()


@cache
def short_varints() -> tuple[Hashes, Ints]:
    """By the first two bytes of a varint its value and its size, which is 0 if it has more."""
    pair = np.arange(1 << 16)
    low, is_one, is_two = pair & 0x7F, pair & 0x80 == 0, pair & 0x8000 == 0
    value = np.where(is_one, low, low + (pair >> 8 << 7))
    return value.astype(np.uint64), np.where(is_one, 1, np.where(is_two, 2, 0))


def varints_in(word: Hashes) -> tuple[Hashes, Ints]:
    """The varint that starts each word, and its size in bytes, which is 0 if no byte ends it.

    Of words that were shifted by a byte, a size of eight says that the number goes on behind it.
    """
    last = ~word
    last &= _TOP_BITS
    last &= ~last + _ONE  # the top bit of the first byte that has none: there the number ends
    size = last >> _SEVEN
    size *= _SIZE_OF_BYTE
    size >>= _TOP_BYTE
    last <<= _ONE
    last -= _ONE
    last &= word
    # seven bits of each byte move together: bytes to pairs, pairs to fours, fours to the number
    last &= _LOW_BITS
    for mask, shift in _JOINS:
        upper = last & ~mask
        upper >>= shift
        last &= mask
        last |= upper
    return last, size.view(np.int64)


def long_varints(buffer: Bytes, position: Ints) -> tuple[Hashes, Ints]:
    """The varint of up to ten bytes at each position, and its size, which is 0 if it is longer.

    Behind each position the buffer goes on for two words.
    """
    view: Hashes = np.ndarray((len(buffer) - WORD + 1,), "<u8", buffer=buffer, strides=(1,))
    value, size = varints_in(view[position])
    long = np.flatnonzero(size == 0)
    if len(long):
        rest, more = varints_in(view[position[long] + WORD] & _TWO_BYTES)
        value[long] |= rest << _TOP_BYTE
        size[long] = np.where(more <= _REST, more + WORD, 0)
    return value, size


_TWO_BYTES, _REST = np.uint64(0xFFFF), 2
_ONE, _SEVEN, _TOP_BYTE = np.uint64(1), np.uint64(7), np.uint64(56)
_TOP_BITS = np.uint64(0x8080_8080_8080_8080)
_LOW_BITS = np.uint64(0x7F7F_7F7F_7F7F_7F7F)
# times the number whose only bit opens the n-th byte, the topmost byte is n
_SIZE_OF_BYTE = np.uint64(0x0102_0304_0506_0708)
_JOINS = (
    (np.uint64(0x007F_007F_007F_007F), np.uint64(1)),
    (np.uint64(0x0000_3FFF_0000_3FFF), np.uint64(2)),
    (np.uint64(0x0000_0000_0FFF_FFFF), np.uint64(4)),
)
