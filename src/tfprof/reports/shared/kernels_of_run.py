"""Whose kernels a step runs with, which decides what memory they need while they run."""

from __future__ import annotations

from tfprof.analyses.memory.program import MODELS, ONEDNN, OWN_KERNELS, MemoryModel
from tfprof.model.host_work import HostTask
from tfprof.model.hosts import Host
from tfprof.model.profile import ProfileData

# TensorFlow rewrites the ops that oneDNN has kernels for
_OF_ONEDNN = ":_Mkl"


def model_of_run(data: ProfileData) -> str:
    """The memory model for a run that was captured; without one, TensorFlow's own kernels."""
    return ONEDNN if _ran_onednn(data) else OWN_KERNELS


def memory_model_of_run(data: ProfileData) -> MemoryModel:
    return MODELS[model_of_run(data)]


def _ran_onednn(data: ProfileData) -> bool:
    return any(data.hosts.each(ONEDNN_RAN.key, _host_ran_onednn))


def _host_ran_onednn(host: Host) -> bool:
    space = host.trace.space
    return space is not None and any(
        _OF_ONEDNN in name for plane in space.host_threads for name in plane.event_names.name
    )


ONEDNN_RAN = HostTask("oneDNN ran", _host_ran_onednn)
