"""Which lines of a device hold what ran on it, each kernel once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tfprof.model.xspace import Plane

# lines that XProf adds to a device from its other lines: their time is there already
_DERIVED = (
    "Steps", "Framework Name Scope", "Framework Ops", "TensorFlow Name Scope", "TensorFlow Ops",
    "XLA Modules", "XLA Ops", "Source code", "Source Code", "Launch Stats", "XLA TraceMe",
)  # fmt: skip
# what the profiler notes beside the work: its own overhead, temperature and clock rates
_BESIDE = ("CUPTI overhead", "_counters_")
# of a TPU, the one line that holds each op once
_TPU_OPS = "XLA Ops"
# what a vendor or a library adds: no device of its own
_NO_DEVICE = "/device:CUSTOM"


def is_tpu(plane: Plane) -> bool:
    return "TPU" in plane.name


def lines_that_count(plane: Plane) -> npt.NDArray[np.bool_]:
    if plane.name.startswith(_NO_DEVICE):
        return np.zeros(len(plane.lines.name), bool)
    names = [name.partition(" - from ")[0] for name in plane.lines.name]
    if is_tpu(plane):
        return np.array([name == _TPU_OPS for name in names], bool)
    return np.array([name not in (*_DERIVED, *_BESIDE) for name in names], bool)
