"""Peak memory of a step for any batch, and the batch that fits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tfprof.analyses.memory.program import NOTHING, Line, MemoryModel, Program, program
from tfprof.analyses.memory.schedule import Simulated, simulate
from tfprof.analyses.static_costs import StaticCosts
from tfprof.model.dims import symbols
from tfprof.model.graph import Graph

# how many ops run at once: one after the other, as measured on small machines, on large ones
SEQUENTIAL, EXPECTED, PARALLEL = 1, 2, 4
_LARGEST_BATCH = 1 << 20
SCRATCH = "scratch"
KINDS = {"forward": "activations", "backward": "gradients", "update": "optimizer temporaries"}


@dataclass(frozen=True, slots=True)
class Alive:
    """Something that takes memory at the peak."""

    name: str
    op: str
    kind: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Peak:
    """Bytes of a step beside the variables: expected, and what fewer or more workers need."""

    batch: int
    expected: int
    sequential: int
    parallel: int
    at: str
    live: list[Alive] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def interval(self) -> tuple[int, int]:
        peaks = (self.sequential, self.expected, self.parallel)
        return min(peaks), max(peaks)


@dataclass(frozen=True, slots=True)
class Piece:
    """From a batch on, bytes are a line over it; `to` is None for the last piece."""

    start: int
    to: int | None
    slope: int
    intercept: int


def peak(costs: StaticCosts, graph: Graph, batch: int, model: MemoryModel) -> Peak:
    """For costs of that batch. `batch` makes a line a number where the costs left it open."""
    made = program(costs, graph, model)
    expected = simulate(made, EXPECTED, batch)
    one, many = simulate(made, SEQUENTIAL, batch), simulate(made, PARALLEL, batch)
    at = made.steps[expected.at].name if expected.at >= 0 else ""
    live = _alive(made, expected, batch)
    notes = costs.inferred.notes
    return Peak(batch, expected.peak, one.peak, many.peak, at, live, made.unknown, notes)


def _alive(made: Program, found: Simulated, batch: int) -> list[Alive]:
    """What is alive at the peak, the largest first."""
    rows = []
    for number, size in found.scratch:
        op = made.steps[number].op
        rows.append(Alive(op.site.name, op.site.op, SCRATCH, _at(size, batch)))
    for number, _, size in found.live:
        op = made.steps[number].op
        rows.append(Alive(op.site.name, op.site.op, KINDS[op.phase], _at(size, batch)))
    return sorted(rows, key=lambda row: (-row.bytes, row.name))


def _at(size: Line, batch: int) -> int:
    return size[0] * batch + size[1]


def pieces(costs: StaticCosts, graph: Graph, batch: int, model: MemoryModel) -> list[Piece]:
    """The peak as lines over the batch; only where nothing but the batch is open."""
    total = costs.total
    if (symbols(total.written) | symbols(total.flops_all)) - {"B"}:
        return []
    found = simulate(program(costs, graph, model), EXPECTED, batch)
    return _envelope(found.lines - {NOTHING})


def _envelope(lines: set[Line]) -> list[Piece]:
    """Which line is on top, from batch 1 on: steeper ones take over as the batch grows."""
    found: list[Piece] = []
    at = 1
    while lines and at < _LARGEST_BATCH:
        slope, rest = max(lines, key=lambda one: (one[0] * at + one[1], one[0]))
        # the first batch at which a steeper line lies above
        crossings = [
            (rest - other) // (steeper - slope) + 1 for steeper, other in lines if steeper > slope
        ]
        to = min(crossings) - 1 if crossings else None
        found.append(Piece(at, to, slope, rest))
        if to is None:
            return found
        at = to + 1
    return found


def largest_batch(needs: Callable[[int], int], budget: int, guess: int) -> int:
    """The largest batch that needs no more than the budget; 0 if not even one sample fits."""
    if needs(1) > budget:
        return 0
    low, high = 1, max(2, guess)
    while needs(high) <= budget:
        low, high = high, high * 2
        if high > _LARGEST_BATCH:
            return low
    while high - low > 1:
        middle = (low + high) // 2
        if needs(middle) <= budget:
            low = middle
        else:
            high = middle
    return low


def guess_from(lines: list[Piece], budget: int) -> int:
    """The batch that the formula says, to start the search from."""
    for piece in reversed(lines):
        if piece.slope > 0:
            batch = (budget - piece.intercept) // piece.slope
            if batch >= piece.start:
                return max(1, batch)
    return 1
