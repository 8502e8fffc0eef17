"""What is asked of a summary."""

from __future__ import annotations

from dataclasses import field

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.reports.shared.question import Question


@frozen_dataclass
class Query:
    """The question makes open sizes concrete; `stats` also reads every value of a checkpoint.

    `ignore` are rules of advice that nobody wants to hear of.
    """

    question: Question = field(default_factory=Question)
    stats: bool = False
    ignore: tuple[str, ...] = ()
