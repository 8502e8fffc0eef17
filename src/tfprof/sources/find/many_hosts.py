"""The captures of several hosts: each is read where somebody works on it, and need not stay.

What a command asks of every host is asked while it is read. Small captures stay in memory, for
whatever is asked next; large ones are let go, and read again if there is more to ask.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import cast

from tfprof.errors import InputMissing, InputUnreadable, TfprofError
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model import units
from tfprof.model.host_work import Asking, HostTask, HostWork, Lost, ShowsHosts
from tfprof.model.hosts import Host, HostFacts, Hosts, LeftOut, TraceAtHand
from tfprof.model.merging import Partial, merged
from tfprof.model.remembered import nothing_kept
from tfprof.model.trace import Trace
from tfprof.model.xspace import common_origin
from tfprof.sources.files.registry import FilePiece
from tfprof.sources.find.choose import CAPTURE
from tfprof.sources.find.session_answers import AnswersByTask, HostRead, SessionAnswers, TaskAnswers
from tfprof.sources.find.trace_files import FilesTrace, TraceFile

# captures that take no more bytes than this together are kept
KEPT_UP_TO = 32_000_000
# so many hosts may say the like
_TOLD_EACH = 3
_SHORT = 200


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
class Session:
    """The hosts that were read, who is left out and why, and what there is to say about files."""

    hosts: Hosts
    left_out: tuple[LeftOut, ...]
    warnings: tuple[str, ...]
    faults: dict[int, TfprofError] = field(default_factory=dict)


def read_session(
    captures: Sequence[CaptureOfHost], work: HostWork | None, shown: ShowsHosts | None
) -> Session:
    """An error if none can be read: that of the first."""
    whole = sum(one.size for one in captures)
    known = all(one.file.format is not None and one.file.format.name == CAPTURE for one in captures)
    if work is None or not known or (whole <= KEPT_UP_TO and not work.always):
        tasks = () if work is None or work.later else work.tasks()
        asking: _Kept | _ReadAgain = _Kept(tasks)
    else:
        asking = _ReadAgain(work, shown)
    found = asking.first(captures)
    faults, read = dict(sorted(found.faults.items())), dict(sorted(found.read.items()))
    if not read:
        raise next(iter(faults.values()))
    return Session(
        Hosts.asked_by(asking, (asking.host(rank, one) for rank, one in read.items())),
        tuple(LeftOut(one.name, _said(faults[one.rank])) for one in captures if one.rank in faults),
        tuple(_folded(text for one in read.values() for text in one.warnings)),
        faults,
    )


def _folded(texts: Iterable[str]) -> Iterator[str]:
    """What many hosts have to say in the same words is said once."""
    alike: dict[str, list[str]] = {}
    for text in texts:
        alike.setdefault(re.sub(r"\S*/|\d[\d,.]*", "", text), []).append(text)
    for some in alike.values():
        more = len(some) - 1
        if not more or (len(some) <= _TOLD_EACH and len(some[0]) <= _SHORT):
            yield from some
        else:
            yield f"{some[0]}; {units.plural(more, 'more host')} say{'s' * (more == 1)} the like"


def _said(fault: TfprofError) -> str:
    return fault.what


def on_clock(captures: Iterable[CaptureOfHost], origins: Sequence[int]) -> list[CaptureOfHost]:
    """All counted from where the first begins."""
    origin = common_origin(origins)
    return [replace(one, file=replace(one.file, origin_ns=origin)) for one in captures]


# what makes a host one that is left out, and not a fault of the call
_OF_ONE_HOST = (InputUnreadable, InputMissing, MemoryError)


@frozen_dataclass
class _Origins:
    """The instants that captures count from, by rank; or why one cannot be read."""

    told: Mapping[int, int | TfprofError]

    def merge(self, other: _Origins) -> _Origins:
        return _Origins({**self.told, **other.told})


def _origins_of(one: CaptureOfHost) -> _Origins:
    return _Origins({one.rank: _origin(one)})


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
        self._answers = AnswersByTask[dict[int, object]](dict)

    def first(self, captures: Sequence[CaptureOfHost]) -> SessionAnswers:
        pieces, faults, origins = dict[int, FilePiece](), dict[int, TfprofError](), list[int]()
        for one in captures:
            try:
                pieces[one.rank] = one.file.piece()
                trace = pieces[one.rank].trace
                space = None if trace is None else trace.space
                origins += [] if space is None else [space.origin_ns]
            except _OF_ONE_HOST as fault:
                faults[one.rank] = one.fault(fault)
                # its clock counts wherever it is read
                origin = _origin(one)
                origins += [origin] if isinstance(origin, int) else []
        read = {}
        for one in on_clock(captures, origins):
            if one.rank in pieces:
                try:
                    read[one.rank] = self._read(one, pieces[one.rank])
                except _OF_ONE_HOST as fault:
                    faults[one.rank] = one.fault(fault)
        return SessionAnswers(read, faults)

    def _read(self, one: CaptureOfHost, piece: FilePiece) -> HostRead:
        trace = one.file.placed(piece.trace or Trace.joined([]))
        facts = HostFacts.of(trace, ends_early=piece.ends_early)
        source = FilesTrace((one.file,), trace)
        host = Host(one.name, one.rank, trace.steps, source, facts)
        answers = [task.ask(host, *task.args) for task in self._tasks]
        for task, answer in zip(self._tasks, answers, strict=True):
            self._answers[task][one.rank] = answer
        self._hosts[one.rank] = host
        return HostRead(facts, trace.steps, tuple(map(one.told, piece.warnings)))

    def host(self, rank: int, _: HostRead) -> Host:
        return self._hosts[rank]

    def prepare(self, tasks: Sequence[HostTask], hosts: Sequence[Host]) -> None:
        """They are at hand whenever they are asked."""

    def each(self, task: HostTask, hosts: Sequence[Host]) -> list[object]:
        known = self._answers[task]
        for host in hosts:
            if host.rank not in known:
                known[host.rank] = task.ask(host, *task.args)
        return [known[host.rank] for host in hosts]

    def merged(self, task: HostTask, hosts: Sequence[Host]) -> Partial:
        return merged(cast("list[Partial]", self.each(task, hosts)))


@frozen_dataclass
class _AskHost:
    """Reads a host and asks it; what was read is let go."""

    tasks: tuple[HostTask, ...]

    @nothing_kept()
    def __call__(self, one: CaptureOfHost) -> SessionAnswers:
        try:
            piece = one.file.piece()
            trace = one.file.placed(piece.trace or Trace.joined([]))
            facts = HostFacts.of(trace, ends_early=piece.ends_early)
            said = tuple(map(one.told, piece.warnings))
            del piece  # its times are by its own clock, and would stay beside those of the trace
            host = Host(one.name, one.rank, trace.steps, TraceAtHand(trace), facts)
            answers = [task.ask(host, *task.args) for task in self.tasks]
        except _OF_ONE_HOST as fault:
            return SessionAnswers(faults={one.rank: one.fault(fault)})
        read = HostRead(facts, trace.steps, said)
        return SessionAnswers.of(one.rank, read, self.tasks, answers)


class _ReadAgain(Asking):
    """Captures of which only answers are kept."""

    def __init__(self, work: HostWork, shown: ShowsHosts | None) -> None:
        self._work, self._workers, self._shown = work, work.workers, shown
        self._captures: dict[int, CaptureOfHost] = {}
        self._answers = AnswersByTask[list[TaskAnswers]](list)

    def first(self, captures: Sequence[CaptureOfHost]) -> SessionAnswers:
        """The clock that all count by is known before any of them is read."""
        # a few places of each file: processes need not be started for that
        told = self._workers.gather(_origins_of, captures, [0] * len(captures))
        known = {} if told.whole is None else told.whole.told
        origins = {rank: one for rank, one in sorted(known.items()) if isinstance(one, int)}
        faults = {rank: one for rank, one in known.items() if isinstance(one, TfprofError)}
        readable = [one for one in captures if one.rank in origins]
        self._captures = {one.rank: one for one in on_clock(readable, [*origins.values()])}
        found = self._ask(self._work.tasks(), [*self._captures.values()])
        return replace(found, faults={**faults, **_lost(captures, told.lost), **found.faults})

    def _ask(
        self, tasks: tuple[HostTask, ...], captures: Sequence[CaptureOfHost]
    ) -> SessionAnswers:
        sizes = [one.size for one in captures]
        heard = None if self._shown is None else self._shown(len(sizes), sum(sizes))
        told = self._workers.gather(_AskHost(tasks), captures, sizes, heard)
        found = SessionAnswers() if told.whole is None else told.whole
        for task, answers in zip(tasks, found.answers, strict=False):
            self._answers[task].append(answers)
        return replace(found, faults={**found.faults, **_lost(captures, told.lost)})

    def prepare(self, tasks: Sequence[HostTask], hosts: Sequence[Host]) -> None:
        open_ = {task.key: task for task in tasks if task not in self._answers}
        if open_:
            self._ask_again(tuple(open_.values()), hosts)

    def _ask_again(self, tasks: tuple[HostTask, ...], hosts: Iterable[Host]) -> None:
        found = self._ask(tasks, [self._captures[host.rank] for host in hosts])
        for fault in found.faults.values():
            raise fault  # it could be read before

    def host(self, rank: int, read: HostRead) -> Host:
        one = self._captures[rank]
        trace = FilesTrace((one.file,)) if self._work.later else one.file.trace
        return Host(one.name, rank, read.steps, trace, read.facts)

    def each(self, task: HostTask, hosts: Sequence[Host]) -> list[object]:
        known = self._known(task)
        open_ = [host for host in hosts if host.rank not in known]
        if open_:
            self._ask_again((task,), open_)
            known = self._known(task)
        return [known[host.rank] for host in hosts]

    def _known(self, task: HostTask) -> dict[int, object]:
        return {rank: answer for one in self._answers[task] for rank, answer in one.each.items()}

    def merged(self, task: HostTask, hosts: Sequence[Host]) -> Partial:
        """What is together is taken together, where all of it is asked for."""
        found, left = self._parts(task, {host.rank: host for host in hosts})
        if left:
            self._ask_again((task,), left.values())
            found, _ = self._parts(task, {host.rank: host for host in hosts})
        return merged(found)

    def _parts(
        self, task: HostTask, wanted: dict[int, Host]
    ) -> tuple[list[Partial], dict[int, Host]]:
        """The parts that are known, and the hosts that are in none of them."""
        left, found = dict(wanted), list[Partial]()
        for one in self._answers[task]:
            if one.whole is not None and one.ranks <= left.keys():
                found.append(one.whole)
                left = {rank: host for rank, host in left.items() if rank not in one.ranks}
            mine = one.each.keys() & left.keys()
            found += [cast("Partial", one.each[rank]) for rank in sorted(mine)]
            left = {rank: host for rank, host in left.items() if rank not in mine}
        return found, left


def _lost(captures: Sequence[CaptureOfHost], lost: Mapping[int, Lost]) -> dict[int, TfprofError]:
    return {captures[at].rank: InputUnreadable(one.why) for at, one in lost.items()}
