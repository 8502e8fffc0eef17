"""What a run of the user's own says of its machine: how fast ops of each family went."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.results.fields import INSIDE, ROW_KEY


@frozen_dataclass
class OpRate:
    """An op takes `fixed_us`, and so long for each FLOP and each byte; none of them is negative.

    `spread` is how far the ops that were seen lie from that: 0.2 are 20 % either way, most times.
    """

    fixed_us: float
    us_per_flop: float
    us_per_byte: float
    spread: float

    def micros(self, flops: float, moved: float) -> float:
        return self.fixed_us + flops * self.us_per_flop + moved * self.us_per_byte


@frozen_dataclass
class FamilyRate:
    """What ops of a family came to: their work by the time that they took of the step."""

    family: Annotated[str, ROW_KEY]
    ops: int
    time_us: float
    flops_per_second: float | None
    bytes_per_second: float | None
    fixed_us: float
    spread: float


@frozen_dataclass
class Calibration:
    """Times are shares of the clock on the wall: what runs side by side divides it.

    `overlap` is the time of ops by the time in which any ran, `between_us` what a step takes
    beside the ops that were recorded, for each op of the graph.
    """

    sources: tuple[str, ...]
    steps: int
    overlap: float
    between_us: float
    families: tuple[FamilyRate, ...]
    by_op: Annotated[Mapping[str, OpRate], INSIDE]
    by_family: Annotated[Mapping[str, OpRate], INSIDE]
    # how many of the written ops were recorded: others were folded, taken in by the one before, or
    # too short; by op type, and by type and that of what made the first input
    seen: Annotated[Mapping[tuple[str, str], float], INSIDE]
