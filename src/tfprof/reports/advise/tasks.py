"""What advice asks of every host."""

from __future__ import annotations

from tfprof.model.device import DeviceSpec
from tfprof.model.host_work import HostTask
from tfprof.model.hosts import Host
from tfprof.model.profile import ProfileData


def jobs_of(host: Host) -> frozenset[str | None]:
    """The jobs of a cluster that its devices are of."""
    return frozenset(DeviceSpec.of(name).job for name in host.trace.executions.device.table)


JOBS = HostTask("jobs of devices", jobs_of)


def tasks_of(data: ProfileData | None = None) -> tuple[HostTask, ...]:
    """Of a run alone; with what a graph adds, once the profile is read."""
    if data is not None and data.hosts.asking is None:
        return ()
    # of many hosts only: each of them loads what a single capture may do without
    from tfprof.analyses.memory_trace.devices import PEAKS
    from tfprof.analyses.runtime.host_times import ops_task, ops_task_of
    from tfprof.analyses.runtime.kernels import KERNELS
    from tfprof.analyses.runtime.step_average import AVERAGE
    from tfprof.analyses.steps.host_clock import OWN_STEPS
    from tfprof.analyses.traits.capture_traits import CALLS
    from tfprof.reports.input import input_task
    from tfprof.reports.shared.captured import CAPTURED
    from tfprof.reports.shared.kernels_of_run import ONEDNN_RAN
    from tfprof.reports.steps import STEPS

    return (
        OWN_STEPS,
        AVERAGE,
        STEPS,
        input_task(None if data is None else data.graph),
        ops_task("op") if data is None else ops_task_of(data, "op"),
        KERNELS,
        CALLS,
        CAPTURED,
        PEAKS,
        ONEDNN_RAN,
        JOBS,
    )
