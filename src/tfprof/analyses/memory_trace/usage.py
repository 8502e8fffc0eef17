"""The memory of one device over one stretch of time, whatever file it came from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tfprof.analyses.memory_trace.blocks import Blocks
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.interned import Interned
from tfprof.model.quantity import Quantity
from tfprof.results.memory_trace import AllocatorMemory, AllocatorState, Block, StepMemory

Ints = npt.NDArray[np.int64]

SCRATCH, OUTPUT = "scratch", "output"
# that of oneDNN: what is smaller than 256 KiB it takes from the system
_LARGE_BLOCKS = "mklcpu"
LARGE_BLOCKS_ONLY = (
    "oneDNN's allocator tells of blocks of 256 KiB and more: all of them are recorded with "
    "`tfprof run --memory`, or TF_CPU_ALLOCATOR_USE_BFC=1 before TensorFlow starts"
)


@frozen_dataclass
class StepSpan:
    """A step: its number and, on the clock of the changes, from when to when it lasted."""

    number: int
    start_ns: int
    end_ns: int


@frozen_dataclass(slots=False)
class Usage:
    """One row a change, by time: when, by how many bytes, of which allocator.

    The device has its full name.

    `before` is what each allocator held before its first change; None where nothing says so, and
    the curve starts at 0. `describe` tells of a block who holds it, `state` what the allocator of a
    name says after so many changes. `strangers` are bytes given back that were taken before the
    first change, at the change that did so. `reserved` is what of the levels after each change
    the runtime keeps for itself, such as the stacks of programs.
    """

    device: str
    time_ns: Ints
    change: Ints
    allocator: Interned
    before: Mapping[str, int] | None
    blocks: Blocks
    strangers: Ints
    describe: Callable[[int], Block] = field(repr=False)
    state: Callable[[str, int], AllocatorState] = field(repr=False)
    steps: Sequence[StepSpan] = ()
    reserved: Ints | None = None

    def __len__(self) -> int:
        return len(self.time_ns)

    @cached_property
    def levels(self) -> Ints:
        """Bytes in use: before the first change, and after each."""
        start = 0 if self.before is None else sum(self.before.values())
        return np.concatenate([[start], start + np.cumsum(self.change)])

    @cached_property
    def times_ns(self) -> Ints:
        """When each level began; that before the first change is given its time."""
        return np.concatenate([self.time_ns[:1], self.time_ns])

    @cached_property
    def at_peak(self) -> int:
        """How many changes led to the first of the highest levels."""
        return int(self.levels.argmax())

    @property
    def peak(self) -> int:
        return int(self.levels[self.at_peak])

    @property
    def peak_ns(self) -> int:
        return int(self.times_ns[self.at_peak])

    @property
    def peak_step(self) -> int | None:
        return self.step_at(self.peak_ns)

    def step_at(self, time_ns: int) -> int | None:
        """The shortest of the steps around a time."""
        around = [one for one in self.steps if one.start_ns <= time_ns < one.end_ns]
        found = min(around, key=lambda one: one.end_ns - one.start_ns, default=None)
        return None if found is None else found.number

    @property
    def baseline(self) -> int | None:
        """What the allocators held at the first event that tells of it."""
        return None if self.before is None else int(self.levels[1])

    @property
    def residue(self) -> int:
        """What is held at the end."""
        return int(self.levels[-1])

    @cached_property
    def live(self) -> list[Block]:
        """What is held at the peak, largest first."""
        return [self.describe(block) for block in self.blocks.alive_after(self.at_peak).tolist()]

    @property
    def taken_at_peak(self) -> str | None:
        """The op whose block made the peak."""
        made = (self.blocks.taken == self.at_peak - 1).nonzero()[0].tolist()
        return self.describe(made[0]).name if made else None

    @cached_property
    def attributed(self) -> int:
        """How much of the peak was seen to be taken."""
        return int(self.blocks.bytes[self.blocks.alive_after(self.at_peak)].sum())

    @property
    def from_before(self) -> int | None:
        """How much of the peak had been taken before the first change."""
        if self.before is None:
            return None
        return int(self.levels[0]) - int(self.strangers[: self.at_peak].sum())

    @property
    def lost(self) -> int:
        """What is none of these: changes that were not recorded."""
        return self.peak - self.attributed - (self.from_before or 0) - self.reserved_since

    @property
    def reserved_since(self) -> int:
        """How much of the peak the runtime has reserved since the first change."""
        if self.reserved is None or not self.at_peak:
            return 0
        return int(self.reserved[self.at_peak - 1] - self.reserved[0])

    @property
    def tells_large_blocks_only(self) -> bool:
        """Whether small blocks come from an allocator beside it, which tells nothing of them."""
        return _LARGE_BLOCKS in self.allocators

    @property
    def measured_peak(self) -> Quantity:
        if self.tells_large_blocks_only:
            return Quantity.at_least(self.peak, LARGE_BLOCKS_ONLY)
        return Quantity.measured(self.peak)

    @property
    def allocators(self) -> list[str]:
        return [self.allocator.table[code] for code in self.allocator.used()]

    def of_allocator(self, name: str) -> AllocatorMemory:
        """The most that one allocator held, and what it says of itself at the peak."""
        mine = self.change[self.allocator.where(name)]
        start = 0 if self.before is None else self.before[name]
        most = int(start + max(0, np.cumsum(mine).max(initial=0)))
        return AllocatorMemory(most, len(mine), self.state(name, self.at_peak))

    def steps_levels(self) -> list[StepMemory]:
        """Of each step the level at its start, the highest, and that at its end."""
        found = []
        for step in self.steps:
            first = int(np.searchsorted(self.time_ns, step.start_ns, side="left"))
            last = int(np.searchsorted(self.time_ns, step.end_ns, side="right"))
            highest = int(self.levels[first : last + 1].max())
            start, end = int(self.levels[first]), int(self.levels[last])
            found.append(StepMemory(step.number, start, highest, end))
        return found
