"""Formats that are told apart and named, and whose readers come with the issue that needs them."""

from __future__ import annotations

from tfprof.sources.registry import Format, register

register(Format(
    name="XPlane",
    about="a TensorFlow 2 or JAX profile",
    names="*.xplane.pb",
    recognised_by="wire probe",
    gives="op time, steps, input pipeline",
    score=lambda probe: probe.wire_score("XSpace"),
    read=None,
))  # fmt: skip
