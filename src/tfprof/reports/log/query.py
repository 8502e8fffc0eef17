"""What is asked of a history."""

from __future__ import annotations

from datetime import datetime

from tfprof.analyses.comparison.noise import RUN_NOISE
from tfprof.frozen_dataclass import frozen_dataclass


@frozen_dataclass
class Query:
    """Runs `since` then, and the `last` so many of them; both are compared with all before.

    `run_noise` is how far runs of one program differ, a share, where they cannot tell.
    """

    since: datetime | None = None
    last: int | None = None
    run_noise: float = RUN_NOISE
