"""What a model computes before it runs: multiply-adds, FLOPs, and what could not be counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.quantity import Quantity
from tfprof.results.fields import ROW_KEY


@frozen_dataclass
class UncountedOps:
    """Ops of one type that are not in the numbers, and why."""

    op: Annotated[str, ROW_KEY]
    count: int
    reason: str


@frozen_dataclass
class PhaseCosts:
    """Of the forward pass, the backward pass or the update."""

    macs: Quantity
    flops_all: Quantity


@frozen_dataclass
class ComputedCosts:
    """`flops` are two for each MAC, `flops_all` with element-wise ops, `float_ops` the original's.

    `computed` says of what: one prediction, one training step. `symbols` are the open sizes.
    """

    macs: Quantity
    flops: Quantity
    flops_all: Quantity
    float_ops: Quantity
    uncounted_ops: tuple[UncountedOps, ...] | None
    phases: Mapping[str, PhaseCosts] | None
    computed: str | None
    symbols: tuple[str, ...]
