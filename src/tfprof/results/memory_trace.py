"""What a run took of memory: the peak, what lived at it, and memory over time.

All of it is told by device, in whole bytes and nanoseconds: what several hosts tell is put together
by putting their devices side by side, and a device of one host is never summed with another's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.graph import Shape
from tfprof.model.quantity import Quantity
from tfprof.results.fields import AMONG, IF_KNOWN, INSIDE, ROW_KEY, Key
from tfprof.results.times import Nanoseconds


@frozen_dataclass
class Block:
    """Memory that is held: for whom and for what; None where the file does not say."""

    name: Annotated[str | None, ROW_KEY]
    op: str | None
    kind: str | None
    bytes: int
    shape: Shape | None
    dtype: str | None
    allocator: str


@frozen_dataclass
class StepMemory:
    step: Annotated[int, ROW_KEY]
    start_bytes: int
    peak_bytes: int
    end_bytes: int


@frozen_dataclass
class AllocatorState:
    """What an allocator says of itself."""

    fragmentation: Quantity
    available_bytes: Quantity
    lifetime_peak_bytes: Quantity

    @classmethod
    def unknown(cls, reason: str) -> AllocatorState:
        nothing = Quantity.unknown(reason)
        return cls(nothing, nothing, nothing)


@frozen_dataclass
class AllocatorMemory:
    peak_bytes: int
    events: int
    state: Annotated[AllocatorState, AMONG]


@frozen_dataclass
class MeasuredDevice:
    """Of several runs the one with the peak; events and steps are those of all.

    `into_step_ns` is when in its step the peak was reached, `left_blocks` how many blocks stay at
    the end. `levels` are the highest ones from each of the memory's `points` to the next, the last
    is the one at the end. Only an estimate has an interval and pieces of lines over the batch.
    """

    peak_bytes: int
    persistent_bytes: Quantity
    total_bytes: Quantity
    peak_ns: Annotated[Nanoseconds, Key("peak_us")]
    peak_step: int | None
    peak_at: str | None
    baseline_bytes: Quantity
    residue_bytes: int
    attributed_bytes: int
    before_capture_bytes: Quantity
    lost_bytes: int
    reserved_bytes: int
    state: Annotated[AllocatorState, AMONG]
    events: int
    live_at_peak: tuple[Block, ...]
    curve: tuple[tuple[Nanoseconds, int], ...]
    steps: tuple[StepMemory, ...]
    allocators: Mapping[str, AllocatorMemory]
    interval: None
    pieces: tuple[()]
    into_step_ns: Annotated[int | None, INSIDE]
    left_blocks: Annotated[int, INSIDE]
    levels: Annotated[tuple[int, ...], INSIDE]

    @property
    def is_whole(self) -> bool:
        """Whether it is all that an allocator handed out, and not what one step took."""
        return self.baseline_bytes.known


@frozen_dataclass
class MeasuredMemory:
    """`estimated_peak_bytes` is what the graph beside the run told before it.

    A run has one batch, and tells nothing of others.
    """

    memory_kind: str
    devices: Mapping[str, MeasuredDevice]
    batches: tuple[()]
    max_batch: None
    safe_batch: None
    points: Annotated[tuple[Nanoseconds, ...], INSIDE]
    estimated_peak_bytes: Annotated[Mapping[str, Quantity] | None, IF_KNOWN] = None

    @property
    def highest(self) -> str:
        """The device with the highest peak."""
        return max(self.devices, key=lambda device: self.devices[device].peak_bytes)
