"""What a table of layers asks of every host."""

from __future__ import annotations

from tfprof.analyses.runtime.host_times import ops_task
from tfprof.analyses.runtime.kernels import KERNELS
from tfprof.analyses.steps.host_clock import OWN_STEPS
from tfprof.model.host_work import HostTask
from tfprof.reports.layers.query import Query
from tfprof.reports.shared.kernels_of_run import ONEDNN_RAN


def tasks_of(query: Query) -> tuple[HostTask, ...]:
    """Of a run alone: what a graph adds is known when that is read."""
    asked = KERNELS if query.by == "kernel" else ops_task(query.by)
    return OWN_STEPS, ONEDNN_RAN, asked
