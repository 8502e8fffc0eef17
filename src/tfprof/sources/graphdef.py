"""Binary GraphDef into columns; attributes and functions stay bytes until asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tfprof.model.graph import Argument, Attributes, Function, Graph, resolve_edges
from tfprof.model.interned import Interned
from tfprof.sources.files import corrupt, parse
from tfprof.wire.fields import Fields, Progress, WireFault, split

Ints = npt.NDArray[np.int64]

# field numbers
_NODE, _LIBRARY, _VERSIONS = 1, 2, 4
_NAME, _OP, _INPUT, _DEVICE = 1, 2, 3, 4
_FUNCTION = 1
_SIGNATURE, _FUNCTION_NODE = 1, 3


@dataclass(frozen=True, slots=True)
class Source:
    """Bytes and the file they are from, for errors that come late."""

    data: bytes
    path: Path

    def split(self, starts: Ints, ends: Ints, progress: Progress | None = None) -> Fields:
        try:
            return split(self.data, starts, ends, progress)
        except WireFault as fault:
            raise corrupt(fault, self.path) from None

    def strings(self, starts: Ints, ends: Ints) -> list[str]:
        """Strings at many places. One decode and many slices are faster than many decodes."""
        if not len(starts):
            return []
        first = int(starts[starts < ends].min(initial=len(self.data)))
        text = self.data[first : int(ends.max())].decode("latin-1")
        begin, end = (starts - first).tolist(), (ends - first).tolist()
        found = [text[a:b] for a, b in zip(begin, end, strict=True)]
        if not text.isascii():
            found = [
                s if s.isascii() else s.encode("latin-1").decode("utf-8", "replace") for s in found
            ]
        return found


def read_graph(
    source: Source, fields: Fields, message: int = 0, progress: Progress | None = None
) -> Graph:
    """The graph whose fields are those of `message` in `fields`."""
    mine = fields.owner == message
    nodes = mine & (fields.number == _NODE)
    starts, ends = fields.start[nodes], fields.end[nodes]
    library = mine & (fields.number == _LIBRARY)
    functions = _functions(source, fields.start[library], fields.end[library])
    producer = 0
    for row in np.flatnonzero(mine & (fields.number == _VERSIONS)).tolist():
        span = int(fields.start[row]), int(fields.end[row])
        producer = parse(
            "VersionDef", source.data[span[0] : span[1]], source.path, span[0]
        ).producer
    return _graph_of_nodes(source, starts, ends, [], functions, producer, progress)


def _graph_of_nodes(
    source: Source,
    starts: Ints,
    ends: Ints,
    arguments: Sequence[Argument],
    functions: Mapping[str, Function],
    producer: int,
    progress: Progress | None = None,
) -> Graph:
    count = len(starts)
    fields = source.split(starts, ends, progress)
    inputs = fields.repeated(_INPUT)
    extra = len(arguments)
    names = [a.name for a in arguments] + source.strings(*fields.spans(_NAME, count))
    ops = ["_Arg"] * extra + source.strings(*fields.spans(_OP, count))
    devices = [""] * extra + source.strings(*fields.spans(_DEVICE, count))
    input_counts = np.zeros(extra + count, np.int64)
    input_counts[extra:] = np.bincount(inputs.owner, minlength=count)
    edges = resolve_edges(names, source.strings(inputs.start, inputs.end), input_counts)
    attributes: Attributes = _NodeBytes(source, starts, ends, extra)
    return Graph(
        names, Interned.of(ops), Interned.of(devices), edges, attributes, functions, producer
    )


@dataclass(frozen=True, slots=True)
class _NodeBytes:
    """Attributes decoded from the bytes of a node; a function's arguments come first, with none."""

    source: Source
    starts: Ints
    ends: Ints
    arguments: int

    def of(self, node: int) -> Mapping[str, Any]:
        row = node - self.arguments
        if row < 0:
            return {}
        begin, end = int(self.starts[row]), int(self.ends[row])
        message = parse("NodeDef", self.source.data[begin:end], self.source.path, begin)
        attributes: Mapping[str, Any] = message.attr
        return attributes


def _functions(source: Source, starts: Ints, ends: Ints) -> dict[str, Function]:
    """The library: names now, bodies when asked for."""
    entries = source.split(starts, ends).repeated(_FUNCTION)
    count = len(entries)
    signatures = source.split(entries.start, entries.end).spans(_SIGNATURE, count)
    names = source.strings(*source.split(*signatures).spans(_NAME, count))
    library: dict[str, Function] = {}
    for name, begin, end in zip(names, entries.start.tolist(), entries.end.tolist(), strict=True):
        library[name] = Function(name, _Body(source, begin, end, library))
    return library


@dataclass(frozen=True, slots=True)
class _Body:
    """Loads one function when called."""

    source: Source
    begin: int
    end: int
    library: Mapping[str, Function]

    def __call__(self) -> tuple[Sequence[Argument], Mapping[str, str], Graph]:
        span = np.array([self.begin], np.int64), np.array([self.end], np.int64)
        fields = self.source.split(*span)
        nodes = fields.repeated(_FUNCTION_NODE)
        data = self.source.data[self.begin : self.end]
        message = parse("FunctionDef", data, self.source.path, self.begin)
        arguments = [Argument(a.name, a.type) for a in message.signature.input_arg]
        graph = _graph_of_nodes(self.source, nodes.start, nodes.end, arguments, self.library, 0)
        return arguments, dict(message.ret), graph
