"""What a trace viewer shows: processes, threads in lanes, slices, flows between them, counters.

Pieces of a stream, in the order in which they are written: a capture has millions of slices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass

Ints = npt.NDArray[np.int64]
ArgValue = int | float | str


@frozen_dataclass
class Process:
    pid: int
    name: str
    facts: Mapping[str, ArgValue] = field(default_factory=dict)


@frozen_dataclass
class Thread:
    pid: int
    tid: int
    name: str
    facts: Mapping[str, ArgValue] = field(default_factory=dict)


@frozen_dataclass
class SliceName:
    """What slices of one name share."""

    name: str
    category: str
    args: Mapping[str, ArgValue] = field(default_factory=dict)


@frozen_dataclass
class SliceNames:
    """The names of a process. The renderer keeps here what it made of them."""

    names: Sequence[SliceName]
    written: dict[str, object] = field(default_factory=dict)


@frozen_dataclass
class Slices:
    """Some slices of one lane by start, outer before inner ones; `args` by position."""

    pid: int
    tid: int
    names: SliceNames
    name: npt.NDArray[np.int32]
    start_ps: Ints
    duration_ps: Ints
    args: Mapping[int, Sequence[tuple[str, ArgValue]]] = field(default_factory=dict)


@frozen_dataclass
class FlowEnds:
    """Arrows from slice to slice: process, thread and time of both ends, row by row."""

    category: str
    first_id: int
    source: tuple[Ints, Ints, Ints]
    target: tuple[Ints, Ints, Ints]


@frozen_dataclass
class CounterPoints:
    pid: int
    name: str
    key: str
    time_ps: Ints
    value: Ints


Piece = Process | Thread | Slices | FlowEnds | CounterPoints


@frozen_dataclass
class TraceHead:
    """What the file says about itself."""

    facts: Mapping[str, ArgValue | Mapping[str, float]]
