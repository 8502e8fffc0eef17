"""An op as the memory model sees it: what it reads, what it allocates, who waits for it."""

from __future__ import annotations

from dataclasses import field
from typing import NamedTuple

from tfprof.analyses.cost.op_costs import OpCost
from tfprof.frozen_dataclass import mutable_dataclass

# bytes as a line over the batch: bytes a sample, and what is there for any batch
Line = tuple[int, int]
NOTHING: Line = (0, 0)
# an output: its step and its number there
Location = tuple[int, int]


@mutable_dataclass
class OpOutput:
    """One output: its size, how many read it, and the input whose buffer it is, if any.

    A list keeps alive what its step reads at the places it `holds`.
    """

    size: Line
    readers: int = 0
    alias: int | None = None
    dtype: int = 0
    holds: tuple[int, ...] = ()


@mutable_dataclass
class ProgramStep:
    """An op: `reads` are step and output of each input, None for what needs no buffer."""

    op: OpCost
    reads: list[Location | None] = field(default_factory=list)
    outputs: list[OpOutput] = field(default_factory=list)
    reuse: tuple[int, ...] = ()
    scratch: Line = NOTHING
    duration: float = 0.0
    device: int = 0
    # the thread that makes it ready runs it at once
    is_cheap: bool = False
    waits_for: int = 0
    # those that wait for it; most have one, and a tuple takes less than a list
    releases: tuple[int, ...] | list[int] = ()
    # bytes of its scratch that it never writes to: they take no time
    spared: int = 0
    # the variable whose value it hands out
    value_of: str = ""
    # the variable that it changes in place, and its bytes
    changes: tuple[str, Line] = ("", NOTHING)

    @property
    def name(self) -> str:
        return self.op.site.name

    def release(self, number: int) -> None:
        """One more that waits for it."""
        if isinstance(self.releases, list):
            self.releases.append(number)
        else:
            self.releases = [*self.releases, number] if self.releases else (number,)

    def unlinked(self) -> ProgramStep:
        """The same with nobody reading it yet; spelled out, since a search does this very often."""
        outputs = [OpOutput(one.size, 0, one.alias, one.dtype, one.holds) for one in self.outputs]
        return ProgramStep(
            self.op,
            list(self.reads),
            outputs,
            self.reuse,
            self.scratch,
            self.duration,
            self.device,
            self.is_cheap,
            spared=self.spared,
            value_of=self.value_of,
            changes=self.changes,
        )


class Taken(NamedTuple):
    """What an op takes and makes: of ops that are alike the same, worked out once for all."""

    is_cheap: bool
    duration: float
    reuse: tuple[int, ...]
    scratch: Line
    spared: int
    # of each output size, alias and data type
    made: tuple[tuple[Line, int | None, int], ...]

    @classmethod
    def by(cls, step: ProgramStep) -> Taken:
        made = tuple((one.size, one.alias, one.dtype) for one in step.outputs)
        taken = step.reuse, step.scratch, step.spared
        return cls(step.is_cheap, step.duration, *taken, made)

    def step(self, op: OpCost, reads: list[Location | None]) -> ProgramStep:
        """Spelled out, since a step is made for every op of a graph."""
        is_cheap, duration, reuse, scratch, spared, made = self
        if len(made) == 1:
            size, alias, dtype = made[0]
            outputs = [OpOutput(size, 0, alias, dtype)]
        else:
            outputs = [OpOutput(size, 0, alias, dtype) for size, alias, dtype in made]
        return ProgramStep(op, reads, outputs, reuse, scratch, duration, 0, is_cheap, 0, (), spared)
