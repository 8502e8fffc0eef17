"""Captures whose cheap ops are missing, because TensorFlow had found them to be cheap.

At host_tracer_level 2 the runtime records only ops that it takes for expensive. It takes all for
that at first, measures each run that no profiler sees, and after about ninety of them knows those
of under 8,000 cycles: from then on they are not recorded. No file says so, but a step that trains
reads variables and does other small things: where gradients are computed, hardly anything is read
and hardly an op takes less than a microsecond, they were left out.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from tfprof.model.interned import Interned
from tfprof.model.medians import median_of
from tfprof.model.trace import Executions
from tfprof.model.xspace import Space

# every step has many of these, and they take no time
_CHEAP: Final = frozenset({"ReadVariableOp", "Identity", "NoOp", "Const", "_Arg", "_Retval"})
_GRADIENTS: Final = ("gradient_tape/", "gradients/")
_SOME_LEVEL: Final = 2
# a part of a step may be captured, where nothing is read
_RUNS: Final = 2
# beside so many gradients one op that is read may be of somebody else
_FEW: Final = 8
# 8,000 cycles take longer on any processor
_SHORT_PS: Final = 1_000_000
_SOME_SHORT: Final = 0.1


def said_of_cheap_ops(space: Space, rows: Executions, path: Path) -> list[str]:
    # where there is a device, the time of ops is that of its kernels
    if space.devices or not _are_missing(rows) or not _may_be_missing(space):
        return []
    said = (
        f"{path.name}: cheap ops are missing: at host_tracer_level 2 TensorFlow leaves out those "
        "it found to take some microseconds, which count as runtime here; a capture of earlier "
        "steps, or at level 3 (`tfprof run --every-op`), has all"
    )
    return [said]


def _may_be_missing(space: Space) -> bool:
    """By the options of the capture."""
    options = (one.options for one in space.environments.values())
    return all(one.host_tracer_level == _SOME_LEVEL for one in options if one)


def _are_missing(rows: Executions) -> bool:
    if not len(rows) or rows.op is None or rows.duration_ps is None:
        return False
    if any(kind[:1].islower() for kind in rows.op.table):  # XLA has no such ops
        return False
    if np.mean(rows.duration_ps < _SHORT_PS) > _SOME_SHORT:
        return False
    runs = np.bincount(rows.node.codes[_among(rows.node, _is_gradient)])
    cheap = np.bincount(rows.node.codes[_among(rows.op, _CHEAP.__contains__)])
    gradients = np.count_nonzero(runs)
    if not gradients or median_of(runs[runs > 0]) < _RUNS:
        return False
    return bool(np.count_nonzero(cheap) * _FEW <= gradients)


def _is_gradient(name: str) -> bool:
    return any(part in name for part in _GRADIENTS)


def _among(column: Interned, is_wanted: Callable[[str], bool]) -> npt.NDArray[np.bool_]:
    wanted = np.fromiter(map(is_wanted, column.table), np.bool_, len(column.table))
    return wanted[column.codes]
