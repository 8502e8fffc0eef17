"""Files that hold one GraphDef: binary, or in protobuf's text format."""

from __future__ import annotations

from pathlib import Path

from tfprof.sources.files.reader import read_bytes
from tfprof.sources.files.registry import FilePiece
from tfprof.sources.graph.graphdef import FileBytes, GraphAtHand, GraphBytes
from tfprof.wire.fields import Progress


def read_binary(path: Path, _step: int, progress: Progress | None) -> FilePiece:
    warnings: list[str] = []
    data = read_bytes(path, progress)
    source, fields = FileBytes.opened(data, "GraphDef", path, warnings, progress)
    return FilePiece(GraphBytes(source, fields, progress), warnings=warnings)


def read_text(path: Path, _step: int, progress: Progress | None) -> FilePiece:
    from tfprof.sources.graph.graphdef_text import read_text_graph

    warnings: list[str] = []
    graph = read_text_graph(read_bytes(path, progress), path, warnings)
    return FilePiece(GraphAtHand(graph), warnings=warnings)
