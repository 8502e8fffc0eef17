"""A program that is being rewritten: ops are taken out, joined and put into another order."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace

from tfprof.analyses.memory.program import Program, link
from tfprof.analyses.memory.steps import NOTHING, OpOutput

Read = tuple[int, int]
# an op that reads, and as which input
Reader = tuple[int, int]


class Rewriting:
    """The ops by number; what is `gone` keeps its number until the end.

    `waits` are the control edges: of each op those it waits for without reading them. `readers`
    are, by op and output, those who read it.
    """

    def __init__(self, made: Program) -> None:
        self._made = made
        self.steps = [step.unlinked() for step in made.steps]
        self.gone: set[int] = set()
        self.readers: list[list[dict[Reader, None]]] = [
            [{} for _ in step.outputs] for step in self.steps
        ]
        for number, step in enumerate(self.steps):
            for place, read in enumerate(step.reads):
                if read is not None:
                    self.readers[read[0]][read[1]][number, place] = None
        self.waits: list[set[int]] = [set() for _ in self.steps]
        self._waited_for_by: list[set[int]] = [set() for _ in self.steps]
        for before, after in _controls(made):
            self._wait(after, before)
        # what nobody reads as written is a result, or has an effect
        self._ends = {number for number in self.numbers() if not any(self.readers[number])}

    def numbers(self) -> Iterator[int]:
        """Of the ops that are left, also while some are taken out."""
        return (number for number in range(len(self.steps)) if number not in self.gone)

    def op(self, number: int) -> str:
        return self.steps[number].op.site.op

    def is_tied(self, number: int) -> bool:
        """Whether a control edge leads to it or away from it."""
        return bool(self.waits[number] or self._waited_for_by[number])

    def readers_of(self, number: int) -> list[int]:
        """The ops that read any output, one as often as it reads."""
        return [reader for port in self.readers[number] for reader, _ in port]

    def redirect(self, read: Read, to: Read | None) -> None:
        """Whoever reads the one reads the other."""
        for number, place in list(self.readers[read[0]][read[1]]):
            self.move(number, place, to)

    def move(self, number: int, place: int, to: Read | None) -> None:
        """One input comes from somewhere else."""
        read = self.steps[number].reads[place]
        if read is not None:
            del self.readers[read[0]][read[1]][number, place]
        if to is not None:
            self.readers[to[0]][to[1]][number, place] = None
        self.steps[number].reads[place] = to

    def take_out(self, number: int) -> None:
        """An op that nobody reads: who waited for it waits for what it waited for and read."""
        step = self.steps[number]
        before = self.waits[number] | {read[0] for read in step.reads if read is not None}
        for after in self._waited_for_by[number]:
            self.waits[after].discard(number)
            for one in before - {after}:
                self._wait(after, one)
        for one in self.waits[number]:
            self._waited_for_by[one].discard(number)
        self._forget_inputs(number)
        self.gone.add(number)

    def take_over(self, number: int, after: int) -> None:
        """An op goes on with what its only reader does: that one goes, its output is the op's."""
        first, second = self.steps[number], self.steps[after]
        others = second.reads[1:]
        self._forget_inputs(after)
        self.redirect((after, 0), (number, 0))
        if after in self._ends:
            self._ends.add(number)
        self.gone.add(after)
        first.outputs = [second.outputs[0]]
        first.duration += second.duration
        for read in others:
            first.reads.append(None)
            self.move(number, len(first.reads) - 1, read)

    def hold(self, number: int) -> None:
        """It becomes a constant, which nobody allocates while the step runs."""
        step = self.steps[number]
        self._forget_inputs(number)
        step.outputs = [OpOutput(NOTHING, dtype=one.dtype) for one in step.outputs]
        step.reuse, step.scratch, step.is_cheap = (), NOTHING, True

    def prune(self) -> None:
        """Takes out what is not read any more, and what was made for it alone."""
        stack = [number for number in self.numbers() if self._is_idle(number)]
        while stack:
            number = stack.pop()
            if number not in self.gone and self._is_idle(number):
                stack += [read[0] for read in self.steps[number].reads if read is not None]
                self.take_out(number)

    def finished(self) -> Program:
        """What is left, each op after those that it needs."""
        order = self._order()
        place = {number: at for at, number in enumerate(order)}
        steps = [self.steps[number] for number in order]
        for step in steps:
            step.reads = [read and (place[read[0]], read[1]) for read in step.reads]
        controls = [
            (place[before], place[number]) for number in order for before in self.waits[number]
        ]
        link(steps, controls)
        return replace(self._made, steps=steps)

    def _wait(self, number: int, before: int) -> None:
        self.waits[number].add(before)
        self._waited_for_by[before].add(number)

    def _forget_inputs(self, number: int) -> None:
        for place in range(len(self.steps[number].reads)):
            self.move(number, place, None)

    def _is_idle(self, number: int) -> bool:
        """Nobody reads it any more; a call stands for what runs inside it, and stays."""
        if number in self._ends or self.is_tied(number) or any(self.readers[number]):
            return False
        return self.steps[number].op.site.rule is not None

    def _order(self) -> list[int]:
        """First those that need nothing, then those that need nothing but these, and so on.

        Grappler sorts the nodes like this, and the order of nodes decides what is begun first.
        """
        needs = {
            number: self.waits[number] | {read[0] for read in self.steps[number].reads if read}
            for number in self.numbers()
        }
        followers: dict[int, list[int]] = {number: [] for number in needs}
        for number, before in needs.items():
            for one in before:
                followers[one].append(number)
        left = {number: len(before) for number, before in needs.items()}
        ready = deque(number for number, count in left.items() if not count)
        order = []
        while ready:
            number = ready.popleft()
            order.append(number)
            for one in followers[number]:
                left[one] -= 1
                if not left[one]:
                    ready.append(one)
        # a loop of the early kind waits for itself: its ops come last, as in the program
        return order + [number for number, count in left.items() if count]


def _controls(made: Program) -> Iterator[tuple[int, int]]:
    """Who is waited for without being read, and by whom."""
    read = [{one[0] for one in step.reads if one is not None} for step in made.steps]
    for number, step in enumerate(made.steps):
        yield from ((number, one) for one in step.releases if number not in read[one])
