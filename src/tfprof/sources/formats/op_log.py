"""The original's op log, binary and text."""

from __future__ import annotations

from tfprof.sources.files.registry import Format, reader, register

register(Format(
    name="OpLog",
    about="types, FLOPs and code lines for the original tfprof",
    names="tfprof_log",
    recognised_by="wire probe",
    gives="trainable or not, FLOPs, own types",
    score=lambda probe: probe.wire_score("OpLogProto"),
    read=reader("run.op_log", "read_binary"),
))  # fmt: skip
register(Format(
    name="OpLog text",
    about="the same as text",
    names="tfprof_log.pbtxt",
    recognised_by="field names",
    gives="trainable or not, FLOPs, own types",
    score=lambda probe: probe.text_score("OpLogProto"),
    read=reader("run.op_log", "read_text"),
))  # fmt: skip
