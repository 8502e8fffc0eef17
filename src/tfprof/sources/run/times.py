"""Times of executions that nobody can have meant: they are cut where they are read, and said."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tfprof.model.trace import Executions
from tfprof.wire.fields import Ints

# in microseconds: the year 2112, and 25 days
LATEST, LONGEST = 1 << 52, 1 << 41


def cut(micros: Ints, most: int) -> Ints:
    """No later than anybody can mean: nanoseconds, and sums of times, have to fit 64 bits."""
    return np.clip(micros, -most, most)


def said_of_cut(rows: Executions, path: Path) -> list[str]:
    """A warning where executions have a time that was cut."""
    limits = ((rows.start, LATEST), (rows.op_end_rel, LONGEST), (rows.end_rel, LONGEST))
    were = np.zeros(len(rows), bool)
    for times, most in limits:
        were |= np.abs(times) == most
    count = int(np.count_nonzero(were))
    said = (
        f"{path}: {count:,} executions have times of another century or over weeks; they are cut,"
        " and what is said of them is not to be trusted"
    )
    return [said] if count else []
