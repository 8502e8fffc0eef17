"""The runs of one place, read where a worker is; and of many, by whoever works."""

from __future__ import annotations

import gc
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from tfprof.errors import AccessDenied, FileChanged, InputUnreadable, TfprofError
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.host_work import HeardOfHosts, Lost, Workers
from tfprof.model.known_run import KnownRun
from tfprof.model.profile import ProfileData
from tfprof.model.remembered import LastModels
from tfprof.model.run_record import RunState
from tfprof.reports.log import known_run
from tfprof.sources.files.opener import forget, here, is_reached_elsewhere, opener_for
from tfprof.sources.find.run_places import RunPlace
from tfprof.sources.find.runs_at_place import RunRead, kind_of, runs_at
from tfprof.sources.find.same_models import SameModels

# a command leaves cycles alone, since it ends before they matter: not one that reads many runs
_OFTEN, _LARGE = 20, 4 << 20
# what may be right the next time, though no file of the run is another one
_PASSING = (AccessDenied, FileChanged)
# a run takes as long as so many bytes of a capture, however small it is
_LEAST_WORK = 4_000_000


@frozen_dataclass
class PlaceRead:
    """`is_settled`: the same files will say the same."""

    runs: tuple[KnownRun, ...]
    is_settled: bool


def work_of(places: Sequence[RunPlace]) -> list[int]:
    """How much each is to read, in bytes."""
    return [one.size + _LEAST_WORK for one in places]


@frozen_dataclass
class SentPlace:
    """A place as a worker finds it, which may be in another folder.

    `folder` is where its path is seen from by whoever asked; None: from anywhere.
    """

    place: RunPlace
    folder: Path | None

    @classmethod
    def of(cls, one: RunPlace) -> SentPlace:
        folder = here()
        path = opener_for(one.path).absolute(one.path, folder)
        if path == one.path:
            return cls(one, None)
        files = [replace(file, path=folder / file.path) for file in one.files]
        return cls(replace(one, path=path, files=tuple(files)), folder)


def read_places(
    places: Sequence[RunPlace], workers: Workers | None, heard: HeardOfHosts | None
) -> Generator[tuple[RunPlace, PlaceRead]]:
    """As they come. What only this process can open is read by it."""
    sent_off = [workers is not None and is_reached_elsewhere(one.path) for one in places]
    own = [one for one, is_sent in zip(places, sent_off, strict=True) if not is_sent]
    apart = [one for one, is_sent in zip(places, sent_off, strict=True) if is_sent]
    told = _Told(heard)
    read = PlaceReader()
    for one, work in zip(own, work_of(own), strict=True):
        yield one, read(SentPlace.of(one))
        told.more(1, work)
    if workers is None or not apart:
        return
    sent = [SentPlace.of(one) for one in apart]
    with closing(workers.each(read, sent, work_of(apart), told.beside())) as answers:
        for at, answer in answers:
            found = _lost(sent[at], answer.why) if isinstance(answer, Lost) else answer
            yield apart[at], found


class _Told:
    """What this process read comes on top of what workers count."""

    def __init__(self, heard: HeardOfHosts | None) -> None:
        self._heard = heard
        self._runs = self._work = 0

    def more(self, runs: int, work: int) -> None:
        self._runs, self._work = self._runs + runs, self._work + work
        if self._heard is not None:
            self._heard(self._runs, self._work)

    def beside(self) -> HeardOfHosts | None:
        heard, runs, work = self._heard, self._runs, self._work
        return None if heard is None else lambda more, read: heard(runs + more, work + read)


class PlaceReader:
    """Reads one place after the other; what is kept of them are the models that were last."""

    def __init__(self) -> None:
        self._read = 0
        self._same, self._last = SameModels(), LastModels()

    def __reduce__(self) -> tuple[type[PlaceReader], tuple[()]]:
        return PlaceReader, ()

    def __call__(self, sent: SentPlace) -> PlaceRead:
        """Its runs, each let go of before the next is read."""
        runs: list[KnownRun] = []
        settled, one = True, sent.place
        try:
            for read in runs_at(one):
                known = self._known(read, sent)
                settled = settled and _is_settled(read, known)
                runs.append(known)
        except MemoryError:
            return _lost(sent, "there is not enough memory to read it")
        finally:
            forget(one.path)
            self._read += 1
            if self._read % _OFTEN == 0 or one.size > _LARGE:
                gc.collect()
        return PlaceRead(tuple(runs), settled)

    def _known(self, read: RunRead, sent: SentPlace) -> KnownRun:
        found = read.found
        if isinstance(found, ProfileData):
            read = replace(read, found=self._same.shared(found))
        with self._last.used():
            return known_run(read, sent.place.modified_ns, sent.folder)


def _is_settled(read: RunRead, known: KnownRun) -> bool:
    """Whether the same files will say the same: not of a run that goes on, or was not reached."""
    if isinstance(read.found, TfprofError):
        is_damaged = isinstance(read.found, InputUnreadable)
        return is_damaged and not isinstance(read.found, _PASSING)
    return known.state != RunState.RUNNING.value


def _lost(sent: SentPlace, why: str) -> PlaceRead:
    """Of a run that nobody could read, though nothing says that it is damaged."""
    read = RunRead(sent.place.path, kind_of(sent.place), InputUnreadable(why))
    run = known_run(read, sent.place.modified_ns, sent.folder)
    return PlaceRead((run,), is_settled=False)
