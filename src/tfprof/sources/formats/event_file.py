"""TensorBoard's event files."""

from __future__ import annotations

from tfprof.sources.files.probe import Probe
from tfprof.sources.files.registry import Format, reader, register


def _score(probe: Probe) -> float:
    # every writer starts with this version record
    return float(b"brain.Event:" in probe.head[:64])


register(Format(
    name="event file",
    about="TensorBoard's log: graph, run metadata, scalars",
    names="events.out.tfevents.*",
    recognised_by="first record",
    gives="nodes, parameters, op time, rates",
    score=_score,
    read=reader("run.event_file", "read"),
))  # fmt: skip
