"""Files that hold others: what is inside is changed, and the checksums around it are right."""

from __future__ import annotations

import gzip
import io
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from fuzz.codec import Codec, Place, shuffle_around
from fuzz.odd import NAMES, NUMBERS, Chance, damaged
from fuzz.wire_codec import encoded
from tfprof.wire.checkpoint_messages import MAGIC
from tfprof.wire.crc32c import crc32c, masked
from tfprof.wire.table import SortedTable


class BytesCodec:
    """A format that nothing here takes apart: the tree is the bytes."""

    def parse(self, data: bytes) -> list[bytes]:
        return [data]

    def build(self, tree: list[bytes]) -> bytes:
        return b"".join(tree)

    def places(self, _tree: list[bytes]) -> Iterator[Place]:
        return iter(())

    def mutate(self, tree: list[bytes], chance: Chance) -> None:
        tree[:] = [damaged(b"".join(tree), chance)]


@dataclass(frozen=True)
class GzipCodec:
    inner: Codec

    def parse(self, data: bytes) -> Any:
        return self.inner.parse(gzip.decompress(data))

    def build(self, tree: Any) -> bytes:
        return gzip.compress(self.inner.build(tree), 1, mtime=0)

    def places(self, tree: Any) -> Iterator[Place]:
        return self.inner.places(tree)

    def mutate(self, tree: Any, chance: Chance) -> None:
        self.inner.mutate(tree, chance)


@dataclass
class Held:
    """One of many in a container: its key and, parsed with the codec for it, its content."""

    key: bytes
    content: Any
    codec: Codec
    # what a directory says of it that is not so
    lies: dict[str, int] = field(default_factory=dict)


class _Many:
    """What containers share: entries come, go and change their keys, or change inside."""

    def places(self, tree: list[Held]) -> Iterator[Place]:
        for at, held in enumerate(tree):
            yield tree, at
            yield from held.codec.places(held.content)

    def mutate(self, tree: list[Held], chance: Chance) -> None:
        if not tree:
            return
        at = chance.randrange(len(tree))
        held = tree[at]
        what = chance.random()
        if what < 0.15:
            shuffle_around(chance, tree, at, lambda one: one)
        elif what < 0.22:
            held.key = chance.choice([*NAMES, *(one.key for one in tree)])
        elif what < 0.27:
            other = chance.choice(tree)
            held.content, held.codec = other.content, other.codec
        elif what < 0.32:
            held.content, held.codec = [chance.choice(NAMES)], BytesCodec()
        else:
            held.codec.mutate(held.content, chance)


_LIES = 0.12
_TOLD = ("version", "flags", "method", "time", "date", "crc", "packed", "size", "name", "extra",
         "begin")  # fmt: skip
_MASKS = (*[0xFFFF] * 5, *[0xFFFF_FFFF] * 3, *[0xFFFF] * 2, 0xFFFF_FFFF)


@dataclass(frozen=True)
class ZipCodec(_Many):
    """Members of a zip by their names; those without a codec of their own are bytes."""

    members: Mapping[str, Codec] = field(default_factory=dict)

    def parse(self, data: bytes) -> list[Held]:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return [self._held(name, archive.read(name)) for name in archive.namelist()]

    def _held(self, name: str, data: bytes) -> Held:
        codec = self.members.get(name, BytesCodec())
        return Held(name.encode(), codec.parse(data), codec)

    def mutate(self, tree: list[Held], chance: Chance) -> None:
        if tree and chance.random() < _LIES:
            held = chance.choice(tree)
            held.lies[chance.choice(_TOLD)] = chance.choice((*NUMBERS, *range(9), 30, 12, 14, 99))
        else:
            super().mutate(tree, chance)

    def build(self, tree: list[Held]) -> bytes:
        """By hand: zipfile refuses the names, the doubles and the lies that are wanted."""
        out, directory = bytearray(), bytearray()
        for held in tree:
            data, name = held.codec.build(held.content), held.key[:60_000]
            is_stored = name.endswith(b".h5")  # as Keras does, to seek in it
            stored = data if is_stored else zlib.compress(data, 1)[2:-4]
            told = {
                "version": 20, "flags": 0x800, "method": 0 if is_stored else 8, "time": 0,
                "date": 0x21, "crc": zlib.crc32(data), "packed": len(stored), "size": len(data),
                "name": len(name), "extra": 0, "begin": len(out), **held.lies,
            }  # fmt: skip
            fields = [told[key] & mask for key, mask in zip(_TOLD, _MASKS, strict=True)]
            about = struct.pack("<HHHHHIIIHH", *fields[:-1])
            out += b"PK\3\4" + about + name + stored
            where = struct.pack("<HHHII", 0, 0, 0, 0, fields[-1])
            directory += b"PK\1\2\x14\0" + about + where + name
        end = struct.pack("<HHHHIIH", 0, 0, len(tree), len(tree), len(directory), len(out), 0)
        return bytes(out + directory + b"PK\5\6" + end)


@dataclass(frozen=True)
class RecordsCodec(_Many):
    """Records with checksums, as in event files; their keys are not written."""

    inner: Codec

    def parse(self, data: bytes) -> list[Held]:
        found, position = [], 0
        while position + 12 <= len(data):
            size = int.from_bytes(data[position : position + 8], "little")
            record = data[position + 12 : position + 12 + size]
            found.append(Held(b"", self.inner.parse(record), self.inner))
            position += size + 16
        return found

    def build(self, tree: list[Held]) -> bytes:
        return b"".join(_record(held.codec.build(held.content)) for held in tree)


def _record(data: bytes) -> bytes:
    size = struct.pack("<Q", len(data))
    return size + _checksum(size) + data + _checksum(data)


def _checksum(data: bytes) -> bytes:
    return struct.pack("<I", masked(crc32c(data)))


@dataclass(frozen=True)
class TableCodec(_Many):
    """The sorted table of a checkpoint: `first` is the message of the empty key."""

    first: Codec
    inner: Codec

    def parse(self, data: bytes) -> list[Held]:
        table = SortedTable(lambda begin, size: data[begin : begin + size], len(data))
        found = []
        for entry in table.entries():
            codec = self.inner if entry.key else self.first
            found.append(Held(entry.key, codec.parse(entry.value), codec))
        return found

    def build(self, tree: list[Held]) -> bytes:
        return self.packed([(held.key, held.codec.build(held.content)) for held in tree])

    def packed(self, entries: list[tuple[bytes, bytes]]) -> bytes:
        """Everything in one block, then an empty block of metadata, the index and the footer."""
        out = _block(entries)
        last = entries[-1][0] if entries else b""
        meta = (len(out), len(_block([])) - 5)
        out += _block([])
        index = _block([(last, encoded(0) + encoded(meta[0] - 5))])
        footer = b"".join(map(encoded, (*meta, len(out), len(index) - 5)))
        return out + index + footer.ljust(40, b"\0") + MAGIC


def _block(entries: list[tuple[bytes, bytes]]) -> bytes:
    """Nothing shared between keys; one restart point."""
    body = b"".join(
        encoded(0) + encoded(len(key)) + encoded(len(value)) + key + value for key, value in entries
    )
    body += struct.pack("<II", 0, 1)
    return body + b"\0" + _checksum(body + b"\0")


@dataclass(frozen=True)
class Hdf5Codec:
    """The texts of the file through their codec, the groups and datasets by name; else bytes.

    The tree is a list of [kind, path, content].
    """

    texts: Codec

    def parse(self, data: bytes) -> list[list[Any]]:
        import h5py
        import numpy as np

        found: list[list[Any]] = []
        with h5py.File(io.BytesIO(data)) as file:

            def visit(path: str, held: Any) -> None:
                for name, value in held.attrs.items():
                    text = isinstance(value, str) and value.startswith("{")
                    content = self.texts.parse(value.encode()) if text else value
                    found.append(["json" if text else "attribute", (path, name), content])
                if isinstance(held, h5py.Dataset):
                    whole = np.asarray(held[()])
                    found.append(["dataset", path, (whole.shape, whole.dtype)])

            visit("/", file)
            file.visititems(visit)
        return found

    def build(self, tree: list[list[Any]]) -> bytes:
        import h5py

        out = io.BytesIO()
        with h5py.File(out, "w") as file:
            for kind, path, content in sorted(tree, key=lambda one: one[0] != "dataset"):
                if kind == "dataset":
                    shape, dtype = content
                    file.require_dataset(path, shape, dtype)
                else:
                    text = self.texts.build(content) if kind == "json" else content
                    held = file.require_group(path[0]) if path[0] not in file else file[path[0]]
                    held.attrs[path[1]] = text
        return out.getvalue()

    def places(self, tree: list[list[Any]]) -> Iterator[Place]:
        for at, (kind, _, content) in enumerate(tree):
            yield tree, at
            if kind == "json":
                yield from self.texts.places(content)

    def mutate(self, tree: list[list[Any]], chance: Chance) -> None:
        if not tree:
            return
        at = chance.randrange(len(tree))
        texts = [one for one in tree if one[0] == "json"]
        if texts and chance.random() < 0.5:
            self.texts.mutate(chance.choice(texts)[2], chance)
        elif tree[at][0] == "dataset" and chance.random() < 0.5:
            rank = chance.randrange(4)
            shape = tuple(chance.choice([0, 1, 2, 300]) for _ in range(rank))
            tree[at][2] = (shape, tree[at][2][1])
        elif tree[at][0] == "attribute" and chance.random() < 0.7:
            tree[at][2] = chance.choice([*NAMES[3:9], *NUMBERS[:8], 1.5, [1, 2], b"x"])
        else:
            del tree[at]
