"""CRC-32C, the checksum of checkpoints and event files: google-crc32c's, else at numpy's speed.

A CRC is linear, so a long text is cut into lanes that advance together, and the lanes' sums are
joined at the end by "shifting" each over what follows it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint32]
Ints = npt.NDArray[np.int64]

_POLYNOMIAL = 0x82F63B78
_ALL_ONES = np.uint32(0xFFFFFFFF)
_MASK_DELTA = 0xA282EAD8
# below this, a plain loop is faster than setting up lanes
_LOOP_BELOW = 1024
_LANE_BYTES = 512
_LANES = 1 << 13


def crc32c(data: bytes | memoryview | npt.NDArray[np.uint8]) -> int:
    """The CRC-32C of some bytes."""
    return extended(0, data)


def extended(crc: int, data: bytes | memoryview | npt.NDArray[np.uint8]) -> int:
    """The CRC-32C of what `crc` covers followed by `data`."""
    fast = _fast()
    if fast is None:
        return _in_lanes(crc, data)
    # it takes what cannot be written, and no view
    taken = isinstance(data, np.ndarray) and not data.flags.writeable
    return fast(crc, data if taken else bytes(data))


@cache
def _fast() -> Callable[[int, Any], int] | None:
    """The extra `fast`, where it is installed and is more than Python itself."""
    try:
        import google_crc32c
    except ImportError:
        return None
    return google_crc32c.extend if google_crc32c.implementation == "c" else None


def _in_lanes(crc: int, data: bytes | memoryview | npt.NDArray[np.uint8]) -> int:
    buffer = data if isinstance(data, np.ndarray) else np.frombuffer(data, np.uint8)
    position = 0
    while len(buffer) - position >= _LOOP_BELOW:
        lanes = min(_LANES, (len(buffer) - position) // _LANE_BYTES)
        size = lanes * _LANE_BYTES
        rows = buffer[position : position + size].reshape(lanes, _LANE_BYTES)
        crc = _shifted_one(crc, size) ^ _joined(_lanes(rows), _LANE_BYTES)
        position += size
    return _looped(crc, buffer[position:].tobytes())


def crc32c_many(buffer: npt.NDArray[np.uint8], starts: Ints, ends: Ints) -> Words:
    """The CRC-32C of many short stretches of a buffer: all advance together, byte by byte."""
    order = np.argsort(starts - ends, kind="stable")  # longest first: the active ones are a prefix
    begin, size = starts[order], (ends - starts)[order]
    state = np.full(len(begin), _ALL_ONES, np.uint32)
    table = _byte_table()
    alive = np.searchsorted(-size, -np.arange(int(size.max(initial=0))), side="left")
    for step, count in enumerate(alive.tolist()):
        byte = buffer[begin[:count] + step]
        state[:count] = table[(state[:count] ^ byte) & 0xFF] ^ (state[:count] >> np.uint32(8))
    sums = np.empty_like(state)
    sums[order] = state ^ _ALL_ONES
    return sums


def masked(crc: int) -> int:
    """The form in which TensorFlow stores a CRC, so that a CRC of CRCs stays useful."""
    return ((crc >> 15 | crc << 17) + _MASK_DELTA) & 0xFFFFFFFF


def unmasked(stored: int) -> int:
    rotated = (stored - _MASK_DELTA) & 0xFFFFFFFF
    return (rotated >> 17 | rotated << 15) & 0xFFFFFFFF


def _looped(crc: int, data: bytes) -> int:
    table = _byte_list()
    state = crc ^ 0xFFFFFFFF
    for byte in data:
        state = table[(state ^ byte) & 0xFF] ^ state >> 8
    return state ^ 0xFFFFFFFF


def _lanes(rows: npt.NDArray[np.uint8]) -> Words:
    """The CRC of each row, eight bytes a step through tables of two bytes each."""
    steps = np.ascontiguousarray(rows.view("<u8").T)
    first, second, third, fourth = _word_tables()
    state = np.full(len(rows), _ALL_ONES, np.uint32)
    for step in steps:
        words = (step ^ state).view("<u2").reshape(-1, 4)
        state = first.take(words[:, 0])
        state ^= second.take(words[:, 1])
        state ^= third.take(words[:, 2])
        state ^= fourth.take(words[:, 3])
    return state ^ _ALL_ONES


def _joined(sums: Words, width: int) -> int:
    """The CRC of all rows one after the other: neighbours are joined until one is left."""
    while len(sums) > 1:
        if len(sums) % 2:
            # an odd row in front: nothing precedes it, so it may stand alone with a zero partner
            sums = np.concatenate([np.zeros(1, np.uint32), sums])
        sums = _shifted(sums[0::2], width) ^ sums[1::2]
        width *= 2
    return int(sums[0])


def _shifted(sums: Words, zeros: int) -> Words:
    """What each CRC contributes once `zeros` more bytes follow."""
    tables = _shift_tables(zeros)
    joined: Words = np.bitwise_xor.reduce(
        [tables[i][(sums >> np.uint32(8 * i)) & np.uint32(0xFF)] for i in range(4)], axis=0
    )
    return joined


def _shifted_one(crc: int, zeros: int) -> int:
    return int(_shifted(np.array([crc], np.uint32), zeros)[0])


@cache
def _byte_list() -> list[int]:
    return [int(entry) for entry in _byte_table()]


@cache
def _byte_table() -> Words:
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = table >> np.uint32(1) ^ (table & np.uint32(1)) * np.uint32(_POLYNOMIAL)
    return table


@cache
def _word_tables() -> tuple[Words, Words, Words, Words]:
    """Tables for the two bytes that are 6, 4, 2 and 0 bytes from the end of an eight-byte step."""
    byte = _byte_table()
    word = np.arange(1 << 16, dtype=np.uint32)
    for _ in range(2):
        word = byte[word & 0xFF] ^ word >> np.uint32(8)
    tables = [word]
    for _ in range(3):
        following = tables[-1]
        for _ in range(2):
            following = byte[following & 0xFF] ^ following >> np.uint32(8)
        tables.append(following)
    return tables[3], tables[2], tables[1], tables[0]


@cache
def _shift_tables(zeros: int) -> Words:
    """For each byte of a CRC, what its values become after `zeros` zero bytes."""
    columns = _power(zeros)
    tables = np.zeros((4, 256), np.uint32)
    values = np.arange(256)
    for bit in range(32):
        here = values >> (bit % 8) & 1 == 1
        tables[bit // 8][here] ^= columns[bit]
    return tables


@cache
def _power(zeros: int) -> Words:
    """The linear map "append `zeros` zero bytes" as 32 columns, by repeated squaring."""
    byte = _byte_table()
    bits = np.uint32(1) << np.arange(32, dtype=np.uint32)
    result = bits
    square = byte[bits & 0xFF] ^ bits >> np.uint32(8)
    while zeros:
        if zeros & 1:
            result = _apply(square, result)
        square = _apply(square, square)
        zeros >>= 1
    return result


def _apply(columns: Words, vectors: Words) -> Words:
    """Each vector through the map."""
    out = np.zeros_like(vectors)
    for bit in range(32):
        out ^= np.where(vectors >> np.uint32(bit) & 1, columns[bit], np.uint32(0))
    return out
