"""Files that hold one GraphDef: binary, or in protobuf's text format."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from tfprof.model.graph import Graph
from tfprof.sources.files import read_bytes, top_fields
from tfprof.sources.graphdef import Source, read_graph
from tfprof.sources.graphdef_text import read_text_graph
from tfprof.sources.registry import Format, Piece, register
from tfprof.wire.fields import Fields, Progress


def read_binary(path: Path, _step: int, progress: Progress | None) -> Piece:
    warnings: list[str] = []
    data, fields = top_fields(read_bytes(path, progress), "GraphDef", path, warnings, progress)
    return Piece(partial(_build, Source(data, path), fields, progress), warnings=warnings)


def _build(source: Source, fields: Fields, progress: Progress | None) -> Graph:
    return read_graph(source, fields, progress=progress)


def read_text(path: Path, _step: int, progress: Progress | None) -> Piece:
    warnings: list[str] = []
    graph = read_text_graph(read_bytes(path, progress), path, warnings)
    return Piece(lambda: graph, warnings=warnings)


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
