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
    levels = [one.options.host_tracer_level for one in space.environments.values() if one.options]
    if any(level != _SOME_LEVEL for level in levels) or space.devices:
        return []  # where there is a device, the time of ops is that of its kernels
    if not len(rows) or rows.op is None:
        return []
    if any(kind[:1].islower() for kind in rows.op.table):  # XLA has no such ops
        return []
    runs = np.bincount(rows.node.codes[_among(rows.node, _is_gradient)])
    cheap = np.unique(rows.node.codes[_among(rows.op, _CHEAP.__contains__)])
    gradients = np.count_nonzero(runs)
    if rows.duration_ps is None or np.mean(rows.duration_ps < _SHORT_PS) > _SOME_SHORT:
        return []
    if not gradients or np.median(runs[runs > 0]) < _RUNS or len(cheap) * _FEW > gradients:
        return []
    said = (
        f"{path}: cheap ops are missing: TensorFlow had found them to take less than some "
        "microseconds, and then does not record them at host_tracer_level 2. Times and counts of "
        "ops are those of the others, and what the missing ones took counts as runtime; a capture "
        "of earlier steps, or at level 3 (`tfprof run --every-op`), has all"
    )
    return [said]


def _is_gradient(name: str) -> bool:
    return any(part in name for part in _GRADIENTS)


def _among(column: Interned, is_wanted: Callable[[str], bool]) -> npt.NDArray[np.bool_]:
    wanted = np.fromiter(map(is_wanted, column.table), np.bool_, len(column.table))
    return wanted[column.codes]
