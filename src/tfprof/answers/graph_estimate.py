"""What the graph beside a trace tells of memory, for comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tfprof.answers.memory import MemoryQuestion, estimator_of
from tfprof.errors import TfprofError
from tfprof.model.profile import ProfileData
from tfprof.reports.shared.digest import LARGEST_IN_A_SECOND
from tfprof.reports.shared.question import Question


@dataclass(frozen=True, slots=True)
class Estimate:
    """What the graph tells: the peak before the run, and the variables, by device."""

    peaks: Mapping[str, int]
    held: Mapping[str, int]


def graph_estimate(data: ProfileData) -> Estimate | None:
    """None where it takes long or cannot be made."""
    if data.graph is None or len(data.graph) > LARGEST_IN_A_SECOND:
        return None
    try:
        estimator = estimator_of(data, MemoryQuestion(Question()))
        found = estimator.at(1)
    except TfprofError:
        return None
    peaks = {device: one.expected for device, one in found.items()}
    return Estimate(peaks, estimator.persistent)
