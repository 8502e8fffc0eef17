"""A profile that the original saved."""

from __future__ import annotations

from tfprof.sources.files.registry import Format, reader, register

register(Format(
    name="ProfileProto",
    about="graph, op log and steps saved by the late tfprof",
    names="profile_*",
    recognised_by="wire probe",
    gives="nodes, parameters, op time, memory",
    score=lambda probe: probe.wire_score("ProfileProto"),
    read=reader("run.profile_proto", "read"),
))  # fmt: skip
