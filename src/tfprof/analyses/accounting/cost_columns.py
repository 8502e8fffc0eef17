"""The costs of many rows: a row each, a column a metric.

Most metrics are those of a run, of some memory or of an op log: columns lie one after the other in
memory, and those that are empty are passed over.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from tfprof.model.metrics import COLUMNS

Ints = npt.NDArray[np.int64]


def no_costs(count: int) -> Ints:
    return np.zeros((count, COLUMNS), np.int64, order="F")


def filled(costs: Ints) -> Iterator[int]:
    """The columns in which some row has a cost."""
    return (column for column in range(costs.shape[1]) if costs[:, column].any())


def costs_at(costs: Ints, rows: Ints) -> Ints:
    """Those of some rows; of all in their order, the same ones."""
    if len(rows) == len(costs) and np.array_equal(rows, np.arange(len(rows))):
        return costs
    found = no_costs(len(rows))
    for column in filled(costs):
        found[:, column] = costs[:, column][rows]
    return found
