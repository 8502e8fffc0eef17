"""What would help where memory is short: each what-if at one batch, before and after."""

from __future__ import annotations

from typing import Annotated

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.quantity import Quantity
from tfprof.results.fields import AMONG, INSIDE, ROW_KEY, Key
from tfprof.results.times import Interval


@frozen_dataclass
class Afterwards:
    """The batch that fits then, and the highest peak at each batch that was asked for."""

    max_batch: int | None
    peaks: Annotated[tuple[int, ...], INSIDE]


@frozen_dataclass
class RecomputePlan:
    kind: Annotated[str, ROW_KEY]
    plan: Annotated[str, ROW_KEY]
    about: str
    peak_bytes: Quantity
    saved_bytes: Quantity
    saved_share: float
    extra_flops: int
    extra_flops_share: float
    kept_tensors: int


@frozen_dataclass
class Recompute:
    """The best plan, or the one that was named; `plans` are all that were tried by their names.

    What `wrap` lists together is computed again at once. A plan that saves less than nothing loses.
    """

    best: Annotated[RecomputePlan, AMONG]
    wrap: tuple[tuple[str, ...], ...]
    keep: tuple[str, ...]
    plans: tuple[RecomputePlan, ...]
    then: Annotated[Afterwards, AMONG]

    @property
    def name(self) -> str:
        return f"recompute: {self.best.plan}"

    @property
    def helps(self) -> bool:
        return (self.best.saved_bytes.number or 0) > 0


@frozen_dataclass
class SwapPlan:
    kind: Annotated[str, ROW_KEY]
    peak_bytes: Quantity
    saved_bytes: Quantity
    moved_bytes: int
    tensors: int
    unhidden_us: Quantity
    step_us: Quantity
    step_interval_us: Interval


@frozen_dataclass
class SwapTrip:
    """A tensor that waits on the host, from when to when in a step.

    `after` is the op that runs when it has left, `before` the one that runs when it starts back.
    """

    tensor: Annotated[str, ROW_KEY]
    op: str
    bytes: int
    out: Annotated[Quantity, Key("out_us")]
    after: str
    back: Annotated[Quantity, Key("back_us")]
    before: str


@frozen_dataclass
class GrapplerSwap:
    """What TensorFlow's own SwappingPass takes for the peak: what a graph leaves open is 1 to it.

    `open_sizes` are those, `peak_bytes` with the variables that ops read.
    """

    peak_bytes: Quantity
    open_sizes: tuple[str, ...]


@frozen_dataclass
class Swap:
    """What comes back in time, tensor by tensor in `trips`; `everything` makes the step wait.

    `grappler` only where the graph leaves sizes open.
    """

    hidden: Annotated[SwapPlan, AMONG]
    gigabytes_a_second: float
    device: str
    everything: SwapPlan
    trips: tuple[SwapTrip, ...]
    grappler: GrapplerSwap | None
    then: Annotated[Afterwards, AMONG]

    @property
    def name(self) -> str:
        return "swap"


@frozen_dataclass
class Narrower:
    """Activations, gradients and scratch in fewer bytes.

    In half precision the variables stay as they are; in int8 weights are stored, too.
    """

    kind: Annotated[str, ROW_KEY]
    dtype: str
    peak_bytes: Quantity
    saved_bytes: Quantity
    persistent_bytes: int
    saved_persistent_bytes: int
    then: Annotated[Afterwards, AMONG]

    @property
    def name(self) -> str:
        return self.dtype


WhatIf = Recompute | Swap | Narrower
