"""The stats of a few messages that lie all over a large file.

Reading takes many passes, and each would have the system bring in the same pages again. So the few
bytes are copied first, in one pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tfprof.wire.fields import WireFault
from tfprof.wire.ids import Ids
from tfprof.wire.mapped import look, mapped_file
from tfprof.wire.spans import Spans
from tfprof.wire.xstats import RAW, STRING, StatTable, read_stats

Ints = npt.NDArray[np.int64]

# more than these are copied more slowly than they are read
_FEW = 1 << 12
# so much of a file is in memory anyway
_NEAR = 1 << 24


def are_far_apart(data: bytes, starts: Ints, ends: Ints) -> bool:
    if mapped_file(data) is None or not 0 < len(starts) <= _FEW:
        return False
    return int(ends.max()) - int(starts.min()) > _NEAR


def read_far_apart(
    data: bytes,
    starts: Ints,
    ends: Ints,
    number: int,
    names: Ids,
    only: Sequence[int] | None = None,
) -> StatTable:
    """As `read_stats`."""
    copied = Spans.of(
        [_bytes(data, *span) for span in zip(starts.tolist(), ends.tolist(), strict=True)]
    )
    try:
        found = read_stats(copied.data, copied.starts, copied.ends, number, names, only)
    except WireFault:  # it is to be said where in the file
        return read_stats(data, starts, ends, number, names, only)
    # of a string the value is where it lies
    strings = np.flatnonzero((found.kind == STRING) | (found.kind == RAW))
    value = found.value.copy()
    value[strings] += (starts - copied.starts)[found.owner[strings]].view(np.uint64)
    return replace(found, value=value)


def _bytes(data: bytes, begin: int, end: int) -> bytes:
    look(data, begin, end)
    return data[begin:end]
