"""The eight bytes at any place of a buffer as one number, and the varints in them, in bulk."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint64]

WORD = 8


class Words:
    """A buffer read eight bytes at a time from any offset; behind its end all is zero."""

    def __init__(self, data: bytes) -> None:
        if len(data) < WORD:
            data = data + bytes(WORD)
        self._last = len(data) - WORD
        # every offset, unaligned: numpy gathers from such a view without copying it
        self._view: Hashes = np.ndarray((self._last + 1,), "<u8", buffer=data, strides=(1,))

    def at(self, position: Ints) -> Hashes:
        """The eight bytes from each position on; no position may lie far behind the end."""
        word: Hashes
        if int(position.max(initial=0)) <= self._last:
            word = self._view[position]
        else:
            beyond = np.clip(position - self._last, 0, WORD - 1)
            word = self._view[np.minimum(position, self._last)] >> (beyond << 3).astype(np.uint64)
        return word


def first_bytes(word: Hashes, size: Ints) -> None:
    """Leaves the first `size` bytes of each word, in place."""
    short = np.flatnonzero(size < WORD)
    word[short] &= _MASKS[size[short]]


_MASKS = np.array([(1 << 8 * size) - 1 for size in range(WORD + 1)], np.uint64)


def varints_in(word: Hashes) -> tuple[Hashes, Ints]:
    """The varint that starts each word, and its size in bytes. The last byte must be zero.

    A size of eight says that the number goes on behind the word.
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
