"""Memory on the page: over time with what lives when, and over the batch."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.results.columns import FieldColumns
from tfprof.results.page_parts import Amount

Doubles = npt.NDArray[np.float64]
Places = npt.NDArray[np.int32]


@frozen_dataclass(eq=False)
class LivingBlocks(FieldColumns):
    """The largest blocks that live at any of the moments: a row each, the largest first.

    A block is held after its change `taken`, up to its change `given_back`. Names, kinds, shapes
    and allocators are places in their lists.
    """

    taken: Places
    given_back: Places
    bytes: Doubles
    name: Places
    kind: Places
    shape: Places
    allocator: Places
    names: list[str]
    kinds: list[str]
    shapes: list[str]
    allocators: list[str]


@frozen_dataclass(eq=False)
class DeviceOverTime(FieldColumns):
    """A level holds from its moment to the next; `changes` is how many led to it.

    `peak` is the place of the highest moment. `before` is what of each level was taken before the
    first change, None where nothing says so. `with_variables`: it is all that an allocator handed
    out.
    """

    device: str
    times_us: Doubles
    levels: Doubles
    changes: Places
    peak: int
    peak_bytes: Amount
    peak_step: int | None
    before: Doubles | None
    with_variables: bool
    blocks: LivingBlocks
    all_blocks: int
    steps: list[StepSpanShown]


@frozen_dataclass
class StepSpanShown:
    """From when to when a step lasted, on the clock of the moments."""

    step: int
    begin_us: float
    end_us: float


@frozen_dataclass(eq=False)
class BatchCurve(FieldColumns):
    """Bytes at each of the batches, with variables and inputs; `max_batch` fits the limit."""

    name: str
    max_batch: int | None
    bytes: Doubles


@frozen_dataclass(eq=False)
class OverBatches(FieldColumns):
    """Estimated, of the device that needs most; the first curve is the model as it is.

    `fixed` says why the batch changes nothing, where that is so; `unknown` which sizes are missing.
    """

    computed: str
    batches: Doubles
    curves: list[BatchCurve]
    limit_bytes: int
    safe_batch: int | None
    unknown: str
    batch: int
    peak: Amount
    persistent: Amount
    total: Amount
    peak_at: str
    kinds: list[KindBytes]


@frozen_dataclass
class KindBytes:
    """What of the peak is of one kind: activations, gradients, scratch."""

    kind: str
    bytes: int
