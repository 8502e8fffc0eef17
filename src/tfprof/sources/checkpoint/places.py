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

# field numbers of BundleEntryProto, and of what a shape is made of
_DTYPE, _SHAPE, _SHARD, _OFFSET, _SIZE, _CRC = 1, 2, 3, 4, 5, 6
_DIMENSION, _LENGTH = 2, 1
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
    fields = split(values.data, values.starts, values.ends)
    count = len(values)
    return Columns(
        fields.ints(_DTYPE, count).astype(np.int32).tolist(),
        _shapes(values.data, fields.repeated(_SHAPE), count),
        fields.ints(_SHARD, count).astype(np.int32).tolist(),
        fields.ints(_OFFSET, count).tolist(),
        fields.ints(_SIZE, count).tolist(),
        _checksums(values.data, fields, count).tolist(),
    )


def _checksums(data: bytes, fields: Fields, count: int) -> npt.NDArray[np.uint32]:
    rows = fields.rows(_CRC, FIXED32)
    places = fields.start[rows, np.newaxis] + np.arange(4)
    stored = np.frombuffer(data, np.uint8)[places]
    sums = np.zeros(count, np.uint32)
    sums[fields.owner[rows]] = stored.view("<u4")[:, 0]
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
