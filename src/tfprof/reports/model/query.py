"""What is asked of a model as a graph."""

from __future__ import annotations

from dataclasses import field

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.reports.shared.question import Question


@frozen_dataclass
class Query:
    """`metric` is what boxes are coloured by; without, what a run took, or what work is done."""

    question: Question = field(default_factory=Question)
    metric: str | None = None
