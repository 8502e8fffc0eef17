"""Which activations to drop and compute again: candidate plans, each scored by simulating it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

from tfprof.analyses.graph.subgraph import FORWARD
from tfprof.analyses.memory.program import Program
from tfprof.analyses.memory.recompute import Halves, RecomputedGroup, recomputed
from tfprof.analyses.memory.schedule import simulate
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.units import plural

_WORKERS = 2
_EXPENSIVE = ("convolutions", "matrix products", "recurrent", "quantized")
# a candidate of the original method has more elements than this
_FEWEST_ELEMENTS = 1024
_FLOAT_BYTES = 4
# what the search may simulate: so many ops in all, but a few plans in any case
_OPS_SEARCHED = 250_000
_FEWEST_TRIES = 16
_MOST_TRIES = 150
_TOKENS = re.compile(r"[/_]")
_FEWEST_PARTS = 2
# the three ways of those who proposed it first
MEMORY, SPEED, COLLECTION = "memory", "speed", "collection"
# hears how many plans of how many were tried
Progress = Callable[[int, int], None]


@frozen_dataclass
class Plan:
    """A set of forward ops whose outputs are dropped, and where the idea comes from."""

    name: str
    about: str
    dropped: frozenset[int]


@frozen_dataclass
class Scored:
    """A plan at one batch: its peak, what it computes again, and what it keeps."""

    plan: Plan
    peak: int
    extra_flops: int
    groups: list[RecomputedGroup]
    kept: list[int]


class Planner:
    """Plans of one training step at one batch, each simulated once."""

    def __init__(self, made: Program, batch: int) -> None:
        self.made, self.batch = made, batch
        self.halves = Halves(made, batch)
        self.before = simulate(made, _WORKERS, batch).peak
        self.tries = 0
        self._scored: dict[frozenset[int], Scored] = {}

    @property
    def most_tries(self) -> int:
        fit = _OPS_SEARCHED // max(1, len(self.made.steps))
        return max(_FEWEST_TRIES, min(_MOST_TRIES, fit))

    def score(self, plan: Plan) -> Scored:
        if plan.dropped not in self._scored:
            self.tries += 1
            found = recomputed(self.halves, plan.dropped)
            peak = simulate(found.program, _WORKERS, self.batch).peak
            again = {number for group in found.groups for number in group.members}
            kept = sorted(self.halves.kept_for_later & self.halves.droppable - again)
            extra = int(found.extra_flops) if isinstance(found.extra_flops, int) else 0
            self._scored[plan.dropped] = Scored(plan, peak, extra, found.groups, kept)
        return self._scored[plan.dropped]

    # where plans come from

    def candidates(self) -> Iterator[Plan]:
        yield self.articulation_points()
        yield self.cheap_ops()
        yield from self.blocks()

    def keeping(self, name: str, about: str, kept: set[int]) -> Plan:
        return Plan(name, about, frozenset(self.halves.droppable - kept))

    def cheap_ops(self) -> Plan:
        steps = self.made.steps
        cheap = frozenset(
            number
            for number in self.halves.droppable
            if (rule := steps[number].op.site.rule) and rule.family not in _EXPENSIVE
        )
        return Plan(SPEED, "cheap ops: all but convolutions and matrix products", cheap)

    def blocks(self) -> Iterator[Plan]:
        """Whole blocks run again: kept is what goes from one to another, at each level of names."""
        seen: set[frozenset[int]] = set()
        for level in range(1, self._deepest() + 1):
            part = self._parts(level)
            if len({part[number] for number in self.halves.droppable}) < _FEWEST_PARTS:
                continue
            plan = self.keeping(f"blocks, level {level}", self._example(part), self._leaving(part))
            if plan.dropped and plan.dropped not in seen:
                seen.add(plan.dropped)
                yield plan

    def scopes(self, pattern: str) -> Plan:
        """What the user names runs again; kept is what leaves it."""
        named = re.compile(pattern)
        part = [name[0] if (name := named.search(step.name)) else "" for step in self.made.steps]
        inside = {number for number in self.halves.droppable if part[number]}
        return Plan("your scopes", pattern, frozenset(inside - self._leaving(part)))

    def _deepest(self) -> int:
        names = (self.made.steps[number].name for number in self.halves.droppable)
        return max((len(_TOKENS.split(name)) for name in names), default=0)

    def _parts(self, level: int) -> list[str]:
        """The beginning of each name, cut at a slash or an underscore."""
        return [_beginning(step.name, level) for step in self.made.steps]

    def _example(self, part: list[str]) -> str:
        largest = max(self.halves.droppable, key=self.halves.bytes_of)
        return f"such as {part[largest]}"

    def _leaving(self, part: list[str]) -> set[int]:
        """What is read in another part than it is made in."""
        halves = self.halves
        found = set()
        for number, step in enumerate(self.made.steps):
            if not halves.is_forward[number] or step.op.phase != FORWARD:
                continue
            for read in step.reads:
                if read is not None and part[read[0]] != part[number]:
                    found.add(halves.root[read[0]])
        return found

    def articulation_points(self) -> Plan:
        """The original method: tensors through which all paths go, about sqrt(n) of them."""
        kept = _bottlenecks(self.halves)
        return self.keeping(
            MEMORY, f"articulation points: {len(kept)} tensors through which everything goes", kept
        )

    def collection(self, names: Collection[str]) -> Plan:
        """What the user names is kept, and nothing else."""
        steps = self.made.steps
        kept = {self.halves.root[n] for n, step in enumerate(steps) if step.name in names}
        of = plural(len(kept & self.halves.droppable), "tensor")
        return self.keeping(COLLECTION, f"yours: {of} kept, all others again", kept)

    def scopes_to_wrap(self, scored: Scored) -> list[list[str]]:
        """Of each group, the widest name scopes in which nothing of another group runs again."""
        owners: dict[str, set[int]] = {}
        for place, group in enumerate(scored.groups):
            for number in group.members:
                step = self.made.steps[number]
                if self.halves.root[number] == number and step.op.phase == FORWARD:
                    for scope in _scopes(step.name):
                        owners.setdefault(scope, set()).add(place)
        found: list[list[str]] = [[] for _ in scored.groups]
        alone = {scope for scope, groups in owners.items() if len(groups) == 1}
        for scope, groups in owners.items():
            if scope in alone and _parent(scope) not in alone:
                found[min(groups)].append(scope)
        return [scopes for scopes in found if scopes]

    # search

    def improved(self, start: Scored, most_flops: int, progress: Progress | None) -> Scored:
        """Keeps one tensor more or less as long as that lowers the peak within the FLOPs."""
        best = start
        while True:
            better = self._one_step(best, most_flops, progress)
            if better is None:
                return best
            best = better

    def _one_step(self, best: Scored, most_flops: int, progress: Progress | None) -> Scored | None:
        halves = self.halves
        worth = sorted(
            halves.droppable & (halves.kept_for_later | (halves.droppable - best.plan.dropped)),
            key=lambda one: -halves.bytes_of(one),
        )
        for number in worth:
            if self.tries >= self.most_tries:
                return None
            plan = Plan("searched", "", best.plan.dropped ^ {number})
            if plan.dropped in self._scored:
                continue
            found = self.score(plan)
            if progress is not None:
                progress(self.tries, self.most_tries)
            if found.peak < best.peak and found.extra_flops <= most_flops:
                return found
        return None


def best_plans(planner: Planner, most_flops: int, progress: Progress | None = None) -> list[Scored]:
    """The candidates and what a search makes of the best, the lowest peak first."""
    found: list[Scored] = []
    told = set[frozenset[int]]()
    for plan in planner.candidates():
        # blocks may be what a well-known plan is; those keep their names, whatever they share
        if plan.dropped in told and plan.name not in (MEMORY, SPEED):
            continue
        told.add(plan.dropped)
        found.append(replace(planner.score(plan), plan=plan))
        if progress is not None:
            progress(planner.tries, planner.most_tries)
    fit = [one for one in found if one.extra_flops <= most_flops]
    if fit:
        best = min(fit, key=lambda one: one.peak)
        searched = planner.improved(best, most_flops, progress)
        if searched is not best:
            about = f"from {best.plan.name}, {planner.tries} plans tried"
            found.append(replace(searched, plan=Plan("search", about, searched.plan.dropped)))
    return sorted(found, key=lambda one: (one.peak, one.extra_flops))


def _bottlenecks(halves: Halves) -> set[int]:
    """Candidates whose ancestors and descendants read no candidate in common, and all of them."""
    steps = halves.made.steps
    order = sorted(range(len(steps)), key=halves.place.__getitem__)
    through = _through(halves, order)
    candidates = [
        number
        for number in order
        if number in through
        and number in halves.droppable
        and number in halves.kept_for_later
        and halves.bytes_of(number) > _FEWEST_ELEMENTS * _FLOAT_BYTES
    ]
    bit = {number: 1 << place for place, number in enumerate(candidates)}
    reads = {
        number: _either(bit.get(halves.root[read[0]], 0) for read in steps[number].reads if read)
        for number in order
        if number in through
    }
    before, after = _gathered(halves, order, reads)
    every = len(candidates)
    cuts = []
    for number in candidates:
        first, second = before[number], after[number]
        if not first & second and first.bit_count() + second.bit_count() >= every:
            cuts.append(number)
    most = math.ceil(math.sqrt(max(1, every)))
    if len(cuts) > most:
        cuts = cuts[:: math.ceil(len(cuts) / math.sqrt(every))]
    return set(cuts)


def _through(halves: Halves, order: list[int]) -> set[int]:
    """Forward ops between the data or the weights and what the gradients read."""
    steps = halves.made.steps
    found = set(halves.late_readers)
    for number in reversed(order):
        if number in found:
            found.update(
                read[0]
                for read in steps[number].reads
                if read is not None and halves.is_forward[read[0]]
            )
    return {number for number in found if steps[number].op.phase == FORWARD}


def _gathered(
    halves: Halves, order: list[int], reads: dict[int, int]
) -> tuple[dict[int, int], dict[int, int]]:
    """Of each op, the candidates that it and its ancestors read, and those its descendants read."""
    steps = halves.made.steps
    before: dict[int, int] = {}
    after: dict[int, int] = dict.fromkeys(reads, 0)
    for number in order:
        if number in reads:
            sources = (read[0] for read in steps[number].reads if read is not None)
            before[number] = reads[number] | _either(before.get(one, 0) for one in sources)
    for number in reversed(order):
        if number in reads:
            passed = after[number] | reads[number]
            for read in steps[number].reads:
                if read is not None and read[0] in after:
                    after[read[0]] |= passed
    return before, after


def _scopes(name: str) -> list[str]:
    """A name and the scopes it lies in, the widest first."""
    parts = name.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts) + 1)]


def _parent(scope: str) -> str:
    return scope.rpartition("/")[0]


def _beginning(name: str, level: int) -> str:
    end = -1
    for _ in range(level):
        found = _TOKENS.search(name, end + 1)
        if found is None:
            return name
        end = found.start()
    return name[:end]


def _either(bits: Iterator[int] | list[int]) -> int:
    found = 0
    for one in bits:
        found |= one
    return found
