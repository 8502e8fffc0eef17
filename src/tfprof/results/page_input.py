"""The input pipeline on the page: a tree of stages, the one that is waited for, and the change."""

from __future__ import annotations

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.results.input import InputStage


@frozen_dataclass
class StageShown:
    """`depth` is how far below what is read first; `how` tells parallelism, buffer and batch."""

    stage: InputStage
    depth: int
    how: str
    is_bottleneck: bool
    is_held_up: bool


@frozen_dataclass
class PipelineShown:
    """`about` is what it is, `bottleneck` what it waits for, in words; `advice` what to change."""

    number: int
    host: str
    calls: int
    share: float | None
    about: str
    bottleneck: str
    advice: tuple[str, ...]
    stages: tuple[StageShown, ...]
