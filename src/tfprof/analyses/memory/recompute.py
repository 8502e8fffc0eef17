"""What if activations were dropped and computed again for the backward pass.

A training step is rewritten: what gradients read of a dropped activation comes from a copy of the
op that made it, and the copy waits until the first gradient that needs it could run. The rewritten
step is then simulated like any other.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import replace

from tfprof.analyses.graph.subgraph import FORWARD
from tfprof.analyses.memory.program import Program, link
from tfprof.analyses.memory.schedule import simulate
from tfprof.analyses.memory.steps import ProgramStep
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.dims import Size

Read = tuple[int, int]
# smaller tensors are shapes, counts and losses: not worth a second computation
SMALL_BYTES = 4096
# random numbers would be drawn anew, a queue read on: these families run once
_ONCE_ONLY = ("random", "variables", "holders", "control", "lists")


class Halves:
    """A training step cut where the forward pass ends: what can be dropped, who needs it later.

    `is_late` are the ops that run after the forward pass: gradients and updates. Some ops of the
    gradients need nothing but activations and run before that; the order of a simulated run shows
    which. Large ones count as forward; small ones look at shapes, and may look at a copy's.
    """

    def __init__(self, made: Program, batch: int) -> None:
        self.made, self.batch = made, batch
        self.place = [0] * len(made.steps)
        for place, number in enumerate(simulate(made, 1, batch).order):
            self.place[number] = place
        turn = self._turn()
        self.is_forward, self.is_late = [], []
        for number, step in enumerate(made.steps):
            early = self.place[number] < turn
            forward = step.op.phase == FORWARD or (early and self.bytes_of(number) > SMALL_BYTES)
            self.is_forward.append(forward)
            self.is_late.append(not forward and not early)
        self.root = self._roots()
        self.droppable = self._droppable()
        self.late_readers = self._late_readers()
        self.looked_at = self._looked_at()
        self.controls = _controls_of(made)

    def bytes_of(self, number: int) -> int:
        outputs = self.made.steps[number].outputs
        return sum(one.size[0] * self.batch + one.size[1] for one in outputs if one.alias is None)

    def _droppable(self) -> set[int]:
        """Ops with a buffer worth dropping that give the same again, and are made of data.

        What gradients make of weights alone also lies around from early on, but no activation.
        """
        found: set[int] = set()
        for number in sorted(range(len(self.place)), key=self.place.__getitem__):
            step = self.made.steps[number]
            rule = step.op.site.rule
            if not self.is_forward[number] or self.root[number] != number or rule is None:
                continue
            if rule.family in _ONCE_ONLY or self.bytes_of(number) <= SMALL_BYTES:
                continue
            made_of = {self.root[read[0]] for read in step.reads if read is not None}
            if step.op.phase == FORWARD or made_of & found:
                found.add(number)
        return found

    @property
    def kept_for_later(self) -> set[int]:
        """The ops whose buffers the backward pass reads."""
        return {self.root[number] for number in self.late_readers}

    def _turn(self) -> int:
        """When the last op runs that the gradients read: the forward pass ends there."""
        steps = self.made.steps
        read = (one for step in steps if step.op.phase != FORWARD for one in step.reads)
        makers = (one[0] for one in read if one is not None)
        return max((self.place[one] for one in makers if steps[one].op.phase == FORWARD), default=0)

    def _roots(self) -> list[int]:
        """Of each op, the one whose buffer its first output is: its own, or through aliases."""
        found = list(range(len(self.made.steps)))
        for number in sorted(found, key=self.place.__getitem__):
            step = self.made.steps[number]
            alias = step.outputs[0].alias if step.outputs else None
            read = step.reads[alias] if alias is not None and alias < len(step.reads) else None
            if read is not None:
                found[number] = found[read[0]]
        return found

    def _late_readers(self) -> dict[int, list[int]]:
        """Of each forward op that late ops read, those, the first to run first."""
        found: dict[int, list[int]] = {}
        for number in sorted(range(len(self.place)), key=self.place.__getitem__):
            if self.is_late[number]:
                for read in self.made.steps[number].reads:
                    if read is not None and self.is_forward[read[0]]:
                        found.setdefault(read[0], []).append(number)
        return found

    def _looked_at(self) -> dict[int, int]:
        """Of each early op that only looks at activations, when its result is needed first."""
        steps = self.made.steps
        looks = [
            number
            for number in range(len(steps))
            if not self.is_forward[number] and not self.is_late[number]
        ]
        found: dict[int, int] = {}
        for number in sorted(looks, key=self.place.__getitem__, reverse=True):
            after = (found.get(one, self.place[one]) for one in steps[number].releases)
            found[number] = min(after, default=len(steps))
        return found


@frozen_dataclass
class RecomputedGroup:
    """Ops that run again together: `start` is when they are needed first, `gate` what arrives."""

    members: list[int]
    start: int
    gate: list[int]


@frozen_dataclass
class Recomputed:
    """The rewritten step, what runs again in it, and what that costs."""

    program: Program
    groups: list[RecomputedGroup]
    extra_flops: Size


def recomputed(halves: Halves, dropped: Iterable[int]) -> Recomputed:
    """The step with some activations dropped and computed again."""
    groups = _groups(halves, set(dropped))
    extra: Size = 0
    for group in groups:
        for number in group.members:
            cost = halves.made.steps[number].op.cost
            extra = extra + (cost.flops if cost is not None else 0)
    return Recomputed(read_from_copies(halves, groups), groups, extra)


def read_from_copies(
    halves: Halves, groups: list[RecomputedGroup], brought: Container[int] = ()
) -> Program:
    """The step in which late ops read copies; those that are `brought` need no inputs."""
    made = halves.made
    steps = [step.unlinked() for step in made.steps]
    copies: dict[int, int] = {}
    starts: dict[int, int] = {}
    for group in groups:
        for number in group.members:
            copies[number], starts[number] = len(steps), group.start
            steps.append(made.steps[number].unlinked())
    for number, copy in copies.items():
        if number in brought:
            known = steps[copy]
            steps[copy] = ProgramStep(
                known.op, [], known.outputs, device=known.device, is_cheap=True
            )
        else:
            steps[copy].reads = _redirected(made.steps[number].reads, copies)
    for number, step in enumerate(made.steps if copies else ()):
        if halves.is_late[number] or _can_look_at_copies(halves, number, starts):
            steps[number].reads = _redirected(step.reads, copies)
    gated = [
        (one, copies[number]) for group in groups for number in group.members for one in group.gate
    ]
    link(steps, [*halves.controls, *gated])
    return replace(made, steps=steps)


def _can_look_at_copies(halves: Halves, number: int, starts: dict[int, int]) -> bool:
    """Whether nobody needs the look before the copies are there: else all would wait for ever."""
    needed = halves.looked_at.get(number)
    if needed is None:
        return False
    reads = halves.made.steps[number].reads
    return all(starts.get(read[0], 0) <= needed for read in reads if read is not None)


def _groups(halves: Halves, dropped: set[int]) -> list[RecomputedGroup]:
    """What is computed again, in groups that hang together between kept tensors."""
    needed = _needed(halves, dropped)
    leader = {number: number for number in needed}

    def top(number: int) -> int:
        while leader[number] != number:
            leader[number] = leader[leader[number]]
            number = leader[number]
        return number

    for number in needed:
        for read in halves.made.steps[number].reads:
            if read is not None and read[0] in leader:
                leader[top(number)] = top(read[0])
    members: dict[int, list[int]] = {}
    for number in needed:
        members.setdefault(top(number), []).append(number)
    groups = [_group(halves, one) for one in members.values()]
    # what is needed as soon as the loss is there gains nothing by a second run
    return [group for group in groups if group.gate]


def _needed(halves: Halves, dropped: set[int]) -> list[int]:
    """What gradients read and is not kept, and what that is made of."""
    found = {number for number in halves.late_readers if halves.root[number] in dropped}
    stack = list(found)
    while stack:
        for read in halves.made.steps[stack.pop()].reads:
            if read is None or read[0] in found or not halves.is_forward[read[0]]:
                continue
            if halves.root[read[0]] in dropped:
                found.add(read[0])
                stack.append(read[0])
    return sorted(found, key=halves.place.__getitem__)


def _group(halves: Halves, members: list[int]) -> RecomputedGroup:
    """The gate: what the first op that needs the group waits for besides it."""
    readers = [halves.late_readers[one][0] for one in members if one in halves.late_readers]
    first = min(readers, key=halves.place.__getitem__)
    arriving = {read[0] for read in halves.made.steps[first].reads if read is not None}
    gate = sorted(one for one in arriving if halves.is_late[one])
    return RecomputedGroup(members, halves.place[first], gate)


def _redirected(reads: list[Read | None], copies: dict[int, int]) -> list[Read | None]:
    return [read and (copies.get(read[0], read[0]), read[1]) for read in reads]


def _controls_of(made: Program) -> list[tuple[int, int]]:
    """Who is waited for by whom without being read."""
    return [
        (number, reader)
        for number, step in enumerate(made.steps)
        for reader in step.releases
        if all(read is None or read[0] != number for read in made.steps[reader].reads)
    ]
