"""What is asked of layers."""

from __future__ import annotations

from dataclasses import field

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.device import DevicePeak
from tfprof.reports.shared.question import Question
from tfprof.results.calibration import Calibration

# those that a graph alone can tell
STATIC_GROUPS = ("layer", "op", "scope", "node")


@frozen_dataclass
class Query:
    """`by` is what a row is; a `device` adds estimated time, and what is its best.

    A `calibration` adds the time that it takes on the machine of the captures. `wide` asks for
    whole names of kernels.
    """

    question: Question = field(default_factory=Question)
    device: DevicePeak | None = None
    by: str = "layer"
    calibration: Calibration | None = None
    wide: bool = False

    @property
    def wants_time(self) -> bool:
        """Whether a time is to be estimated."""
        return self.device is not None or self.calibration is not None
