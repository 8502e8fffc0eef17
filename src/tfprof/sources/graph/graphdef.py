"""Binary GraphDef into columns; attributes and functions stay bytes until asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.graph import (
    Argument,
    Function,
    FunctionParts,
    Graph,
    resolve_edges,
    resolve_spans,
)
from tfprof.model.interned import Interned
from tfprof.model.names import Names
from tfprof.sources.files.reader import corrupt, parse, top_fields
from tfprof.wire.distinct import distinct
from tfprof.wire.fields import Fields, Progress, WireFault, split
from tfprof.wire.schema import Proto
from tfprof.wire.spans import Spans

Ints = npt.NDArray[np.int64]

# field numbers
_NODE, _LIBRARY, _VERSIONS = 1, 2, 4
_NAME, _OP, _INPUT, _DEVICE, _ATTRIBUTE = 1, 2, 3, 4, 5
_KEY, _VALUE = 1, 2
_FUNCTION = 1
_SIGNATURE, _FUNCTION_NODE = 1, 3
# so few are read faster as messages than as columns
_FEW_NODES = 32
# attributes of so many bytes may be those of another node, too: no constants
_SHORT = 256


@frozen_dataclass
class FileBytes:
    """Bytes and the file they are from, for errors that come late.

    `cut` says so where the file ends early.
    """

    data: bytes
    path: Path
    cut: str = ""

    @classmethod
    def opened(
        cls,
        data: bytes,
        message: str,
        path: Path,
        warnings: list[str],
        progress: Progress | None = None,
        *,
        cut: bool = False,
    ) -> tuple[FileBytes, Fields]:
        """The fields of the outermost message, and the whole part of its bytes."""
        whole, fields = top_fields(data, message, path, warnings, progress)
        ends_early = cut or whole is not data
        return cls(whole, path, f"{path.name} ends early" if ends_early else ""), fields

    def split(
        self,
        starts: Ints,
        ends: Ints,
        progress: Progress | None = None,
        up_to: int | None = None,
    ) -> Fields:
        try:
            return split(self.data, starts, ends, progress, up_to)
        except WireFault as fault:
            raise corrupt(fault, self.path) from None

    def spans(self, starts: Ints, ends: Ints) -> Spans:
        return Spans(self.data, starts, ends)

    def strings(self, starts: Ints, ends: Ints) -> list[str]:
        """Strings at many places."""
        return self.spans(starts, ends).texts()


@frozen_dataclass
class GraphBytes:
    """A graph that is read when asked for: a message of `fields`, which are the source's."""

    source: FileBytes
    fields: Fields
    progress: Progress | None = None

    def __call__(self) -> Graph:
        return read_graph(self.source, self.fields, progress=self.progress)


@frozen_dataclass
class PackedGraph:
    """A graph that is read when asked for: a stretch of the source is its message."""

    source: FileBytes
    start: Ints
    end: Ints

    def __call__(self) -> Graph:
        graph = read_graph(self.source, self.source.split(self.start, self.end))
        # what is cut is the last there is; a graph before it is whole
        is_last = self.end[-1:].tolist() == [len(self.source.data)]
        return graph if is_last else replace(graph, cut="")


@frozen_dataclass
class GraphAtHand:
    """A graph that had to be read at once."""

    graph: Graph

    def __call__(self) -> Graph:
        return self.graph


def read_graph(
    source: FileBytes, fields: Fields, message: int = 0, progress: Progress | None = None
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
    return _graph_of_nodes(source, starts, ends, functions, producer, progress)


def _graph_of_nodes(
    source: FileBytes,
    starts: Ints,
    ends: Ints,
    functions: Mapping[str, Function],
    producer: int,
    progress: Progress | None = None,
) -> Graph:
    count = len(starts)
    fields = source.split(starts, ends, progress, up_to=_DEVICE)
    names = source.spans(*fields.spans(_NAME, count))
    inputs = fields.repeated(_INPUT)
    edges = resolve_spans(
        names,
        source.spans(inputs.start, inputs.end),
        np.bincount(inputs.owner, minlength=count).astype(np.int64),
    )
    return Graph(
        Names(names),
        Interned.of_spans(source.spans(*fields.spans(_OP, count))),
        Interned.of_spans(source.spans(*fields.spans(_DEVICE, count))),
        edges,
        _NodeBytes(source, starts, ends, 0, _tails(fields, starts)),
        functions,
        producer,
        source.cut,
    )


def _tails(fields: Fields, starts: Ints) -> Ints | None:
    """Where the other fields of each node end; None if attributes stand between them."""
    length = fields.end - fields.start
    header = 2 + (length >= 1 << 7) + (length >= 1 << 14) + (length >= 1 << 21)
    written = np.bincount(fields.owner, length + header, len(starts)).astype(np.int64)
    tails = starts.copy()
    np.maximum.at(tails, fields.owner, fields.end)
    return tails if np.array_equal(tails - starts, written) else None


def _function_body(
    source: FileBytes,
    starts: Ints,
    ends: Ints,
    arguments: Sequence[Argument],
    functions: Mapping[str, Function],
) -> Graph:
    """A function's nodes behind its arguments, which are nodes of type `_Arg` here."""
    count = len(starts)
    fields = source.split(starts, ends)
    inputs = fields.repeated(_INPUT)
    extra = len(arguments)
    names = [a.name for a in arguments] + source.strings(*fields.spans(_NAME, count))
    ops = ["_Arg"] * extra + source.strings(*fields.spans(_OP, count))
    devices = [""] * extra + source.strings(*fields.spans(_DEVICE, count))
    counts = np.zeros(extra + count, np.int64)
    counts[extra:] = np.bincount(inputs.owner, minlength=count)
    return Graph(
        Names(names),
        Interned.of(ops),
        Interned.of(devices),
        resolve_edges(names, source.strings(inputs.start, inputs.end), counts.tolist()),
        _NodeBytes(source, starts, ends, extra),
        functions,
    )


def _small_body(
    nodes: Sequence[Proto], arguments: Sequence[Argument], functions: Mapping[str, Function]
) -> Graph:
    """The same of few nodes, which are quicker one by one; there may be many such functions."""
    extra = len(arguments)
    names = [*(one.name for one in arguments), *(node.name for node in nodes)]
    inputs = [list(node.input) for node in nodes]
    return Graph(
        Names(names),
        Interned.of([*["_Arg"] * extra, *(node.op for node in nodes)]),
        Interned.of([*[""] * extra, *(node.device for node in nodes)]),
        resolve_edges(
            names,
            [text for texts in inputs for text in texts],
            [*[0] * extra, *map(len, inputs)],
        ),
        _NodeMessages(nodes, extra),
        functions,
    )


@frozen_dataclass
class _NodeMessages:
    """Attributes of nodes that had to be decoded anyway."""

    nodes: Sequence[Proto]
    arguments: int

    def of(self, node: int) -> Mapping[str, Proto]:
        if node < self.arguments:
            return {}
        attributes: Mapping[str, Proto] = self.nodes[node - self.arguments].attr
        return attributes

    def column(self, name: str, among: Ints | None = None) -> Mapping[int, Proto]:
        every = range(self.arguments, self.arguments + len(self.nodes))
        having = ((row, self.of(row)) for row in (every if among is None else among.tolist()))
        return {row: attributes[name] for row, attributes in having if name in attributes}


@frozen_dataclass
class _NodeBytes:
    """Attributes decoded from the bytes of a node; a function's arguments come first, with none."""

    source: FileBytes
    starts: Ints
    ends: Ints
    arguments: int = 0
    # where the attributes of each node begin, if nothing else comes behind
    tails: Ints | None = None
    _met: dict[bytes, Mapping[str, Proto]] = field(default_factory=dict, compare=False)

    def __reduce__(self) -> tuple[type[_NodeBytes], tuple[object, ...]]:
        return _NodeBytes, (self.source, self.starts, self.ends, self.arguments, self.tails)

    def of(self, node: int) -> Mapping[str, Proto]:
        """Most nodes of a large graph have the same few attributes: these are decoded once."""
        row = node - self.arguments
        if row < 0:
            return {}
        begins = self.starts if self.tails is None else self.tails
        begin, end = begins.item(row), self.ends.item(row)
        data = self.source.data[begin:end]
        if self.tails is None or len(data) > _SHORT:
            return self._parsed(data, begin)
        found = self._met.get(data)
        if found is None:
            found = self._met[data] = self._parsed(data, begin)
        return found

    def _parsed(self, data: bytes, begin: int) -> Mapping[str, Proto]:
        attributes: Mapping[str, Proto] = parse("NodeDef", data, self.source.path, begin).attr
        return attributes

    def column(self, name: str, among: Ints | None = None) -> Mapping[int, Proto]:
        """Entries of all nodes together; values that are alike, as most are, are parsed once."""
        rows, owner, starts, ends = self._entries(name, among)
        inner = self.source.split(starts, ends)
        keys = self.source.spans(*inner.spans(_KEY, len(starts)))
        wanted = np.flatnonzero(Spans.of([name.encode()]).find(keys) == 0)
        starts, ends = inner.spans(_VALUE, len(starts))
        values = self.source.spans(starts[wanted], ends[wanted])
        alike = values.first_alike()
        parsed: dict[int, Proto] = {}
        for at in distinct(alike).tolist():
            begin, end = int(values.starts[at]), int(values.ends[at])
            data = self.source.data[begin:end]
            parsed[at] = parse("AttrValue", data, self.source.path, begin)
        nodes = (rows[owner[wanted]] + self.arguments).tolist()
        return {node: parsed[at] for node, at in zip(nodes, alike.tolist(), strict=True)}

    def _entries(self, name: str, among: Ints | None) -> tuple[Ints, Ints, Ints, Ints]:
        """Some rows, and attributes of theirs that may have this name: whose, from and to where."""
        begins = self.starts if self.tails is None else self.tails
        if among is not None:
            rows = among[among >= self.arguments] - self.arguments
            found = self.source.split(begins[rows], self.ends[rows]).repeated(_ATTRIBUTE)
            return rows, found.owner, found.start, found.end
        hits = self._hits(name)
        rows = self._around(hits)
        found = self.source.split(begins[rows], self.ends[rows]).repeated(_ATTRIBUTE)
        first, last = np.searchsorted(hits, found.start), np.searchsorted(hits, found.end)
        some = np.flatnonzero(first < last)
        return rows, found.owner[some], found.start[some], found.end[some]

    def _hits(self, name: str) -> Ints:
        """Where the key of the map entry stands, be it inside another value."""
        if not len(self.starts):
            return np.zeros(0, np.int64)
        key = name.encode()
        pattern = re.escape(b"\n" + bytes([len(key)]) + key)
        return np.array([m.start() for m in re.finditer(pattern, self.source.data)], np.int64)

    def _around(self, hits: Ints) -> Ints:
        """The rows whose bytes hold some of these places."""
        rows = np.searchsorted(self.starts, hits, side="right") - 1
        inside = (rows >= 0) & (hits < self.ends[np.maximum(rows, 0)])
        return distinct(rows[inside])


def _functions(source: FileBytes, starts: Ints, ends: Ints) -> dict[str, Function]:
    """The library: names now, bodies when asked for."""
    entries = source.split(starts, ends).repeated(_FUNCTION)
    count = len(entries)
    signatures = source.split(entries.start, entries.end).spans(_SIGNATURE, count)
    names = source.strings(*source.split(*signatures).spans(_NAME, count))
    library: dict[str, Function] = {}
    for name, begin, end in zip(names, entries.start.tolist(), entries.end.tolist(), strict=True):
        library[name] = Function(name, _Body(source, begin, end, library))
    return library


@frozen_dataclass
class _Body:
    """Loads one function when called."""

    source: FileBytes
    begin: int
    end: int
    library: Mapping[str, Function]

    def __call__(self) -> FunctionParts:
        data = self.source.data[self.begin : self.end]
        message = parse("FunctionDef", data, self.source.path, self.begin)
        arguments = [Argument(a.name, a.type) for a in message.signature.input_arg]
        if len(message.node_def) <= _FEW_NODES:
            graph = _small_body(message.node_def, arguments, self.library)
        else:
            span = np.array([self.begin], np.int64), np.array([self.end], np.int64)
            nodes = self.source.split(*span).repeated(_FUNCTION_NODE)
            graph = _function_body(self.source, nodes.start, nodes.end, arguments, self.library)
        # the map of results has no order; the signature has
        order = [a.name for a in message.signature.output_arg if a.name in message.ret]
        return FunctionParts(arguments, {name: message.ret[name] for name in order}, graph)
