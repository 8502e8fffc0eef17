"""The entries of one block of a sorted table: each key repeats the start of the one before.

Every few entries a key is written whole: a restart. Of a large block, the entries behind all
restarts are found together.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from tfprof.wire.varint import WireFault, varint
from tfprof.wire.words import WORD, Hashes, Words, varints_in

Ints = npt.NDArray[np.int64]

# the bit of a byte that says that the number goes on
_MORE = 0x80
# below this many restarts, a pass of numpy calls costs more than the loop
_LOOP_BELOW = 24
# from one restart to the next; TensorFlow writes sixteen
_MOST_ENTRIES = 64


def entries_in(block: bytes, at: int) -> Iterator[tuple[bytes, int, int]]:
    """Each key, and where in the block its value begins and ends."""
    end = _end(block, at)
    position, key = 0, b""
    try:
        while position < end:
            shared, own, length = block[position : position + 3]
            if shared | own | length < _MORE:  # a byte each, as nearly always
                position += 3
            else:
                shared, position = varint(block, position)
                own, position = varint(block, position)
                length, position = varint(block, position)
            if shared > len(key) or position + own + length > end:
                raise WireFault("an entry does not fit its block", at)
            key = key[:shared] + block[position : position + own]
            position += own
            yield key, position, position + length
            position += length
    except IndexError:
        raise WireFault("an entry is cut off", at) from None


def columns_in(block: bytes, at: int) -> tuple[list[bytes], Ints, Ints]:
    """The same as columns."""
    found = _behind_restarts(block, _end(block, at))
    if found is None:  # few, or damaged: the loop says where
        entries = [*entries_in(block, at)]
        values = np.array([entry[1:] for entry in entries], np.int64).reshape(-1, 2)
        return [key for key, _, _ in entries], values[:, 0], values[:, 1]
    shared, begin, value, end = found
    keys, key = [], b""
    for kept, first, last in zip(shared.tolist(), begin.tolist(), value.tolist(), strict=True):
        key = key[:kept] + block[first:last]
        keys.append(key)
    return keys, value, end


def _end(block: bytes, at: int) -> int:
    """Where the entries end, and the list of restarts begins."""
    if len(block) < 4:
        raise WireFault("a block is too short", at)
    end = len(block) - 4 * (int.from_bytes(block[-4:], "little") + 1)
    if end < 0:
        raise WireFault("a block is too short for its restarts", at)
    return end


def _behind_restarts(block: bytes, end: int) -> tuple[Ints, ...] | None:
    """Of each entry what its key shares, and where its own part, its value and the next begin.

    All restarts advance together, an entry a pass. None if they are not what they should be.
    """
    position = np.frombuffer(block, "<u4", (len(block) - end) // 4 - 1, end).astype(np.int64)
    stop = np.append(position[1:], end)
    if len(position) < _LOOP_BELOW or position[0] or (position >= stop).any():
        return None
    words, passes = Words(block), list[tuple[Ints, ...]]()
    size_before = np.zeros(len(position), np.int64)
    while len(position) and len(passes) < _MOST_ENTRIES:
        shared, own, length, header = _header(words.at(position))
        begin = position + header
        value = begin + own
        position = value + length
        if not header.all() or (shared > size_before).any() or (position > stop).any():
            return None
        passes.append((shared, begin, value, position))
        going = np.flatnonzero(position < stop)
        position, stop, size_before = position[going], stop[going], (shared + own)[going]
    if len(position):
        return None
    shared, begin, value, after = (np.concatenate(column) for column in zip(*passes, strict=True))
    order = np.argsort(begin, kind="stable")
    return shared[order], begin[order], value[order], after[order]


def _header(word: Hashes) -> tuple[Ints, Ints, Ints, Ints]:
    """The three numbers that open an entry, and the bytes they take: 0 if more than a word."""
    shared, own, length = (word >> shift & _BYTE for shift in _SHIFTS)
    header = np.full(len(word), len(_SHIFTS), np.int64)
    long = np.flatnonzero((shared | own | length) >= _MORE)
    if len(long):
        rest, taken, whole = word[long], np.zeros(len(long), np.int64), np.ones(len(long), bool)
        for column in (shared, own, length):
            column[long], size = varints_in(rest)
            rest >>= (size * WORD).view(np.uint64)
            taken += size
            whole &= size > 0
        header[long] = np.where(whole & (taken <= WORD), taken, 0)
    return shared.view(np.int64), own.view(np.int64), length.view(np.int64), header


_BYTE = np.uint64(0xFF)
_SHIFTS = np.uint64(0), np.uint64(8), np.uint64(16)
