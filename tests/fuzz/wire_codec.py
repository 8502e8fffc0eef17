"""Protobuf messages as trees of fields, by the field lists of our own schema."""

from __future__ import annotations

import copy
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from fuzz.codec import Place, shuffle_around
from fuzz.odd import FLOATS, NAMES, NUMBERS, Chance, op_types
from tfprof.wire.schema import BYTES, FIXED32, FIXED64, SCALARS, VARINT, schema
from tfprof.wire.varint import varint

_MASK = (1 << 64) - 1
_WIDTHS = {FIXED32: 4, FIXED64: 8}
_NESTINGS = (2, 10, 60, 120, 400)
# messages that the schema takes for bytes, to read them only when they are asked for
_INSIDE = {
    "Event.graph_def": "GraphDef",
    "Event.meta_graph_def": "MetaGraphDef",
    "TaggedRunMetadata.run_metadata": "RunMetadata",
    "ProfileResponse.xspace": "XSpace",
}


@dataclass
class Part:
    """A field: `content` is a number, bytes or, where the schema has a message, its parts."""

    number: int
    kind: int
    content: int | bytes | list[Part]
    type: str = ""  # of the schema; empty where it lists no such field
    role: str = ""  # "NodeDef.op": what a string means


@dataclass(frozen=True)
class WireCodec:
    message: str

    def parse(self, data: bytes) -> list[Part]:
        return _parts(data, self.message)

    def build(self, tree: list[Part]) -> bytes:
        return _bytes(tree)

    def places(self, tree: list[Part]) -> Iterator[Place]:
        for held, at, _ in _walk(tree, self.message):
            yield held, at

    def mutate(self, tree: list[Part], chance: Chance) -> None:
        found = list(_walk(tree, self.message))
        if not found or chance.random() < 0.05:
            tree.append(_made(self.message, chance, []))
            return
        held, at, owner = chance.choice(found)
        part = held[at]
        what = chance.random()
        if what < 0.3:
            shuffle_around(chance, held, at, copy.deepcopy)
        elif what < 0.38:
            held.insert(at, _made(owner, chance, found))
        elif what < 0.45:
            alike = [one[at2] for one, at2, _ in found if one[at2].type == part.type]
            part.content = copy.deepcopy(chance.choice(alike).content)
        elif what < 0.48 and isinstance(part.content, list):
            _nest(part, chance)
        elif what < 0.5:
            part.kind = chance.choice([VARINT, FIXED64, BYTES, FIXED32, 3, 4])
        else:
            leaves = [one for one in found if not isinstance(one[0][one[1]].content, list)]
            held, at, _ = chance.choice(leaves or found)
            _spoil(held[at], chance, found)


def _parts(data: bytes, message: str) -> list[Part]:
    fields = schema()[message].by_number if message in schema() else {}
    parts, position = [], 0
    while position < len(data):
        tag, position = varint(data, position)
        number, kind = tag >> 3, tag & 7
        content: int | bytes | list[Part]
        if kind == VARINT:
            content, position = varint(data, position)
        else:
            size = _WIDTHS.get(kind, 0)
            if kind == BYTES:
                size, position = varint(data, position)
            content = data[position : position + size]
            position += size
        field = fields.get(number)
        fits = field is not None and field.wire_type == kind
        role = f"{message}.{field.name}" if field is not None else ""
        type_name = _INSIDE.get(role, field.type) if field is not None and fits else ""
        if type_name and type_name not in SCALARS and isinstance(content, bytes):
            content = _parts(content, type_name)
        parts.append(Part(number, kind, content, type_name, role))
    return parts


def _bytes(parts: list[Part]) -> bytes:
    """Without recursion: nesting is one of the mutations."""
    out: dict[int, bytes] = {}
    stack: list[tuple[list[Part], bool]] = [(parts, False)]
    while stack:
        held, ready = stack.pop()
        inner = [p.content for p in held if isinstance(p.content, list)]
        if not ready and inner:
            stack.append((held, True))
            stack += [(one, False) for one in inner]
            continue
        out[id(held)] = b"".join(_field(part, out) for part in held)
    return out[id(parts)]


def _field(part: Part, made: dict[int, bytes]) -> bytes:
    tag = encoded(part.number << 3 | part.kind & 7)
    content = part.content
    if isinstance(content, int):
        return tag + encoded(content)
    data = made[id(content)] if isinstance(content, list) else content
    return tag + (encoded(len(data)) + data if part.kind == BYTES else data)


def encoded(number: int) -> bytes:
    number &= _MASK
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _walk(parts: list[Part], message: str) -> Iterator[tuple[list[Part], int, str]]:
    """Each part: the list that holds it, where, and the message that the list is of."""
    stack = [(parts, message)]
    while stack:
        held, owner = stack.pop()
        for at, part in enumerate(held):
            yield held, at, owner
            if isinstance(part.content, list):
                stack.append((part.content, part.type))


def _spoil(part: Part, chance: Chance, found: list[tuple[list[Part], int, str]]) -> None:
    if isinstance(part.content, list):
        part.content = chance.choice([[], chance.choice(NAMES)])
    elif part.kind == VARINT:
        part.content = _number(chance)
    elif part.kind in _WIDTHS:
        part.content = _real(part.kind, chance)
    else:
        part.content = _word(part, chance, found)


def _number(chance: Chance) -> int:
    return chance.choice(NUMBERS) if chance.random() < 0.6 else chance.randrange(-3, 40)


def _real(kind: int, chance: Chance) -> bytes:
    if chance.random() < 0.3:
        return chance.randbytes(_WIDTHS[kind])
    value = chance.choice(FLOATS)
    if kind == FIXED64:
        return struct.pack("<d", value)
    return struct.pack("<f", value if abs(value) < 1e38 or value != value else 3e38)  # noqa: PLR0124


def _word(part: Part, chance: Chance, found: list[tuple[list[Part], int, str]]) -> bytes:
    """A name of something else in the file makes cycles, of inputs and of functions."""
    what = chance.random()
    if part.role == "NodeDef.op" and what < 0.8:
        return chance.choice(op_types())
    if what < 0.6:
        words = [
            one[at].content
            for one, at, _ in found
            if one[at].type in ("string", "bytes") and isinstance(one[at].content, bytes)
        ]
        if words:
            return chance.choice(words)
    if what < 0.7 and isinstance(part.content, bytes):
        return part.content + chance.choice([b":0", b":1", b"/", b"^", *NAMES[:12]])
    return chance.choice(NAMES) if what < 0.95 else chance.randbytes(chance.randrange(20))


def _made(message: str, chance: Chance, found: list[tuple[list[Part], int, str]]) -> Part:
    """A field that the message may have, with an odd value, or with that of another such field."""
    fields = list(schema()[message].by_number.values()) if message in schema() else []
    if not fields:
        return Part(chance.randrange(1, 40), VARINT, _number(chance))
    field = chance.choice(fields)
    alike = [one[at].content for one, at, _ in found if one[at].type == field.type]
    part = Part(field.number, field.wire_type, b"", field.type, f"{message}.{field.name}")
    if alike and chance.random() < 0.7:
        part.content = copy.deepcopy(chance.choice(alike))
    elif field.is_message:
        part.content = [_made(field.type, chance, []) for _ in range(chance.randrange(4))]
    else:
        _spoil(part, chance, found)
    return part


@cache
def _way_home(message: str) -> tuple[tuple[int, str], ...]:
    """Fields that lead from a message to one of its own type; empty if none do."""
    ways: list[tuple[tuple[int, str], ...]] = [()]
    seen: set[str] = set()
    for way in ways:
        owner = way[-1][1] if way else message
        for field in schema()[owner].by_number.values() if owner in schema() else ():
            longer = (*way, (field.number, field.type))
            if field.type == message:
                return longer
            if field.is_message and field.type not in seen:
                seen.add(field.type)
                ways.append(longer)
    return ()


def _nest(part: Part, chance: Chance) -> None:
    """The part inside a part of its own type, many times."""
    way = _way_home(part.type)
    content = part.content
    for _ in range(chance.choice(_NESTINGS) if way else 0):
        for number, type_name in reversed(way):
            content = [Part(number, BYTES, content, type_name)]
    part.content = content
