"""A writer of protobuf's text format that uses all the freedom it gives."""

import math
import random

from google import protobuf
from google.protobuf.descriptor import FieldDescriptor

_INTEGERS = {
    FieldDescriptor.CPPTYPE_INT32,
    FieldDescriptor.CPPTYPE_INT64,
    FieldDescriptor.CPPTYPE_UINT32,
    FieldDescriptor.CPPTYPE_UINT64,
}
_FLOATS = {FieldDescriptor.CPPTYPE_FLOAT, FieldDescriptor.CPPTYPE_DOUBLE}
# the parser that we are compared with reads a capital one only from its fifth version on
_IS_EARLY = int(protobuf.__version__.partition(".")[0]) < 5
_SUFFIXES = ["", "", "f"] if _IS_EARLY else ["", "", "f", "F"]
_ESCAPES = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 39: "'", 92: "\\"}


def write(message, chance: random.Random) -> bytes:
    """The message in a layout that nobody would print."""
    return (_gap(chance) + _fields(message, chance)).encode()


def _fields(message, chance):
    fields = message.ListFields()
    chance.shuffle(fields)
    return "".join(_field(descriptor, value, chance) for descriptor, value in fields)


def _field(descriptor, value, chance):
    if not _is_repeated(descriptor):
        return _one(descriptor, value, chance)
    if descriptor.message_type and descriptor.message_type.GetOptions().map_entry:
        value = [_entry(descriptor.message_type, key, value[key]) for key in value]
    if chance.random() < 0.5:
        return "".join(_one(descriptor, item, chance) for item in value)
    comma = "," + _gap(chance)
    items = comma.join(_value(descriptor, item, chance) + _gap(chance) for item in value)
    colon = "" if descriptor.message_type and chance.random() < 0.5 else ":"
    parts = [descriptor.name, colon, "[", items, "]"]
    return _gap(chance).join(parts) + _end(chance)


def _one(descriptor, value, chance):
    colon = "" if descriptor.message_type and chance.random() < 0.5 else ":"
    parts = [descriptor.name, colon, _value(descriptor, value, chance)]
    return _gap(chance).join(parts) + _end(chance)


def _entry(entry_type, key, value):
    """An entry of a map as a message; the runtime has no class for it to make one of."""

    class Entry:
        @staticmethod
        def ListFields():  # noqa: N802  (protobuf's name)
            fields = entry_type.fields_by_name
            return [(fields["key"], key), (fields["value"], value)]

    return Entry


def _is_repeated(descriptor):
    # protobuf 6.31 deprecates label
    repeated = getattr(descriptor, "is_repeated", None)
    return descriptor.label == descriptor.LABEL_REPEATED if repeated is None else repeated


def _value(descriptor, value, chance):
    if descriptor.message_type:
        opening, closing = chance.choice(["{}", "<>"])
        return opening + _gap(chance) + _fields(value, chance) + closing
    kind = descriptor.cpp_type
    if kind == FieldDescriptor.CPPTYPE_STRING:
        return _string(value, chance)
    if kind == FieldDescriptor.CPPTYPE_BOOL:
        return chance.choice(["true", "True", "t", "1"] if value else ["false", "False", "f", "0"])
    if kind == FieldDescriptor.CPPTYPE_ENUM:
        names = descriptor.enum_type.values_by_number
        return names[value].name if value in names and chance.random() < 0.8 else str(value)
    return _float(value, chance) if kind in _FLOATS else _integer(value, chance)


def _integer(value, chance):
    sign, digits = "-" if value < 0 else "", abs(value)
    return sign + chance.choice([str(digits), hex(digits), f"0{digits:o}"])


def _float(value, chance):
    if math.isnan(value):
        return chance.choice(["nan", "NaN", "nanf"])
    if math.isinf(value):
        return ("-" if value < 0 else "") + chance.choice(["inf", "Infinity", "inff"])
    return repr(value) + chance.choice(_SUFFIXES)


def _string(value, chance):
    raw = value.encode() if isinstance(value, str) else value
    cuts = sorted(chance.choices(range(len(raw) + 1), k=chance.choice([0, 0, 0, 1, 2])))
    bounds = zip([0, *cuts], [*cuts, len(raw)], strict=True)
    return _gap(chance).join(_quoted(raw[start:end], chance) for start, end in bounds)


def _quoted(raw, chance):
    quote = chance.choice("\"'")
    return quote + "".join(_character(byte, quote, chance) for byte in raw) + quote


def _character(byte, quote, chance):
    character = chr(byte)
    if 32 <= byte < 127 and character not in f"{quote}\\" and chance.random() < 0.9:
        return character
    if byte in _ESCAPES and chance.random() < 0.5:
        return "\\" + _ESCAPES[byte]
    escapes = [f"\\{byte:03o}", f"\\x{byte:02x}", f"\\x{byte:02X}"]
    if byte < 128:
        escapes += [f"\\u{byte:04x}"] if character not in "\\\n" + quote else []
    return chance.choice(escapes)


def _gap(chance):
    """Never nothing, so that words do not run into each other."""
    return chance.choice([" ", " ", "  ", "\n", "\t", "\r\n", " # {a \"comment'\n", "\n#\n# ]>\n"])


def _end(chance):
    return _gap(chance) + chance.choice(["", "", ",", ";"]) + _gap(chance)
