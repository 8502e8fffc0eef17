"""A GraphDef: binary, or in protobuf's text format."""

from __future__ import annotations

from tfprof.sources.files.registry import Format, reader, register

register(Format(
    name="GraphDef",
    about="a graph, binary; a frozen model too",
    names="graph.pb, frozen_*.pb",
    recognised_by="wire probe",
    gives="nodes, parameters, inputs",
    score=lambda probe: probe.wire_score("GraphDef"),
    read=reader("graph.graph_files", "read_binary"),
))  # fmt: skip
register(Format(
    name="GraphDef text",
    about="a graph as text, in any layout",
    names="graph.pbtxt",
    recognised_by="field names",
    gives="nodes, parameters, inputs",
    score=lambda probe: probe.text_score("GraphDef"),
    read=reader("graph.graph_files", "read_text"),
))  # fmt: skip
