"""Costs by scope on the page: a tree as columns, a column a metric."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.results.columns import FieldColumns

Doubles = npt.NDArray[np.float64]
Places = npt.NDArray[np.int32]


@frozen_dataclass(eq=False)
class ScopeMetric(FieldColumns):
    """The total of every scope; `lost` is of how many nodes in it the cost is not known.

    Where the metric is not known at all, `unknown` says why and `totals` is None.
    """

    key: str
    title: str
    unit: str
    about: str
    unknown: str
    totals: Doubles | None
    lost: Places | None


@frozen_dataclass(eq=False)
class ScopeTree(FieldColumns):
    """A row a scope or op, parents first; a root has the parent -1. Names are without the parent's.

    `phase` is the place in `phases` of what all of a scope belongs to; where it belongs to several,
    that is the last one.
    """

    names: list[str]
    parent: Places
    phase: npt.NDArray[np.uint8]
    phases: list[str]
    metrics: list[ScopeMetric]
