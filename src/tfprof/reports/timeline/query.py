"""What is asked about a run in time."""

from __future__ import annotations

from tfprof.frozen_dataclass import frozen_dataclass


@frozen_dataclass
class Query:
    """Times are milliseconds from the first event, durations microseconds."""

    step: int | None = None
    begin_ms: float | None = None
    end_ms: float | None = None
    thread: str | None = None
    min_duration_us: float = 0
    everything: bool = False
    all_args: bool = False
