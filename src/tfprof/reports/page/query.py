"""What is asked of a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.profile import ProfileData
from tfprof.reports.shared.question import Question

MAX_BYTES = 20_000_000


@frozen_dataclass
class Query:
    """`others` are the sides it is compared with, `max_bytes` what the file may take."""

    question: Question = field(default_factory=Question)
    others: Sequence[tuple[str, Sequence[ProfileData]]] = ()
    max_bytes: int = MAX_BYTES
