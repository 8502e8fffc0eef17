"""What hosts answered while they were read: small, and put together wherever some of them are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from operator import is_
from typing import Generic, TypeVar, cast

from tfprof.errors import TfprofError
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.host_work import HostTask
from tfprof.model.hosts import HostFacts
from tfprof.model.merging import Partial, merged


@frozen_dataclass
class HostRead:
    """What was learned of a file while its host was read."""

    facts: HostFacts
    steps: tuple[int, ...]
    warnings: tuple[str, ...]


@frozen_dataclass
class TaskAnswers:
    """What hosts said to one question: those of `ranks` together, each of the others."""

    ranks: frozenset[int] = frozenset()
    whole: Partial | None = None
    each: Mapping[int, object] = field(default_factory=dict)

    @classmethod
    def of(cls, task: HostTask, rank: int, answer: object, *, apart: bool) -> TaskAnswers:
        """Of one host, which may be one to be kept apart from the others."""
        if task.together and not apart:
            return cls(frozenset([rank]), cast("Partial", answer))
        return cls(each={rank: answer})

    def merge(self, other: TaskAnswers) -> TaskAnswers:
        parts = [one.whole for one in (self, other) if one.whole is not None]
        whole = merged(parts) if parts else None
        return TaskAnswers(self.ranks | other.ranks, whole, {**self.each, **other.each})


A = TypeVar("A")


class AnswersByTask(Generic[A]):
    """What was answered to each question, as `new` begins it.

    Of questions that differ in nothing but the objects they are about, the last: these are held, so
    that no others take their place in memory.
    """

    def __init__(self, new: Callable[[], A]) -> None:
        self._new = new
        self._found: dict[str, tuple[tuple[object, ...], A]] = {}

    def __contains__(self, task: HostTask) -> bool:
        about = self._found[task.key][0] if task.key in self._found else None
        return (
            about is not None and len(about) == len(task.about) and all(map(is_, about, task.about))
        )

    def __getitem__(self, task: HostTask) -> A:
        if task not in self:
            self._found[task.key] = task.about, self._new()
        return self._found[task.key][1]


@frozen_dataclass
class SessionAnswers:
    """What some hosts said to the same questions; or why one could not be read, by rank."""

    read: Mapping[int, HostRead] = field(default_factory=dict)
    faults: Mapping[int, TfprofError] = field(default_factory=dict)
    answers: tuple[TaskAnswers, ...] = ()

    @classmethod
    def of(
        cls, rank: int, read: HostRead, tasks: Sequence[HostTask], answers: Sequence[object]
    ) -> SessionAnswers:
        """Of one host. A file that was cut off may be left out when all are known."""
        apart = read.facts.ends_early
        told = zip(tasks, answers, strict=True)
        found = tuple(TaskAnswers.of(task, rank, answer, apart=apart) for task, answer in told)
        return cls({rank: read}, answers=found)

    def merge(self, other: SessionAnswers) -> SessionAnswers:
        return SessionAnswers(
            {**self.read, **other.read},
            {**self.faults, **other.faults},
            self._answers_with(other),
        )

    def _answers_with(self, other: SessionAnswers) -> tuple[TaskAnswers, ...]:
        # who could not be read answers nothing
        if not self.answers or not other.answers:
            return self.answers or other.answers
        both = zip(self.answers, other.answers, strict=True)
        return tuple(mine.merge(theirs) for mine, theirs in both)
