"""Sorted tables: the index of a checkpoint, and the whole of an early one.

Blocks of prefix-compressed entries, each with a checksum; an index block of blocks; a footer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.wire import snappy
from tfprof.wire.checkpoint_messages import MAGIC
from tfprof.wire.crc32c import crc32c, masked
from tfprof.wire.fields import WireFault, varint
from tfprof.wire.spans import Spans
from tfprof.wire.table_block import columns_in, entries_in

Ints = npt.NDArray[np.int64]

FOOTER_BYTES = 48
_TRAILER_BYTES = 5
_PLAIN, _SNAPPY = 0, 1

# offset and size in, bytes out; fewer where the file ends
ReadAt = Callable[[int, int], bytes]


class Entry(NamedTuple):
    """A key and its value, and where its block starts in the file."""

    key: bytes
    value: bytes
    block: int


@frozen_dataclass
class EntryColumns:
    """The same of many entries: a checkpoint may have as many as a million."""

    keys: list[bytes]
    values: Spans
    blocks: Ints


@frozen_dataclass
class SortedTable:
    """A table, read block by block. Every block's checksum is verified before it is believed."""

    read_at: ReadAt
    size: int

    def entries(self) -> Iterator[Entry]:
        """Every entry in key order."""
        for handle in self.blocks():
            yield from self.block_entries(handle)

    def columns(self) -> EntryColumns:
        """The same, all at once."""
        keys, blocks = list[bytes](), list[bytes]()
        begins, ends, offsets = ([np.zeros(0, np.int64)] for _ in range(3))
        done = 0
        for _, offset, size in self.blocks():
            block = self._block(offset, size)
            some, begin, end = columns_in(block, offset)
            keys += some
            blocks.append(block)
            begins.append(begin + done)
            ends.append(end + done)
            offsets.append(np.full(len(some), offset, np.int64))
            done += len(block)
        values = Spans(b"".join(blocks), np.concatenate(begins), np.concatenate(ends))
        return EntryColumns(keys, values, np.concatenate(offsets))

    def blocks(self) -> Iterator[tuple[bytes, int, int]]:
        """The last key, offset and size of each data block."""
        footer_at = self.size - FOOTER_BYTES
        footer = self.read_at(footer_at, FOOTER_BYTES) if footer_at >= 0 else b""
        if not footer.endswith(MAGIC):
            raise WireFault("the table has no footer", max(0, footer_at), early_end=True)
        offset, size, position = _handle(footer, 0, footer_at)
        self._block(offset, size)  # says nothing of use, but damage there is damage
        offset, size, position = _handle(footer, position, footer_at)
        if footer[position : -len(MAGIC)].strip(b"\0"):
            raise WireFault("the footer is damaged", footer_at)
        for entry in _entries(self._block(offset, size), offset):
            begin, length, _ = _handle(entry.value, 0, offset)
            yield entry.key, begin, length

    def block_entries(self, handle: tuple[bytes, int, int]) -> Iterator[Entry]:
        _, offset, size = handle
        return _entries(self._block(offset, size), offset)

    def _block(self, offset: int, size: int) -> bytes:
        if offset + size + _TRAILER_BYTES > self.size:
            raise WireFault("a block lies beyond the end of the file", offset)
        data = self.read_at(offset, size + _TRAILER_BYTES)
        if len(data) < size + _TRAILER_BYTES:
            raise WireFault("a block is cut off", offset, early_end=True)
        stored = int.from_bytes(data[size + 1 :], "little")
        if masked(crc32c(data[: size + 1])) != stored:
            raise WireFault("a block's checksum is wrong", offset)
        kind = data[size]
        if kind == _SNAPPY:
            return snappy.decompress(data[:size])
        if kind != _PLAIN:
            raise WireFault(f"a block is compressed in an unknown way ({kind})", offset)
        return data[:size]


def _handle(data: bytes, position: int, at: int) -> tuple[int, int, int]:
    """A block handle: offset and size, and where the next begins."""
    try:
        offset, position = varint(data, position)
        size, position = varint(data, position)
    except IndexError:
        raise WireFault("a block handle is cut off", at) from None
    return offset, size, position


def _entries(block: bytes, at: int) -> Iterator[Entry]:
    for key, begin, end in entries_in(block, at):
        yield Entry(key, block[begin:end], at)
