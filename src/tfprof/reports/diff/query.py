"""What is asked of a difference."""

from __future__ import annotations

from dataclasses import dataclass, field

from tfprof.reports.shared.question import Question


@dataclass(frozen=True, slots=True)
class Query:
    """The question makes open sizes concrete; `values` also compares what checkpoints hold."""

    question: Question = field(default_factory=Question)
    values: bool = True
