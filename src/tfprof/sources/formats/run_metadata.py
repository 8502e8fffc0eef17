"""RunMetadata: a traced run of a session, binary and text."""

from __future__ import annotations

from tfprof.sources.files.registry import Format, reader, register

register(Format(
    name="RunMetadata",
    about="a traced run of TensorFlow 1 sessions",
    names="run_meta, *.runmeta.pb",
    recognised_by="wire probe",
    gives="op time, memory, devices",
    score=lambda probe: probe.wire_score("RunMetadata"),
    read=reader("run.run_metadata", "read_binary"),
))  # fmt: skip
register(Format(
    name="RunMetadata text",
    about="the same as text",
    names="run_meta.pbtxt",
    recognised_by="field names",
    gives="op time, memory, devices",
    score=lambda probe: probe.text_score("RunMetadata"),
    read=reader("run.run_metadata", "read_text"),
))  # fmt: skip
