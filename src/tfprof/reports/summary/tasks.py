"""What a summary asks of every host."""

from __future__ import annotations

from tfprof.analyses.memory_trace.devices import PEAKS
from tfprof.analyses.runtime.kernels import KERNELS
from tfprof.analyses.runtime.step_average import AVERAGE
from tfprof.analyses.steps.host_clock import OWN_STEPS
from tfprof.reports.shared.captured import CAPTURED
from tfprof.reports.shared.kernels_of_run import ONEDNN_RAN
from tfprof.reports.steps import STEPS
from tfprof.reports.summary.late import ABOUT
from tfprof.reports.summary.slow_input import SLOW_STAGE

TASKS = (
    OWN_STEPS, AVERAGE, STEPS, SLOW_STAGE, KERNELS, CAPTURED, PEAKS, ABOUT, ONEDNN_RAN,
)  # fmt: skip
