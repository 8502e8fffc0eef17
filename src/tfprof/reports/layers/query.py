"""What is asked of layers."""

from __future__ import annotations

from dataclasses import dataclass, field

from tfprof.model.device import DevicePeak
from tfprof.reports.shared.question import Question

# those that a graph alone can tell
STATIC_GROUPS = ("layer", "op", "scope", "node")


@dataclass(frozen=True, slots=True)
class Query:
    """`by` is what a row is; a `device` adds estimated time, and what is its best."""

    question: Question = field(default_factory=Question)
    device: DevicePeak | None = None
    by: str = "layer"
