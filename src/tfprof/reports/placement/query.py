"""What is asked about placement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.dims import Shape
from tfprof.model.placement_log import PlacementLog


@frozen_dataclass
class Query:
    """`partition` is a device: only what ran there. `nodes` adds what devices execute.

    `sizes` and `feeds` make open sizes concrete; `log` is what TensorFlow logged.
    """

    sizes: Mapping[str, int] = field(default_factory=dict)
    feeds: Mapping[str, Shape] = field(default_factory=dict)
    log: PlacementLog | None = None
    partition: str | None = None
    nodes: bool = False
