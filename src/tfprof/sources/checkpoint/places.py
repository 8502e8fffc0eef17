"""Where the tensors of a V2 checkpoint lie: the messages of its index, decoded all together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.graph import known_shape
from tfprof.sources.files.reader import parse
from tfprof.wire.fields import Fields, WireFault, split
from tfprof.wire.schema import FIXED32
from tfprof.wire.spans import Spans
from tfprof.wire.table import Entry

# field numbers of BundleEntryProto, and of what a shape is made of
_DTYPE, _SHAPE, _SHARD, _OFFSET, _SIZE, _CRC = 1, 2, 3, 4, 5, 6
_DIMENSION, _LENGTH = 2, 1


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


def columns_of(entries: list[Entry], path: Path) -> Columns:
    try:
        return _together(Spans.of([entry.value for entry in entries]))
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
    ranks = np.bincount(messages.owner[dimensions.owner], minlength=count)
    ends = np.cumsum(ranks).tolist()
    every = np.maximum(sizes, 0).tolist()
    return [tuple(every[end - rank : end]) for end, rank in zip(ends, ranks.tolist(), strict=True)]


def _one_by_one(entries: list[Entry], path: Path) -> Columns:
    every = [parse("BundleEntryProto", entry.value, path, entry.block) for entry in entries]
    return Columns(
        [one.dtype for one in every],
        [known_shape(one.shape) for one in every],
        [one.shard_id for one in every],
        [one.offset for one in every],
        [one.size for one in every],
        [one.crc32c for one in every],
    )
