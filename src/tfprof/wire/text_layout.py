"""The layout in which TensorFlow prints a GraphDef as text, read a node at a time.

One thing a line, two blanks a level. In that layout the nesting shows in the indentation, so one
regular expression, written out level by level, can match a whole node and nothing else. A text in
any other layout is left to the general reader in text.py.

Attributes are not decoded here. They are known to be well-formed messages, strings and words; that
`DT_FLOT` is no type is found out by the general reader, once it is given the node's body.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.wire.text_values import BYTE_ESCAPE, unescape

Ints = npt.NDArray[np.int64]


@frozen_dataclass
class LayoutGraph:
    """The nodes of a GraphDef as columns, and where the rest of it stands in the text."""

    names: list[str]
    ops: list[str]
    # '' where the node has none
    devices: list[str]
    # of all nodes in order, `input_counts` of them belong to each node
    inputs: list[str]
    input_counts: Ints
    # text[body_start:body_end] is the inside of the node's braces, a NodeDef
    body_start: Ints
    body_end: Ints
    # counted from 1
    body_line: Ints
    # start and end of everything that is not a node; each is the text of a GraphDef
    rest: list[tuple[int, int]]


def scan(text: bytes) -> LayoutGraph | None:
    """The graph, or None if any line of it is not as TensorFlow prints it."""
    nodes = _Nodes()
    rest: list[tuple[int, int]] = []
    seen: set[bytes] = set()
    position = 0
    while True:
        position = nodes.add_usual(text, position)
        if position == len(text):
            return nodes.as_graph(text, rest)
        match = _other().match(text, position)
        if match is None or match[2] in seen:
            return None
        if match[1] is None:
            seen.add(match[2])
            rest.append(match.span())
        elif not nodes.add_unusual(match):
            return None
        position = match.end()


class _Nodes:
    """Columns that grow. The strings are still as in the text, without their quotes."""

    def __init__(self) -> None:
        self.names: list[bytes] = []
        self.ops: list[bytes] = []
        self.devices: list[bytes] = []
        # whole lines
        self.inputs: list[bytes] = []
        self.starts: list[int] = []
        self.ends: list[int] = []

    def add_usual(self, text: bytes, position: int) -> int:
        """All nodes from `position` on, up to something else; returns where that is."""
        names, ops, devices, inputs = self.names, self.ops, self.devices, self.inputs
        starts, ends = self.starts, self.ends
        for match in _usual_node().finditer(text, position):
            name, op, lines, device = match.groups(b"")
            start, end = match.span()
            if start == end:
                break
            names.append(name)
            ops.append(op)
            inputs.append(lines)
            devices.append(device)
            starts.append(start)
            ends.append(end)
        return match.start()

    def add_unusual(self, match: re.Match[bytes]) -> bool:
        """A node whose fields stand in another order; False if it has one of them twice."""
        found: dict[bytes, bytes] = {}
        inputs = []
        for line in _NODE_FIELD.finditer(match[1]):
            if line[1] == b"input":
                inputs.append(line[0] + b"\n")
            elif line[1] in found:
                return False
            else:
                found[line[1]] = line[2]
        self.names.append(found.get(b"name", b""))
        self.ops.append(found.get(b"op", b""))
        self.devices.append(found.get(b"device", b""))
        self.inputs.append(b"".join(inputs))
        self.starts.append(match.start())
        self.ends.append(match.end())
        return True

    def as_graph(self, text: bytes, rest: list[tuple[int, int]]) -> LayoutGraph | None:
        counts = [lines.count(b"\n") for lines in self.inputs]
        inputs = b"".join(self.inputs)[len(_INPUT) : -len(_END_OF_STRING)]
        try:
            names = _strings(b"\n".join(self.names), b"\n", len(self.names))
            ops = _few_strings(self.ops)
            devices = _few_strings(self.devices)
            flat_inputs = _strings(inputs, _END_OF_STRING + _INPUT, sum(counts))
        except UnicodeDecodeError:
            return None
        starts = np.array(self.starts, np.int64) + len(_NODE)
        ends = np.array(self.ends, np.int64) - len(_END_OF_NODE)
        if self.ends and self.ends[-1] == len(text) and not text.endswith(b"\n"):
            ends[-1] += 1
        newlines = np.flatnonzero(np.frombuffer(text, np.uint8) == ord("\n"))
        return LayoutGraph(
            names,
            ops,
            devices,
            flat_inputs,
            np.array(counts, np.int64),
            starts,
            ends,
            np.searchsorted(newlines, starts) + 1,
            rest,
        )


def _strings(joined: bytes, separator: bytes, count: int) -> list[str]:
    """`count` strings decoded in one go; those with escapes one by one."""
    if not count:
        return []
    strings = joined.decode().split(separator.decode())
    if b"\\" in joined:
        strings = [unescape(s.encode()).decode() if "\\" in s else s for s in strings]
    return strings


def _few_strings(column: list[bytes]) -> list[str]:
    """A column in which few strings occur many times; each is decoded once, and shared."""
    decoded = {string: unescape(string).decode() for string in set(column)}
    return [decoded[string] for string in column]


_NODE: Final = b"node {\n"
_INPUT: Final = b'  input: "'
_END_OF_STRING: Final = b'"\n'
_END_OF_NODE: Final = b"}\n"
_NODE_FIELD = re.compile(rb'^  (name|op|input|device): "(.*)"$', re.MULTILINE)

# levels of indentation; the messages of a real graph nest about half as deep
_DEEPEST = 16
# Until CPython 3.11.5 a possessive repeat may go wrong (gh-106052); the plain one is slower.
_ANY = b"*+" if re.match(rb"(?:ab?c)++", b"aca") else b"*"

_STRING = rb'[^"\\\n]*+(?:' + BYTE_ESCAPE + rb'[^"\\\n]*+)' + _ANY
_SCALAR = rb'(?:"' + _STRING + rb'"|[-+]?+[.\w][-+.\w]*+)'
_IDENTIFIER = rb"[A-Za-z_]\w*+"
_COLUMN = rb"(?:name|op|input|device)"
# Columns have a place of their own; an attr that is no message is for the general reader.
_NO_COLUMN = rb"(?!" + _COLUMN + rb"[ :]|(?:attr|experimental_debug_info):)" + _IDENTIFIER
# the last line of the text may lack its end
_LINE_END = rb"(?:\n|\Z)"


@cache
def _fields(level: int) -> bytes:
    """A pattern of any number of fields at a level of indentation, with all that is in them."""
    fields = b""
    for deeper in range(_DEEPEST, level - 1, -1):
        fields = b"(?:" + _field(deeper, _IDENTIFIER, fields) + rb"\n)" + _ANY
    return fields


def _field(level: int, name: bytes, inside: bytes) -> bytes:
    indent = b"  " * level
    return indent + name + b"(?:: " + _SCALAR + rb"| \{\n" + inside + indent + rb"\})"


@cache
def _usual_node() -> re.Pattern[bytes]:
    """A node as it is printed, in order of field numbers; or nothing.

    The groups are name, op, all lines of inputs, and device.
    """
    # a pattern of _fields would match attributes, too; knowing what comes is quicker
    attribute = (
        rb'  attr \{\n    key: "[^"\\\n]*+"\n    value \{\n' + _fields(3) + rb"    \}\n  \}\n"
    )
    other = _field(1, _NO_COLUMN, _fields(2)) + rb"\n"
    parts = [
        rb"node \{\n",
        rb'(?:  name: "(' + _STRING + rb')"\n)?',
        rb'(?:  op: "(' + _STRING + rb')"\n)?',
        rb'((?:  input: "' + _STRING + rb'"\n)' + _ANY + rb")",
        rb'(?:  device: "(' + _STRING + rb')"\n)?',
        rb"(?:" + attribute + rb")" + _ANY,
        rb"(?:" + other + rb")" + _ANY,
        rb"\}" + _LINE_END,
    ]
    return re.compile(b"".join(parts) + rb"|")


@cache
def _other() -> re.Pattern[bytes]:
    """A node in another order (group 1 is its body), or another field (group 2 is its name)."""
    column = b"  " + _COLUMN + rb': "' + _STRING + rb'"\n'
    node = rb"node \{\n((?:" + column + rb"|" + _field(1, _NO_COLUMN, _fields(2)) + rb"\n)*)\}"
    # what the schema says is a message must be one, and the other way round
    name = rb"(?!(?:node|library|versions):|(?:node|version) )(" + _IDENTIFIER + rb")"
    return re.compile(b"(?:" + node + b"|" + _field(0, name, _fields(1)) + b")" + _LINE_END)
