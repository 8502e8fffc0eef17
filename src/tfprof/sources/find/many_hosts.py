"""The captures of several hosts: each is read where somebody works on it, and need not stay.

What a command asks of every host is asked while it is read. Small captures stay in memory, for
whatever is asked next; large ones are let go, and read again if there is more to ask.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace

from tfprof.errors import InputMissing, InputUnreadable, TfprofError
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.host_work import Asking, HeardOfHosts, HostTask, HostWork, Lost, Workers
from tfprof.model.hosts import Host, HostFacts, Hosts, LeftOut, TraceAtHand
from tfprof.model.trace import Trace
from tfprof.model.xspace import common_origin
from tfprof.sources.files.registry import FilePiece
from tfprof.sources.find.choose import CAPTURE
from tfprof.sources.find.trace_files import FilesTrace, TraceFile

# captures that take no more bytes than this together are kept
KEPT_UP_TO = 32_000_000
# so many hosts may say the like
_TOLD_EACH = 3


@frozen_dataclass
class CaptureOfHost:
    """One of several captures, not read; all that another process needs to read it.

    `shown` is its path as the user gave it: elsewhere, it is read by the whole one.
    """

    rank: int
    file: TraceFile
    shown: str = ""

    @property
    def name(self) -> str:
        return self.file.host

    @property
    def size(self) -> int:
        return self.file.file.facts.size

    def told(self, text: str) -> str:
        return text.replace(str(self.file.file.path), self.shown) if self.shown else text

    def fault(self, fault: Exception) -> TfprofError:
        if not isinstance(fault, TfprofError):
            return InputUnreadable("there is not enough memory to read it", where=self.shown)
        fault.where = self.told(fault.where)
        return fault


@frozen_dataclass
class HostAnswers:
    """What was learned while a host was read: about its file, and what it says to each question."""

    facts: HostFacts
    steps: tuple[int, ...]
    warnings: tuple[str, ...]
    answers: tuple[object, ...]


@frozen_dataclass
class Session:
    """The hosts that were read, who is left out and why, and what there is to say about files."""

    hosts: Hosts
    left_out: tuple[LeftOut, ...]
    warnings: tuple[str, ...]
    faults: dict[int, TfprofError] = field(default_factory=dict)


def read_session(
    captures: Sequence[CaptureOfHost], work: HostWork | None, heard: HeardOfHosts | None
) -> Session:
    """An error if none can be read: that of the first."""
    whole = sum(one.size for one in captures)
    known = all(one.file.format is not None and one.file.format.name == CAPTURE for one in captures)
    if work is None or not known or (whole <= KEPT_UP_TO and not work.always):
        asking: _Kept | _ReadAgain = _Kept(work.tasks() if work is not None else ())
    else:
        asking = _ReadAgain(work.tasks(), work.workers, heard)
    found = asking.first(captures)
    read = {at: one for at, one in found.items() if isinstance(one, HostAnswers)}
    faults = {at: one for at, one in found.items() if isinstance(one, TfprofError)}
    if not read:
        raise faults[min(faults)]
    return Session(
        Hosts.asked_by(asking, (asking.host(rank, one) for rank, one in sorted(read.items()))),
        tuple(LeftOut(one.name, _said(faults[one.rank])) for one in captures if one.rank in faults),
        tuple(_folded(text for _, one in sorted(read.items()) for text in one.warnings)),
        faults,
    )


def _folded(texts: Iterable[str]) -> Iterator[str]:
    """What many hosts have to say in the same words is said once."""
    alike: dict[str, list[str]] = {}
    for text in texts:
        alike.setdefault(re.sub(r"\S*/|\d[\d,.]*", "", text), []).append(text)
    for some in alike.values():
        if len(some) <= _TOLD_EACH:
            yield from some
        else:
            yield f"{some[0]}; {len(some) - 1:,} more hosts say the like"


def _said(fault: TfprofError) -> str:
    return fault.what


def on_clock(captures: Iterable[CaptureOfHost], origins: Sequence[int]) -> list[CaptureOfHost]:
    """All counted from where the first begins."""
    origin = common_origin(origins)
    return [replace(one, file=replace(one.file, origin_ns=origin)) for one in captures]


# what makes a host one that is left out, and not a fault of the call
_OF_ONE_HOST = (InputUnreadable, InputMissing, MemoryError)


def _origin(one: CaptureOfHost) -> int | TfprofError:
    from tfprof.sources.xplane.origin import origin_ns

    try:
        one.file.file.check()
        return origin_ns(one.file.file.path)
    except _OF_ONE_HOST as fault:
        return one.fault(fault)


class _Kept(Asking):
    """Captures that stay in memory."""

    def __init__(self, tasks: Sequence[HostTask]) -> None:
        self._tasks = tasks
        self._hosts: dict[int, Host] = {}
        self._answers: dict[str, dict[int, object]] = {task.key: {} for task in tasks}

    def first(self, captures: Sequence[CaptureOfHost]) -> dict[int, HostAnswers | TfprofError]:
        pieces, found = {}, dict[int, HostAnswers | TfprofError]()
        origins = []
        for one in captures:
            try:
                pieces[one.rank] = one.file.piece()
                trace = pieces[one.rank].trace
                space = None if trace is None else trace.space
                origins += [] if space is None else [space.origin_ns]
            except _OF_ONE_HOST as fault:
                found[one.rank] = one.fault(fault)
                # its clock counts wherever it is read
                origin = _origin(one)
                origins += [origin] if isinstance(origin, int) else []
        for one in on_clock(captures, origins):
            if one.rank in pieces:
                found[one.rank] = self._read(one, pieces[one.rank])
        return found

    def _read(self, one: CaptureOfHost, piece: FilePiece) -> HostAnswers | TfprofError:
        trace = one.file.placed(piece.trace or Trace.joined([]))
        facts = HostFacts.of(trace, ends_early=piece.ends_early)
        source = FilesTrace((one.file,), trace)
        host = Host(one.name, one.rank, trace.steps, source, facts)
        try:
            answers = [task.ask(host, *task.args) for task in self._tasks]
        except _OF_ONE_HOST as fault:
            return one.fault(fault)
        for task, answer in zip(self._tasks, answers, strict=True):
            self._answers[task.key][one.rank] = answer
        self._hosts[one.rank] = host
        return HostAnswers(facts, trace.steps, tuple(map(one.told, piece.warnings)), tuple(answers))

    def host(self, rank: int, _: HostAnswers) -> Host:
        return self._hosts[rank]

    def each(self, task: HostTask, hosts: Sequence[Host]) -> list[object]:
        known = self._answers.setdefault(task.key, {})
        for host in hosts:
            if host.rank not in known:
                known[host.rank] = task.ask(host, *task.args)
        return [known[host.rank] for host in hosts]


@frozen_dataclass
class _AskHost:
    """Reads a host and asks it; what was read is let go."""

    tasks: tuple[HostTask, ...]

    def __call__(self, one: CaptureOfHost) -> HostAnswers | TfprofError:
        try:
            piece = one.file.piece()
            trace = one.file.placed(piece.trace or Trace.joined([]))
            facts = HostFacts.of(trace, ends_early=piece.ends_early)
            host = Host(one.name, one.rank, trace.steps, TraceAtHand(trace), facts)
            answers = tuple(task.ask(host, *task.args) for task in self.tasks)
        except _OF_ONE_HOST as fault:
            return one.fault(fault)
        return HostAnswers(facts, trace.steps, tuple(map(one.told, piece.warnings)), answers)


class _ReadAgain(Asking):
    """Captures of which only answers are kept."""

    def __init__(
        self, tasks: Sequence[HostTask], workers: Workers, heard: HeardOfHosts | None = None
    ) -> None:
        self._tasks, self._workers, self._heard = tuple(tasks), workers, heard
        self._captures: dict[int, CaptureOfHost] = {}
        self._answers: dict[str, dict[int, object]] = {}

    def first(self, captures: Sequence[CaptureOfHost]) -> dict[int, HostAnswers | TfprofError]:
        """The clock that all count by is known before any of them is read."""
        # a few places of each file: processes need not be started for that
        told = self._workers.map(_origin, captures, [0] * len(captures))
        origins = {
            one.rank: origin for one, origin in zip(captures, told, strict=True)
            if isinstance(origin, int)
        }  # fmt: skip
        readable = [one for one in captures if one.rank in origins]
        self._captures = {one.rank: one for one in on_clock(readable, [*origins.values()])}
        found: dict[int, HostAnswers | TfprofError] = {
            one.rank: _lost(origin)
            for one, origin in zip(captures, told, strict=True)
            if not isinstance(origin, int)
        }
        found |= self._ask(self._tasks, [*self._captures.values()])
        return found

    def _ask(
        self, tasks: tuple[HostTask, ...], captures: Sequence[CaptureOfHost]
    ) -> dict[int, HostAnswers | TfprofError]:
        sizes = [one.size for one in captures]
        told = self._workers.map(_AskHost(tasks), captures, sizes, self._heard)
        found = {
            one.rank: answer if isinstance(answer, HostAnswers) else _lost(answer)
            for one, answer in zip(captures, told, strict=True)
        }
        for rank, answer in found.items():
            if isinstance(answer, HostAnswers):
                for task, said in zip(tasks, answer.answers, strict=True):
                    self._answers.setdefault(task.key, {})[rank] = said
        return found

    def host(self, rank: int, read: HostAnswers) -> Host:
        one = self._captures[rank]
        return Host(one.name, rank, read.steps, one.file.trace, read.facts)

    def each(self, task: HostTask, hosts: Sequence[Host]) -> list[object]:
        known = self._answers.setdefault(task.key, {})
        open_ = [self._captures[host.rank] for host in hosts if host.rank not in known]
        if open_:
            for answer in self._ask((task,), open_).values():
                if isinstance(answer, TfprofError):
                    raise answer  # it could be read before
        return [known[host.rank] for host in hosts]


def _lost(answer: TfprofError | Lost | object) -> TfprofError:
    if isinstance(answer, TfprofError):
        return answer
    why = answer.why if isinstance(answer, Lost) else "it could not be read"
    return InputUnreadable(why)
