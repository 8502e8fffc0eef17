"""The option that makes estimated times those of a machine: captures of the user's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tfprof.commands.options.option import Option, Takes, Values

if TYPE_CHECKING:
    from tfprof.results.calibration import Calibration

CALIBRATE = Option(
    "--calibrate", "times as in this run on the machine; may be said again", Takes.MANY, "CAPTURE"
)


def calibration_in(values: Values) -> Calibration | None:
    paths = values.texts("calibrate")
    if not paths:
        return None
    from tfprof.reports.shared.calibrating import calibration_of
    from tfprof.sources.find.load import Request, read_one

    return calibration_of([read_one(Request([Path(path)])) for path in paths])
