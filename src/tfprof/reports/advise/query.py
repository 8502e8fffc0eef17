"""What is asked of advice."""

from __future__ import annotations

from dataclasses import field

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.run_log import RunLog
from tfprof.reports.shared.question import Question


@frozen_dataclass
class Query:
    """`ignore` are rules nobody wants to hear of, `*` stands for any letters.

    `device_memory` is what the device has, where no capture tells; `log` what TensorFlow wrote.
    """

    question: Question = field(default_factory=Question)
    ignore: tuple[str, ...] = ()
    every: bool = False
    device_memory: int | None = None
    log: RunLog | None = None
