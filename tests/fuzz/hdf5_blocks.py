"""HDF5 as the blocks that it lies in: their fields are changed, as no library would write them.

Superblock, object headers, heaps, trees and tables of symbols begin with a mark of four letters;
headers of the first version have none, and are found where tables of symbols lead to.
"""

from __future__ import annotations

import io
import itertools
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from fuzz.codec import Place
from fuzz.odd import NAMES, NUMBERS, Chance, damaged

_MARKS = re.compile(rb"\x89HDF\r\n\x1a\n|TREE|HEAP|SNOD|GCOL|OHDR|OCHK|FRHP|FHDB|FHIB|BTHD|BTLF")
_ENTRY = 40  # of a table of symbols: name, header, kind of cache, what is cached
_HEADER_BYTES = 64
_WIDTHS = {1: "<B", 2: "<H", 4: "<I", 8: "<Q"}


@dataclass
class Block:
    start: int
    data: bytearray


class BlocksCodec:
    def parse(self, data: bytes) -> list[Block]:
        starts = {0, *(found.start() for found in _MARKS.finditer(data))}
        for begin in [found.start() for found in re.finditer(b"SNOD", data)]:
            count = int.from_bytes(data[begin + 6 : begin + 8], "little")
            for at in range(begin + 8, begin + 8 + min(count, 64) * _ENTRY, _ENTRY):
                starts.add(int.from_bytes(data[at + 8 : at + 16], "little"))
        places = [*sorted(at for at in starts if at < len(data)), len(data)]
        return [
            Block(begin, bytearray(data[begin:end])) for begin, end in itertools.pairwise(places)
        ]

    def build(self, tree: list[Block]) -> bytes:
        return b"".join(bytes(block.data) for block in tree)

    def places(self, _tree: list[Block]) -> Iterator[Place]:
        """Nothing can be taken away: addresses would lead elsewhere."""
        return iter(())

    def mutate(self, tree: list[Block], chance: Chance) -> None:
        block = chance.choice([one for one in tree if one.data] or [Block(0, bytearray(8))])
        what = chance.random()
        if what < 0.85:
            _set_field(block.data, tree, chance)
        elif what < 0.92:
            other = chance.choice(tree).data
            size = min(len(other), len(block.data), chance.choice([8, 16, 40, 200]))
            block.data[:size] = other[:size]
        else:
            block.data[:] = damaged(bytes(block.data), chance)[: len(block.data)]


def _set_field(data: bytearray, tree: list[Block], chance: Chance) -> None:
    """A size, a count, a version or a flag; an address may become that of another block."""
    width = chance.choice([1, 2, 4, 8, 8])
    head = min(len(data), _HEADER_BYTES if chance.random() < 0.7 else len(data))
    at = chance.randrange(head) & -width
    piece = bytes(data[at : at + width]).ljust(width, b"\0")
    value = int.from_bytes(piece, "little")
    if width == 8 and chance.random() < 0.5:
        value = chance.choice(tree).start
    elif chance.random() < 0.5:
        value += chance.choice([-8, -1, 1, 8, 40])
    else:
        value = chance.choice(NUMBERS)
    data[at : at + width] = struct.pack(_WIDTHS[width], value % (1 << 8 * width))[: len(data) - at]


def odd_weights(chance: Chance) -> bytes:
    """What the library itself writes, but Keras does not: links, chunks, filters, other types."""
    import h5py
    import numpy as np

    out = io.BytesIO()
    library = chance.choice(["earliest", "latest"])
    with h5py.File(out, "w", libver=library, track_order=chance.random() < 0.3) as file:
        layers = file.create_group("layers")
        own = layers.create_group("dense/vars")
        own.attrs["name"] = chance.choice(
            ["dense", b"\xff", "a" * 3000, 5, np.array(["x", "y"], "S")]
        )
        chunked = {"chunks": (2, 2), "compression": chance.choice(["gzip", "lzf", None]),
                   "shuffle": True, "fletcher32": True}  # fmt: skip
        own.create_dataset("0", data=np.zeros((4, 3)), **chunked)
        own.create_dataset("1", (5,), chance.choice(["f2", "i8", "S3", "c8", "?", "f4"]))
        own.create_dataset("2", (0, 3), "f4", maxshape=(None, 3), chunks=(1, 3))
        own.create_dataset("3", dtype=h5py.string_dtype(), shape=(2,))
        own.create_dataset("4", dtype=np.dtype([("a", "f4"), ("b", "i2", (2,))]), shape=(2,))
        own["5"] = h5py.Empty("f4")
        layers["self"] = layers  # a ring
        layers["soft"] = h5py.SoftLink("/layers/soft")
        layers["elsewhere"] = h5py.ExternalLink("/etc/passwd", "/")
        name = chance.choice(NAMES).decode("utf-8", "replace").strip("/.\0") or "x"
        file.require_group(f"optimizer/vars/{name[:500]}")
    return out.getvalue()
