"""What is asked of a check: limits, what they are relative to, and what doubt counts for."""

from __future__ import annotations

from dataclasses import dataclass, field

from tfprof.model.profile import ProfileData
from tfprof.reports.check.limits import Limit
from tfprof.reports.shared.question import Question


@dataclass(frozen=True, slots=True)
class Query:
    """`allow_unknown`: what nobody knows is kept; `strict`: what steps do not tell is not."""

    limits: tuple[Limit, ...]
    baseline: ProfileData | None = None
    question: Question = field(default_factory=Question)
    allow_unknown: bool = False
    strict: bool = False
