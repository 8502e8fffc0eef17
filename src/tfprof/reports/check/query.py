"""What is asked of a check: limits, what they are relative to, and what doubt counts for."""

from __future__ import annotations

from dataclasses import field

from tfprof.analyses.comparison.noise import RUN_NOISE
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.profile import ProfileData
from tfprof.reports.check.limits import Limit
from tfprof.reports.shared.question import Question


@frozen_dataclass
class Query:
    """`allow_unknown`: what nobody knows is kept; `strict`: what steps do not tell is not.

    `repeats` are other runs of what is checked, `baseline` has its own after the first of them:
    they tell how far runs differ, and where they do not, `run_noise` does.
    """

    limits: tuple[Limit, ...]
    baseline: tuple[ProfileData, ...] = ()
    question: Question = field(default_factory=Question)
    allow_unknown: bool = False
    strict: bool = False
    repeats: tuple[ProfileData, ...] = ()
    run_noise: float = RUN_NOISE
