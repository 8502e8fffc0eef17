"""Captures: XPlane, in protobuf or in the records of Riegeli."""

from __future__ import annotations

from tfprof.sources.files.probe import Probe
from tfprof.sources.files.registry import Format, reader, register
from tfprof.wire.riegeli import is_riegeli


def _score(probe: Probe) -> float:
    """Riegeli holds any records; no other file that is read here does."""
    return 1.0 if is_riegeli(probe.head) else probe.wire_score("XSpace")


register(Format(
    name="XPlane",
    about="a TensorFlow 2 or JAX profile",
    names="*.xplane.pb, *.xplane.riegeli",
    recognised_by="wire probe",
    gives="op time, steps, input pipeline",
    score=_score,
    read=reader("xplane.xplane", "read"),
))  # fmt: skip
