"""What is asked of a difference."""

from __future__ import annotations

from dataclasses import field

from tfprof.analyses.comparison.noise import RUN_NOISE
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.reports.shared.question import Question


@frozen_dataclass
class Query:
    """The question makes open sizes concrete; `values` also compares what checkpoints hold.

    `run_noise` is how far runs of one program differ, a share, where captures cannot tell.
    """

    question: Question = field(default_factory=Question)
    values: bool = True
    run_noise: float = RUN_NOISE
