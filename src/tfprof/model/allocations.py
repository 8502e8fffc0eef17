"""What the executions of a run took from their allocators and gave back, record by record."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.interned import Interned

Ints = npt.NDArray[np.int64]


@frozen_dataclass
class Allocations:
    """Rows in the order of the file; negative `bytes` are given back.

    `execution` is the row of the execution that took the memory, also where it is given back: that
    happens when the last reader is done. `micros` are on the clock of the executions.
    """

    execution: Ints
    allocator: Interned
    micros: Ints
    bytes: Ints

    def __len__(self) -> int:
        return len(self.bytes)

    @classmethod
    def joined(cls, parts: Sequence[Allocations], first_rows: Sequence[int]) -> Allocations:
        """Several runs one after the other; `first_rows` are where their executions begin."""
        none = np.zeros(0, np.int64)
        rows = [part.execution + first for part, first in zip(parts, first_rows, strict=True)]
        return cls(
            np.concatenate([none, *rows]),
            Interned.joined([part.allocator for part in parts]),
            np.concatenate([none, *(part.micros for part in parts)]),
            np.concatenate([none, *(part.bytes for part in parts)]),
        )
