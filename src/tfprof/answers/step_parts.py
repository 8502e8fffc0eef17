"""For the summary, until it is rebuilt."""

from __future__ import annotations

from tfprof.analyses.step_time.breakdown import Breakdown
from tfprof.reports.shared import waiting


def step_text(found: Breakdown) -> str:
    return waiting.step_text(found.average(), found.input_share)
