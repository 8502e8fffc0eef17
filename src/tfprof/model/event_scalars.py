"""Numbers that a program logged while it trained: loss, rate, whatever has a tag; and its saves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@frozen_dataclass(eq=False)
class ScalarSeries:
    """The points of a tag in the order they were written; `wall_s` are seconds since 1970."""

    step: Ints
    wall_s: Floats
    value: Floats

    def __len__(self) -> int:
        return len(self.step)


@frozen_dataclass(eq=False)
class EventScalars:
    """What one event file logged; a session writes a file of its own.

    `traced` are the global steps whose runs were recorded in the same file.
    """

    path: Path
    series: Mapping[str, ScalarSeries] = field(default_factory=dict)
    traced: tuple[int, ...] = ()


@frozen_dataclass
class SavedCheckpoint:
    """A checkpoint with a number in its name, and when its index was written."""

    path: Path
    number: int
    modified: float
