"""Files that hold one GraphDef: binary, or in protobuf's text format."""

from __future__ import annotations

from pathlib import Path

from tfprof.sources.files.reader import read_bytes
from tfprof.sources.files.registry import FilePiece, Format, register
from tfprof.sources.graph.graphdef import FileBytes, GraphAtHand, GraphBytes
from tfprof.sources.graph.graphdef_text import read_text_graph
from tfprof.wire.fields import Progress


def read_binary(path: Path, _step: int, progress: Progress | None) -> FilePiece:
    warnings: list[str] = []
    data = read_bytes(path, progress)
    source, fields = FileBytes.opened(data, "GraphDef", path, warnings, progress)
    return FilePiece(GraphBytes(source, fields, progress), warnings=warnings)


def read_text(path: Path, _step: int, progress: Progress | None) -> FilePiece:
    warnings: list[str] = []
    graph = read_text_graph(read_bytes(path, progress), path, warnings)
    return FilePiece(GraphAtHand(graph), warnings=warnings)


register(Format(
    name="GraphDef",
    about="a graph, binary; a frozen model too",
    names="graph.pb, frozen_*.pb",
    recognised_by="wire probe",
    gives="nodes, parameters, inputs",
    score=lambda probe: probe.wire_score("GraphDef"),
    read=read_binary,
))  # fmt: skip
register(Format(
    name="GraphDef text",
    about="a graph as text, in any layout",
    names="graph.pbtxt",
    recognised_by="field names",
    gives="nodes, parameters, inputs",
    score=lambda probe: probe.text_score("GraphDef"),
    read=read_text,
))  # fmt: skip
