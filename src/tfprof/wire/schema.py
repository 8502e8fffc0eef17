"""The field lists as Python objects, and as protobuf classes in a private pool.

A private pool cannot clash with an installed TensorFlow, and needs no generated code.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.late_pattern import late_pattern
from tfprof.wire import (
    checkpoint_messages,
    dtypes,
    graph_messages,
    hlo_messages,
    profiler_messages,
    run_messages,
)

if TYPE_CHECKING:
    from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorProto
    from google.protobuf.descriptor_pool import DescriptorPool

# a message of the private pool or its class: made at run time, so no type checker knows its fields
Proto: TypeAlias = Any

PACKAGE: Final = "tfprof"

# wire types
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5

# scalar type: (descriptor type number, wire type)
SCALARS: Final = {
    "double": (1, FIXED64), "float": (2, FIXED32), "int64": (3, VARINT), "uint64": (4, VARINT),
    "int32": (5, VARINT), "fixed32": (7, FIXED32), "bool": (8, VARINT),
    "string": (9, BYTES), "bytes": (12, BYTES), "uint32": (13, VARINT), "DataType": (14, VARINT),
}  # fmt: skip
_MESSAGE_TYPE = 11
_OPTIONAL, _REPEATED = 1, 3


@frozen_dataclass
class Field:
    """One field of a message, as the wire and the text format know it."""

    number: int
    name: str
    type: str
    repeated: bool = False
    oneof: str = ""
    is_map: bool = False

    @property
    def is_message(self) -> bool:
        return self.type not in SCALARS

    @property
    def wire_type(self) -> int:
        return BYTES if self.is_message else SCALARS[self.type][1]


@frozen_dataclass
class Message:
    """A message and its fields, by number and by name."""

    name: str
    by_number: dict[int, Field]
    by_name: dict[str, Field]


_FIELD = late_pattern(r"(\d+) (\w+) (?:\{(\w+) (\w+)\}|(\w+)(\*)?)(?: @(\w+))?")


@cache
def schema() -> dict[str, Message]:
    """Every message by name; a map is a repeated `<Message>_<field>` entry of key and value."""
    messages: dict[str, Message] = {}

    def add(name: str, fields: list[Field]) -> None:
        messages[name] = Message(name, {f.number: f for f in fields}, {f.name: f for f in fields})

    lists = (graph_messages, run_messages, checkpoint_messages, hlo_messages, profiler_messages)
    for line in "".join(one.MESSAGES for one in lists).splitlines():
        name, _, rest = line.partition(": ")
        fields = []
        for part in rest.split("; ") if rest else ():
            match = _FIELD.fullmatch(part)
            if match is None:
                raise ValueError(f"bad field in {name}: {part!r}")
            number, field, key, value, kind, star, oneof = match.groups()
            if key:
                kind = f"{name}_{field}"
                add(kind, [Field(1, "key", key), Field(2, "value", value)])
            repeated = bool(star or key)
            fields.append(Field(int(number), field, kind, repeated, oneof or "", bool(key)))
        if name:
            add(name, fields)
    return messages


# two threads that both make a pool have classes that do not go together
_MAKING: Final = threading.RLock()
_CLASSES: Final[dict[str, Proto]] = {}


def message_class(name: str) -> Proto:
    """The protobuf class of a message of ours, the same for all threads."""
    found = _CLASSES.get(name)
    if found is not None:
        return found
    from google.protobuf import message_factory

    with _MAKING:
        if name not in _CLASSES:
            described = _pool().FindMessageTypeByName(f"{PACKAGE}.{name}")
            _CLASSES[name] = message_factory.GetMessageClass(described)
    return _CLASSES[name]


@frozen_dataclass
class Messages:
    """Messages of one type; they pickle as their bytes, since no module has their class."""

    type: str
    held: tuple[Proto, ...]

    def __getitem__(self, row: int) -> Proto:
        return self.held[row]

    def __reduce__(self) -> tuple[Callable[[str, list[bytes]], Messages], tuple[object, ...]]:
        return _parsed, (self.type, [message.SerializeToString() for message in self.held])


def _parsed(name: str, packed: list[bytes]) -> Messages:
    return Messages(name, tuple(message_class(name).FromString(data) for data in packed))


@cache
def _pool() -> DescriptorPool:
    from google.protobuf import descriptor_pb2, descriptor_pool

    file = descriptor_pb2.FileDescriptorProto(name="tfprof.proto", package=PACKAGE, syntax="proto3")
    enum = file.enum_type.add(name="DataType")
    for name, number in dtypes.ENUM_VALUES.items():
        enum.value.add(name=name, number=number)
    for message in schema().values():
        _describe(message, file)
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    return pool


def _describe(message: Message, file: FileDescriptorProto) -> None:
    descriptor = file.message_type.add(name=message.name)
    oneofs: dict[str, int] = {}
    for field in message.by_name.values():
        if field.is_map:
            # protobuf insists on this exact name for the entry type of a map
            entry_name = "".join(w.capitalize() for w in field.name.split("_")) + "Entry"
            entry = descriptor.nested_type.add(name=entry_name)
            entry.options.map_entry = True
            for part in schema()[field.type].by_name.values():
                _add_field(entry, part, f".{PACKAGE}.{part.type}")
            _add_field(descriptor, field, f".{PACKAGE}.{message.name}.{entry_name}")
            continue
        made = _add_field(descriptor, field, f".{PACKAGE}.{field.type}")
        if field.oneof:
            if field.oneof not in oneofs:
                oneofs[field.oneof] = len(oneofs)
                descriptor.oneof_decl.add(name=field.oneof)
            made.oneof_index = oneofs[field.oneof]


def _add_field(descriptor: DescriptorProto, field: Field, type_name: str) -> Proto:
    # the stubs want enums where the protobuf runtime takes their numbers
    made: Proto = descriptor.field.add(name=field.name, number=field.number)
    made.label = _REPEATED if field.repeated else _OPTIONAL
    made.type = _MESSAGE_TYPE if field.is_message else SCALARS[field.type][0]
    if field.is_message or field.type == "DataType":
        made.type_name = type_name
    return made
