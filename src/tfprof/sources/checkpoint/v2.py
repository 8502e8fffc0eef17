"""V2 checkpoints: the index says where in which shard each tensor, or each slice of one, lies."""

from __future__ import annotations

from collections.abc import Collection, ItemsView, Iterator, Mapping, ValuesView
from functools import cached_property
from operator import add
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tfprof.errors import CorruptFile, InputUnreadable, PathNotFound
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.checkpoint import OBJECT_GRAPH_KEY, Checkpoint, StoredTensor, stored_type
from tfprof.model.graph import elements
from tfprof.model.pickling import PicklesWithoutCaches
from tfprof.sources.checkpoint.objects import ObjectNames, object_names
from tfprof.sources.checkpoint.places import Places, ShardPlace, columns_of
from tfprof.sources.files.opener import opener_for
from tfprof.sources.files.reader import FileReader, parse
from tfprof.wire.crc32c import crc32c, extended, masked
from tfprof.wire.fields import WireFault, varint
from tfprof.wire.ordered_code import SliceExtent, decode_slice_key
from tfprof.wire.table import SortedTable

Bytes = npt.NDArray[np.uint8]

_HEADER_KEY = b""
# the keys of slices begin with a zero
_FIRST_NAME = b"\x01"
_BIG_ENDIAN = 1
_CHUNK = 1 << 22
# of tensors this small, so many bytes are read at once
_SMALL, _NEAR = 1 << 10, 1 << 16
_STRING, _VARIANT = 7, 21


@frozen_dataclass(slots=False)
class Bundle(PicklesWithoutCaches):
    """The index, decoded; data files are opened when a tensor is asked for."""

    index: Path
    shards: int
    places: Places
    # full tensors that are stored as slices: extents and the place of each
    slices: Mapping[str, list[tuple[tuple[SliceExtent, ...], ShardPlace]]]

    @cached_property
    def _readers(self) -> dict[int, _ShardReader]:
        return {}

    def shard_path(self, shard: int) -> Path:
        prefix = self.index.name.removesuffix(".index")
        return self.index.with_name(f"{prefix}.data-{shard:05d}-of-{self.shards:05d}")

    def chunks(self, tensor: StoredTensor) -> Iterator[bytes]:
        """The bytes of a tensor in order of its elements, checked before the last is handed on."""
        if tensor.key in self.slices:
            yield self._assembled(tensor)
        else:
            yield from self._checked(self.places[tensor.key])

    def whole(self, tensor: StoredTensor) -> bytes | Bytes:
        """The same in one piece, which is read where it stays."""
        if tensor.key in self.slices:
            return self._assembled(tensor)
        place = self.places[tensor.key]
        reader = self._reader(place)
        if place.size <= _SMALL or place.offset < 0 or place.offset + place.size > reader.size:
            return b"".join(self._checked(place))
        data = reader.array_at(place.offset, place.size)
        if len(data) < place.size:
            raise self._cut(place, place.offset + len(data))
        if masked(crc32c(data)) != place.crc:
            raise self._damaged(place)
        return data

    def _assembled(self, tensor: StoredTensor) -> bytes:
        """A partitioned tensor put together from its slices."""
        kind = np.dtype(stored_type(tensor.dtype))
        stored = sum(part.size for _, part in self.slices[tensor.key])
        if stored != tensor.elements * kind.itemsize:
            raise self._damaged(self.places[tensor.key])  # a slice is missing, or too large
        whole = np.zeros(tensor.shape, kind)
        for extents, place in self.slices[tensor.key]:
            data = b"".join(self._checked(place))
            where = tuple(
                slice(start, start + length if length >= 0 else None) for start, length in extents
            )
            try:
                whole[where] = np.frombuffer(data, kind).reshape(whole[where].shape)
            except ValueError:
                raise self._damaged(place) from None
        return whole.tobytes()

    def _checked(self, place: ShardPlace) -> Iterator[bytes]:
        reader = self._reader(place)
        if place.size < 0 or place.offset < 0:
            raise self._damaged(place)
        crc = 0
        for start in range(0, place.size, _CHUNK):
            size = min(_CHUNK, place.size - start)
            data = reader.read_at(place.offset + start, size)
            if len(data) < size:
                raise self._cut(place, reader.size)
            crc = extended(crc, data)
            last = start + size == place.size
            if last and masked(crc) != place.crc:
                raise self._damaged(place)
            yield data
        if not place.size and place.crc and masked(crc) != place.crc:
            raise self._damaged(place)

    def strings(self, tensor: StoredTensor) -> list[bytes]:
        """Lengths, their checksum, then the bytes; the checksum covers lengths as numbers."""
        place = self.places[tensor.key]
        reader = self._reader(place)
        data = reader.read_at(place.offset, place.size)
        if len(data) < place.size:
            raise self._cut(place, reader.size)
        split = _split_variants if place.dtype == _VARIANT else _split_strings
        try:
            return split(data, elements(place.shape) or 0, place.crc)
        except (IndexError, WireFault):
            raise self._damaged(place) from None

    def short_shards(self) -> list[str]:
        """A sentence for each shard that is not there, or ends before its last tensor does."""
        ends: dict[int, int] = {}
        for shard, end in self._stored():
            if end > ends.get(shard, -1):
                ends[shard] = end
        found = []
        for shard, end in sorted(ends.items()):
            path = self.shard_path(shard)
            size = FileReader(path).size if opener_for(path).exists(path) else None
            if size is None:
                found.append(f"{path} is missing: its values cannot be read")
            elif size < end:
                found.append(f"{path} ends early: {size:,} of {end:,} bytes are there")
        return found

    def shard_files(self) -> tuple[Path, ...]:
        """Those that hold its tensors and are there."""
        paths = (self.shard_path(shard) for shard in sorted({shard for shard, _ in self._stored()}))
        return tuple(path for path in paths if opener_for(path).exists(path))

    def _stored(self) -> Iterator[tuple[int, int]]:
        """The shard and the end of all that is stored."""
        columns, sliced = self.places.columns, self.slices
        rows: Collection[int] = self.places.rows.values()
        if sliced:
            rows = [row for key, row in self.places.rows.items() if key not in sliced]
        begins = map(columns.offset.__getitem__, rows)
        ends = map(add, begins, map(columns.size.__getitem__, rows))
        yield from zip(map(columns.shard.__getitem__, rows), ends, strict=True)
        for parts in sliced.values():
            yield from ((part.shard, part.offset + part.size) for _, part in parts)

    def stored_bytes(self, key: str) -> int:
        if key in self.slices:
            return sum(part.size for _, part in self.slices[key])
        return self.places.columns.size[self.places.rows[key]]

    def _reader(self, place: ShardPlace) -> _ShardReader:
        if place.shard not in self._readers:
            self._readers[place.shard] = self._opened(place)
        return self._readers[place.shard]

    def _opened(self, place: ShardPlace) -> _ShardReader:
        path = self.shard_path(place.shard)
        if not opener_for(path).exists(path):
            raise PathNotFound(
                f"the shard that holds tensor {place.key} is missing",
                where=str(path),
                hint="Copy all files that share the checkpoint's prefix.",
            )
        return _ShardReader(FileReader(path))

    def _cut(self, place: ShardPlace, size: int) -> InputUnreadable:
        return CorruptFile(
            f"the file is {size:,} bytes long and ends inside tensor {place.key}, which starts",
            offset=place.offset,
            where=str(self.shard_path(place.shard)),
            hint="The copy is not whole. Copy the checkpoint again.",
        )

    def _damaged(self, place: ShardPlace) -> InputUnreadable:
        return CorruptFile(
            f"the checksum of tensor {place.key} ({place.size:,} bytes) is wrong",
            offset=place.offset,
            where=str(self.shard_path(place.shard)),
            hint="The values changed after they were written. Copy the checkpoint again.",
        )


@frozen_dataclass(slots=False, eq=False)
class Tensors(PicklesWithoutCaches, Mapping[str, StoredTensor]):
    """By key. One is made when somebody looks at it, all of them when somebody goes through.

    Equal to any mapping that has the same, wherever that was read.
    """

    bundle: Bundle
    names: ObjectNames

    def __getitem__(self, key: str) -> StoredTensor:
        places = self.bundle.places
        row, columns = places.rows[key], places.columns
        dtype, shape = columns.dtype[row], columns.shape[row]
        stored = self.bundle.stored_bytes(key)
        return StoredTensor(key, self.names.of(key), dtype, shape, stored)

    def __iter__(self) -> Iterator[str]:
        return iter(self.bundle.places.rows)

    def __len__(self) -> int:
        return len(self.bundle.places.rows)

    def shapes(self) -> Iterator[tuple[int, ...]]:
        """In the order of keys."""
        places = self.bundle.places
        return map(places.columns.shape.__getitem__, places.rows.values())

    @cached_property
    def _every(self) -> dict[str, StoredTensor]:
        return {key: self[key] for key in self}

    def items(self) -> ItemsView[str, StoredTensor]:
        return self._every.items()

    def values(self) -> ValuesView[StoredTensor]:
        return self._every.values()


class _ShardReader:
    """The bytes of a shard; small tensors that lie side by side are read together."""

    def __init__(self, file: FileReader) -> None:
        self._file = file
        self._begin, self._near = 0, b""

    @property
    def size(self) -> int:
        return self._file.size

    def array_at(self, offset: int, size: int) -> Bytes:
        return self._file.array_at(offset, size)

    def read_at(self, offset: int, size: int) -> bytes:
        if size > _SMALL:
            return self._file.read_at(offset, size)
        at = offset - self._begin
        if at < 0 or at + size > len(self._near):
            self._begin, self._near = offset, self._file.read_at(offset, _NEAR)
            at = 0
        return self._near[at : at + size]


def open_v2(path: Path, table: SortedTable, warnings: list[str]) -> Checkpoint:
    entries = table.columns()
    keys, values = entries.keys, entries.values
    rows = {str(key, "utf-8", "replace"): row for row, key in enumerate(keys) if key >= _FIRST_NAME}
    parts: list[tuple[str, tuple[SliceExtent, ...], int]] = []
    shards = 1
    for row in [row for row, key in enumerate(keys) if key < _FIRST_NAME]:
        if keys[row] == _HEADER_KEY:
            shards = _shard_count(values.raw(row), path, entries.blocks.item(row))
            # in the columns it stands for nothing
            values.ends[row] = values.starts[row]
        else:
            parts.append((*decode_slice_key(keys[row]), row))
    columns = columns_of(entries, path)
    sliced: dict[str, list[tuple[tuple[SliceExtent, ...], ShardPlace]]] = {}
    for name, extents, row in parts:
        if name in rows:
            sliced.setdefault(name, []).append((extents, columns.place(name, row)))
    bundle = Bundle(path, shards, Places(rows, columns), sliced)
    warnings += bundle.short_shards()
    names = _names(bundle)
    return Checkpoint(
        str(path).removesuffix(".index"),
        "V2",
        shards,
        Tensors(bundle, names),
        bundle,
        names.slots,
    )


def _shard_count(value: bytes, path: Path, block: int) -> int:
    header = parse("BundleHeaderProto", value, path, block)
    if header.endianness == _BIG_ENDIAN:
        raise InputUnreadable(
            "the checkpoint was written on a big-endian machine",
            where=str(path),
            hint="Restore and save it on a little-endian machine.",
        )
    return max(1, int(header.num_shards))


def _names(bundle: Bundle) -> ObjectNames:
    """Readable names from the object graph that TF2 checkpoints carry."""
    place = bundle.places.get(OBJECT_GRAPH_KEY)
    if place is None or place.dtype != _STRING:
        return ObjectNames({}, {})
    stored = StoredTensor(place.key, place.key, place.dtype, place.shape, place.size)
    try:
        data = b"".join(bundle.strings(stored)[:1])
    except (InputUnreadable, PathNotFound):
        return ObjectNames({}, {})  # names are a courtesy: the tensors can still be listed
    return object_names(data, bundle.index)


def _split_variants(data: bytes, count: int, stored_crc: int) -> list[bytes]:
    """Each a length, a message and a checksum; the checksums run on from one to the next."""
    values = []
    position = 0
    crc = 0
    if count > len(data):
        raise IndexError
    for _ in range(count):
        length, position = varint(data, position)
        values.append(data[position : position + length])
        position += length
        crc = extended(extended(crc, length.to_bytes(8, "little")), values[-1])
        stored = data[position : position + 4]
        if int.from_bytes(stored, "little") != masked(crc):
            raise WireFault("the checksum of a variant is wrong", position)
        crc = extended(crc, stored)
        position += 4
    if masked(crc) != stored_crc:
        raise WireFault("the checksum of variants is wrong", position)
    return values


def _split_strings(data: bytes, count: int, stored_crc: int) -> list[bytes]:
    lengths = []
    position = 0
    crc = 0
    if count > len(data):
        raise IndexError
    for _ in range(count):
        length, position = varint(data, position)
        lengths.append(length)
        crc = extended(crc, length.to_bytes(4 if length < 1 << 32 else 8, "little"))
    lengths_crc = data[position : position + 4]
    if int.from_bytes(lengths_crc, "little") != masked(crc):
        raise WireFault("the checksum of string lengths is wrong", position)
    position += 4
    if masked(extended(extended(crc, lengths_crc), data[position:])) != stored_crc:
        raise WireFault("the checksum of strings is wrong", position)
    values = []
    for length in lengths:
        values.append(data[position : position + length])
        position += length
    return values
