"""A graph with what belongs to it: MetaGraphDef and SavedModel, binary and text."""

from __future__ import annotations

from tfprof.sources.files.probe import Probe
from tfprof.sources.files.registry import Format, reader, register


def _is_saved_model(probe: Probe) -> float:
    return probe.wire_score("SavedModel")


register(Format(
    name="MetaGraphDef",
    about="a graph with its collections, as Saver writes it",
    names="*.meta",
    recognised_by="wire probe",
    gives="nodes, parameters, trainable or not",
    score=lambda probe: probe.wire_score("MetaGraphDef"),
    read=reader("graph.meta_graph", "read_meta"),
))  # fmt: skip
register(Format(
    name="MetaGraphDef text",
    about="the same as text",
    names="*.meta",
    recognised_by="field names",
    gives="nodes, parameters, trainable or not",
    score=lambda probe: probe.text_score("MetaGraphDef"),
    read=reader("graph.meta_graph", "read_meta_text"),
))  # fmt: skip
register(Format(
    name="SavedModel",
    about="an exported model, from its signature",
    names="saved_model.pb",
    recognised_by="wire probe",
    gives="signatures, nodes, parameters",
    score=_is_saved_model,
    read=reader("graph.meta_graph", "read_saved_model"),
))  # fmt: skip
register(Format(
    name="SavedModel text",
    about="the same as text",
    names="saved_model.pbtxt",
    recognised_by="field names",
    gives="signatures, nodes, parameters",
    score=lambda probe: probe.text_score("SavedModel"),
    read=reader("graph.meta_graph", "read_saved_model_text"),
))  # fmt: skip
