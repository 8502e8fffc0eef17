"""What a step needs of memory before it runs, batch by batch, and the batch that fits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.quantity import Quantity
from tfprof.results.fields import AMONG, IF_KNOWN, INSIDE, ROW_KEY, Key
from tfprof.results.memory_what_if import WhatIf


@frozen_dataclass
class Alive:
    """Something that takes memory at the peak; an op may hold several of a kind."""

    name: Annotated[str, ROW_KEY]
    op: str
    kind: Annotated[str, ROW_KEY]
    bytes: int


def bytes_by_kind(alive: Iterable[Alive]) -> dict[str, int]:
    """What takes how much, the most first."""
    sums: dict[str, int] = {}
    for one in alive:
        sums[one.kind] = sums.get(one.kind, 0) + one.bytes
    return dict(sorted(sums.items(), key=lambda pair: -pair[1]))


@frozen_dataclass
class LinePiece:
    """From a batch on, bytes are a line over it; `to` is None for the last piece."""

    start: Annotated[int, Key("from"), ROW_KEY]
    to: int | None
    slope: int
    intercept: int


@frozen_dataclass
class EstimatedDevice:
    """At the first batch. `interval` is what the peak may come to; only a run has a curve.

    Where sizes are missing, the interval has no upper end. `input_bytes` are fed: whoever runs the
    step holds them beside its total.
    """

    peak_bytes: Quantity
    persistent_bytes: Quantity
    total_bytes: Quantity
    interval: tuple[int, int | None]
    peak_at: str
    live_at_peak: tuple[Alive, ...]
    curve: None
    pieces: tuple[LinePiece, ...]
    input_bytes: int


@frozen_dataclass
class BatchMemory:
    """By device."""

    batch: Annotated[int, ROW_KEY]
    peak_bytes: Mapping[str, Quantity]
    persistent_bytes: Mapping[str, Quantity]
    total_bytes: Mapping[str, Quantity]
    interval: Annotated[Mapping[str, tuple[int, int | None]], INSIDE]
    input_bytes: Mapping[str, int]

    @property
    def highest(self) -> str:
        """The device that needs most."""
        return max(self.peak_bytes, key=lambda device: self.peak_bytes[device].number or 0)


@frozen_dataclass
class OtherDevice:
    peak_bytes: Quantity
    total_bytes: Quantity


@frozen_dataclass
class OtherBatch:
    """By device."""

    batch: Annotated[int, ROW_KEY]
    peak_bytes: Mapping[str, Quantity]
    total_bytes: Mapping[str, Quantity]


@frozen_dataclass
class OtherForm:
    """The same step with the other graph: as written, or as a default session rewrites it."""

    devices: Mapping[str, OtherDevice]
    batches: tuple[OtherBatch, ...]


@frozen_dataclass
class Fits:
    """The largest batches in `budget_bytes`; None where nothing is asked to fit.

    The safe one leaves a `margin`. `bound_by` is the kind that takes most at the largest. Where
    sizes are missing, `unknown` says which, and no batch is known to fit.
    """

    max_batch: int | None = None
    safe_batch: int | None = None
    budget_bytes: Annotated[int | None, INSIDE] = None
    margin: Annotated[float, INSIDE] = 0.0
    bound_by: Annotated[str, INSIDE] = ""
    unknown: Annotated[str, INSIDE] = ""


@frozen_dataclass
class EstimatedMemory:
    """Of one model; `against` is another one over the same batches.

    Of `written` and `optimised` at most one is there: the form that was not asked for.

    `source` says what the numbers come from, `given` are the sizes that were said, `variables` the
    bytes of the variables on every device, also on those where nothing else lies.
    """

    memory_kind: str
    model: str
    computed: str
    devices: Mapping[str, EstimatedDevice]
    batches: tuple[BatchMemory, ...]
    fits: Annotated[Fits, AMONG]
    title: Annotated[str, INSIDE]
    source: Annotated[str, INSIDE]
    given: Annotated[tuple[str, ...], INSIDE]
    variables: Annotated[Mapping[str, Quantity], INSIDE]
    batch_is_open: Annotated[bool, INSIDE]
    what_if: Annotated[tuple[WhatIf, ...] | None, IF_KNOWN] = None
    against: Annotated[EstimatedMemory | None, IF_KNOWN] = None
    optimised: Annotated[OtherForm | None, IF_KNOWN] = None
    written: Annotated[OtherForm | None, IF_KNOWN] = None

    @property
    def highest(self) -> EstimatedDevice:
        """Of the devices the one that needs most."""
        return self.devices[self.batches[0].highest]
