"""A file that ends early: what of it is whole.

A message cut off by the end of the file is closed where its last whole field ends, and so is each
message around it. Only containers are cut inside; anything smaller is kept whole or left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.wire.mapped import look
from tfprof.wire.schema import BYTES, FIXED32, FIXED64, VARINT, schema
from tfprof.wire.varint import WireFault, as_varint, varint

_CONTAINERS = frozenset({
    "SavedModel", "MetaGraphDef", "GraphDef", "FunctionDefLibrary", "FunctionDef",
    "SavedObjectGraph", "RunMetadata", "StepStats", "DeviceStepStats", "OpLogProto",
    "ProfileProto", "XSpace", "XPlane", "XLine",
})  # fmt: skip
_PIECE = 1 << 24
_FIXED_SIZE = {FIXED64: 8, FIXED32: 4}


@frozen_dataclass
class Clipped:
    """The whole part of a message, re-closed, and the byte where its file stops making sense.

    In parts: what stands before each, which closes it, and from where to where it is in the file.
    """

    file: bytes
    parts: Sequence[tuple[bytes, int, int]]
    at: int

    @property
    def data(self) -> bytes:
        return b"".join(self.pieces())

    def pieces(self) -> Iterator[bytes]:
        """The same, some at a time."""
        for head, begin, end in self.parts:
            yield head
            for at in range(begin, end, _PIECE):
                look(self.file, at, min(end, at + _PIECE))
                yield self.file[at : min(end, at + _PIECE)]


def clip(data: bytes, message: str) -> Clipped:
    """What is whole of a `message` that should have been longer; a WireFault if it is broken."""
    # on the way in: where each open container's whole fields lie, and its tag in the one around it
    open_: list[tuple[bytes, int, int]] = []
    begin, tag = 0, b""
    while True:
        cut, inner, body = _first_cut(data, begin, message)
        open_.append((tag, begin, cut))
        if not inner:
            break
        tag, begin, message = data[cut : varint(data, cut)[1]], body, inner
    parts: list[tuple[bytes, int, int]] = []
    size = 0
    for tag, first, last in reversed(open_):
        size += last - first
        head = tag + as_varint(size) if tag else b""
        size += len(head)
        parts.insert(0, (head, first, last))
    return Clipped(data, parts, cut)


def _first_cut(data: bytes, position: int, message: str) -> tuple[int, str, int]:
    """Where the first field that passes the end starts; if it is a container: its name and body."""
    fields = schema()[message].by_number
    while position < len(data):
        at = position
        try:
            tag, position = varint(data, position)
            kind = tag & 7
            if kind == VARINT:
                _, position = varint(data, position)
            elif kind == BYTES:
                size, position = varint(data, position)
                body, position = position, position + size
            elif kind in _FIXED_SIZE:
                position += _FIXED_SIZE[kind]
            else:
                raise WireFault("no field starts like this", at)
        except IndexError:
            return at, "", at
        if position > len(data):
            field = fields.get(tag >> 3)
            container = kind == BYTES and field is not None and field.type in _CONTAINERS
            return (at, field.type, body) if container and field else (at, "", at)
    return position, "", position
