"""The different numbers of a column. `np.unique` loads masked arrays when it is asked for these."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

Number = TypeVar("Number", bound=np.integer)


def distinct(values: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """Each once, the least first."""
    rising = np.sort(values)
    found: npt.NDArray[Number] = rising[np.append(True, rising[1:] != rising[:-1])[: len(rising)]]
    return found
