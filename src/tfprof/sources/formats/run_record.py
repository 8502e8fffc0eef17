"""The record of a run, `run.json`."""

from __future__ import annotations

from tfprof.late_pattern import late_pattern
from tfprof.sources.files.probe import Probe
from tfprof.sources.files.registry import Format, reader, register

NAME, KIND = "run.json", "run record"
_SCHEMA = late_pattern(rb'"schema"\s*:\s*"tfprof-run/')


def _score(probe: Probe) -> float:
    if not probe.is_text or not probe.head.lstrip().startswith(b"{"):
        return 0.0
    return float(_SCHEMA.search(probe.head[:4096]) is not None)


register(Format(
    name=KIND,
    about="what was run, with what, how it ended, which steps were captured",
    names=NAME,
    recognised_by="JSON schema",
    gives="versions, devices, batch, untraced steps",
    score=_score,
    read=reader("run.run_record", "read"),
))  # fmt: skip
