"""What advice asks about memory: how much a step takes of what there is, and what would help."""

from __future__ import annotations

from tfprof.frozen_dataclass import frozen_dataclass


@frozen_dataclass
class MemoryPlan:
    """A what-if that makes the peak smaller: its words, its peak, and the option that shows it."""

    what: str
    total_bytes: int
    option: str
    max_batch: int | None = None
    more_flops: float | None = None


@frozen_dataclass
class MemoryTraits:
    """Of the device with the most; bytes. `limit` is what the device or its allocator has.

    `batch` is the one of `total`, `slope` what a sample more takes. `plans` are those that help
    most, worked out where memory is short.
    """

    device: str
    total: int
    measured: bool
    persistent: int | None
    limit: int | None
    batch: int | None = None
    slope: float | None = None
    max_batch: int | None = None
    plans: tuple[MemoryPlan, ...] = ()
    # what tensors that were asked about take at the peak
    asked_bytes: int | None = None
