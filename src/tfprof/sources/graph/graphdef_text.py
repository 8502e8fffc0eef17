"""Text GraphDef into columns: TensorFlow's own layout is scanned, any other is read in full.

Both ways give the same columns. In a scanned file attributes stay text until asked for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.graph import Graph, resolve_edges
from tfprof.model.interned import Interned
from tfprof.model.names import Names
from tfprof.sources.files.reader import parse
from tfprof.sources.files.text_format import Spelt, corrupt_text, text_to_wire
from tfprof.sources.graph.graphdef import FileBytes, read_graph
from tfprof.wire.distinct import distinct
from tfprof.wire.schema import Proto
from tfprof.wire.text import TextFault, to_wire
from tfprof.wire.text_layout import LayoutGraph, scan


def read_text_graph(text: bytes, path: Path, warnings: list[str]) -> Graph:
    layout = scan(text)
    if layout is None:
        return _read_wire(text_to_wire(text, "GraphDef", path, warnings), path, warnings)
    # functions and versions are a small part: through the general reader
    parts = [
        text_to_wire(text[begin:end], "GraphDef", path, warnings, 1 + text.count(b"\n", 0, begin))
        for begin, end in layout.rest
    ]
    rest = Spelt(b"".join(part.data for part in parts), any(part.cut for part in parts))
    beside = _read_wire(rest, path, warnings)
    return Graph(
        Names(layout.names),
        Interned.of(layout.ops),
        Interned.of(layout.devices),
        resolve_edges(layout.names, layout.inputs, layout.input_counts.tolist()),
        _NodeText(text, layout, path),
        beside.functions,
        beside.producer,
        beside.cut,
    )


def _read_wire(spelt: Spelt, path: Path, warnings: list[str]) -> Graph:
    return read_graph(*FileBytes.opened(spelt.data, "GraphDef", path, warnings, cut=spelt.cut))


@frozen_dataclass
class _NodeText:
    """Attributes decoded from the text of a node."""

    text: bytes
    layout: LayoutGraph
    path: Path

    def of(self, node: int) -> Mapping[str, Proto]:
        begin, end = int(self.layout.body_start[node]), int(self.layout.body_end[node])
        line = int(self.layout.body_line[node])
        try:
            data = to_wire(self.text[begin:end], "NodeDef", first_line=line)
        except TextFault as fault:
            raise corrupt_text(fault, self.path) from None
        attributes: Mapping[str, Proto] = parse("NodeDef", data, self.path, begin).attr
        return attributes

    def column(self, name: str, among: npt.NDArray[np.int64] | None = None) -> Mapping[int, Proto]:
        nodes: list[int] = self._may_have(name) if among is None else among.tolist()
        found = ((node, self.of(node).get(name)) for node in nodes)
        return {node: value for node, value in found if value is not None}

    def _may_have(self, name: str) -> list[int]:
        key = re.compile(rb'key: "' + re.escape(name.encode()) + rb'"')
        hits = np.array([match.start() for match in key.finditer(self.text)], np.int64)
        rows = np.searchsorted(self.layout.body_start, hits, side="right") - 1
        inside = (rows >= 0) & (hits < self.layout.body_end[np.maximum(rows, 0)])
        found: list[int] = distinct(rows[inside]).tolist()
        return found
