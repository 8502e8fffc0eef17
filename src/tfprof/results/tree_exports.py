"""What `-output timeline` and `-output pprof` write for other viewers: executions, and samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tfprof.frozen_dataclass import frozen_dataclass


class Slice(NamedTuple):
    """One execution."""

    name: str
    process: int
    lane: int
    start: int
    duration: int


class Point(NamedTuple):
    process: int
    lane: int
    time: int


class Flow(NamedTuple):
    """From the end of an execution to the start of one on another device that reads it."""

    name: str
    source: Point
    target: Point


class MemorySample(NamedTuple):
    """What an allocator had given out, the largest holders of it, and what they do not hold."""

    time: int
    in_use: int
    largest: Sequence[tuple[str, int]]
    rest: int


class MemoryUse(NamedTuple):
    device: str
    peak: int
    samples: Sequence[MemorySample]


class GraphTimeline(NamedTuple):
    """A position in `processes` is the number of the process."""

    processes: Sequence[str]
    slices: Sequence[Slice]
    flows: Sequence[Flow]
    memory: Sequence[MemoryUse]


class PprofFrame(NamedTuple):
    """`function_line` is where the function begins, -1 if unknown."""

    file: str
    line: int
    function: str
    function_line: int = -1


@frozen_dataclass
class PprofSample:
    """Frames are outermost first; numbers in the file follow the order of the samples."""

    value: int
    node: str
    frames: Sequence[PprofFrame]
