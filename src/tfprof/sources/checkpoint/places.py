"""Where the tensors of a V2 checkpoint lie: the messages of its index, decoded all together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.graph import known_shape
from tfprof.sources.files.reader import parse
from tfprof.wire.distinct import distinct
from tfprof.wire.fields import Fields, WireFault, split
from tfprof.wire.schema import FIXED32
from tfprof.wire.spans import Spans
from tfprof.wire.table import EntryColumns

Ints = npt.NDArray[np.int64]

# field numbers of BundleEntryProto, and of what a shape is made of
_DTYPE, _SHAPE, _SHARD, _OFFSET, _SIZE, _CRC = 1, 2, 3, 4, 5, 6
_DIMENSION, _LENGTH = 2, 1
_CRC_TAG, _CRC_BYTES = _CRC << 3 | FIXED32, 5
# fewer than these protobuf decodes sooner than they are laid out for numpy
_LOOP_BELOW = 200


@frozen_dataclass
class ShardPlace:
    """Where some bytes lie, and the checksum they must have."""

    key: str
    dtype: int
    shape: tuple[int, ...]
    shard: int
    offset: int
    size: int
    crc: int


@frozen_dataclass
class Places(Mapping[str, ShardPlace]):
    """By key. An object is made of those that somebody looks at: there may be many thousand."""

    rows: dict[str, int]
    columns: Columns

    def __getitem__(self, key: str) -> ShardPlace:
        return self.columns.place(key, self.rows[key])

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


@frozen_dataclass
class Columns:
    """What the values of entries say, in their order."""

    dtype: list[int]
    shape: list[tuple[int, ...]]
    shard: list[int]
    offset: list[int]
    size: list[int]
    crc: list[int]

    def place(self, key: str, row: int) -> ShardPlace:
        return ShardPlace(
            key,
            self.dtype[row],
            self.shape[row],
            self.shard[row],
            self.offset[row],
            self.size[row],
            self.crc[row],
        )


def columns_of(entries: EntryColumns, path: Path) -> Columns:
    if len(entries.values) < _LOOP_BELOW:
        return _one_by_one(entries, path)
    try:
        return _together(entries.values)
    except WireFault:  # damage, or what only protobuf knows: it judges
        return _one_by_one(entries, path)


def _together(values: Spans) -> Columns:
    data, count = values.data, len(values)
    closed, ends = _before_checksums(values)
    fields = split(data, values.starts, ends)
    return Columns(
        fields.ints(_DTYPE, count).astype(np.int32).tolist(),
        _shapes(data, fields.repeated(_SHAPE), count),
        fields.ints(_SHARD, count).astype(np.int32).tolist(),
        fields.ints(_OFFSET, count).tolist(),
        fields.ints(_SIZE, count).tolist(),
        _checksums(data, fields, count, closed, ends[closed] + 1).tolist(),
    )


def _before_checksums(values: Spans) -> tuple[Ints, Ints]:
    """Which values seem to close with a checksum, and where each ends without it.

    If the rest is whole, a field begins there, and it is one: fixed sizes are split slowly.
    """
    before = np.maximum(values.ends - _CRC_BYTES, values.starts)
    is_long = values.ends - before == _CRC_BYTES
    tags = np.frombuffer(values.data, np.uint8).take(before, mode="clip")
    is_closed = is_long & (tags == _CRC_TAG)
    return np.flatnonzero(is_closed), np.where(is_closed, before, values.ends)


def _checksums(
    data: bytes, fields: Fields, count: int, closed: Ints, places: Ints
) -> npt.NDArray[np.uint32]:
    """Those that close their values are the last ones."""
    rows = fields.rows(_CRC, FIXED32)
    sums = np.zeros(count, np.uint32)
    for owner, start in ((fields.owner[rows], fields.start[rows]), (closed, places)):
        stored = np.frombuffer(data, np.uint8)[start[:, np.newaxis] + np.arange(4)]
        sums[owner] = stored.view("<u4")[:, 0]
    return sums


def _shapes(data: bytes, messages: Fields, count: int) -> list[tuple[int, ...]]:
    """Shapes that come in several pieces are joined, as everywhere on the wire."""
    dimensions = split(data, messages.start, messages.end).repeated(_DIMENSION)
    sizes = split(data, dimensions.start, dimensions.end).ints(_LENGTH, len(dimensions))
    sizes = np.maximum(sizes, 0)
    ranks = np.bincount(messages.owner[dimensions.owner], minlength=count)
    firsts = np.cumsum(ranks) - ranks
    shapes: list[tuple[int, ...]] = [()] * count
    for rank in distinct(ranks[ranks > 0]).tolist():
        rows = np.flatnonzero(ranks == rank)
        columns = (sizes[firsts[rows] + number].tolist() for number in range(rank))
        for row, shape in zip(rows.tolist(), zip(*columns, strict=True), strict=True):
            shapes[row] = shape
    return shapes


def _one_by_one(entries: EntryColumns, path: Path) -> Columns:
    given = zip(entries.values.raws(), entries.blocks.tolist(), strict=True)
    every = [parse("BundleEntryProto", value, path, block) for value, block in given]
    return Columns(
        [one.dtype for one in every],
        [known_shape(one.shape) for one in every],
        [one.shard_id for one in every],
        [one.offset for one in every],
        [one.size for one in every],
        [one.crc32c for one in every],
    )
