"""Which kernels begin an execution of their op: one op may launch several, one after the other."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tfprof.model.xspace import Plane
from tfprof.wire.distinct import distinct

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


def begun(plane: Plane, rows: Ints, op: npt.NDArray[np.int32]) -> Mask:
    """A stream runs the kernels of an op together, and the same ones each time.

    So an execution begins where the op before is another one, or where its first kernel comes
    again behind a different one.
    """
    if not len(rows):
        return np.zeros(0, bool)
    line, kernel = plane.line_of(rows), plane.events.name[rows]
    changes = np.append(True, (line[1:] != line[:-1]) | (op[1:] != op[:-1]))
    group = np.cumsum(changes) - 1
    first = kernel[np.flatnonzero(changes)][group]
    differs = np.append(True, kernel[1:] != kernel[:-1])
    # of an op that is one kernel, each is an execution
    alone = ~np.isin(op, distinct(op[~changes & differs]))
    found: Mask = changes | ((kernel == first) & (differs | alone))
    return found
