"""Memory in use over time, from what allocators noted."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.xspace import Plane

Ints = npt.NDArray[np.int64]

_EVENTS = ("MemoryAllocation", "MemoryDeallocation")
_ALLOCATOR, _RESERVED, _ALLOCATED = "allocator_name", "bytes_reserved", "bytes_allocated"


@frozen_dataclass
class MemoryCounter:
    """Bytes in use from each time on; times rise."""

    name: str
    time_ps: Ints
    value: Ints


def memory_counters(plane: Plane) -> Iterator[MemoryCounter]:
    """One an allocator; none where the capture has no memory events."""
    rows = plane.named(*_EVENTS)
    if not len(rows):
        return
    names = plane.stat(_ALLOCATOR)
    texts = names.texts()
    in_use = plane.stat(_RESERVED).over_all() + plane.stat(_ALLOCATED).over_all()
    is_memory = np.zeros(len(plane.events), bool)
    is_memory[rows] = True
    for code in texts.used():
        mine = names.rows[(texts.codes == code) & is_memory[names.rows]]
        mine = mine[np.argsort(plane.events.start_ps[mine], kind="stable")]
        if len(mine):
            yield MemoryCounter(texts.table[code], plane.events.start_ps[mine], in_use[mine])
