"""Reads what was selected; and reads it again, from what is left of it in a pickle."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tfprof.errors import InputUnreadable, NotReadYet
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.late_pattern import late_pattern
from tfprof.model.event_scalars import SavedCheckpoint
from tfprof.model.host_work import HostWork, ShowsHosts
from tfprof.model.hosts import LeftOut
from tfprof.model.profile import Input, ProfileData
from tfprof.sources.files.file_ref import FileRef
from tfprof.sources.files.opener import here, opener_for
from tfprof.sources.files.registry import Format, Reader
from tfprof.sources.find.choose import Selection
from tfprof.sources.find.folders import FoundFile
from tfprof.sources.find.host_names import captures_of_hosts, named_captures
from tfprof.sources.find.joining import ReadFile, ReadSession, joined, record_of
from tfprof.sources.find.many_hosts import read_session
from tfprof.sources.find.rank_graphs import graphs_that_differ
from tfprof.sources.formats.run_record import KIND as RECORD
from tfprof.stopwatch import LOAD, part
from tfprof.wire.fields import Progress

# what is no input of an analysis, but tells about those that are
_NUMBERED = late_pattern(r"run_meta_(\d{1,15})")
_SAVED = late_pattern(r"-(\d{1,15})\.index$")
_ABOUT = {RECORD: "tells what was run"}

# hears the file and its size, returns who is told how much of it was read
ProgressOf = Callable[[Path, int], Progress]


@part(LOAD)
def read(
    selection: Selection, progress: ProgressOf | None = None, work: HostWork | None = None
) -> ProfileData:
    """Read what was selected and join it into one profile.

    `work` is what will be asked of every host, and who reads them where there are many.
    """
    _check_readable(selection)
    found = _FilesRead(selection, progress)
    for file in selection.used:
        found.add(file)
    session = _session(found.of_hosts, found.files, selection.left_out, progress, work)
    data = joined(selection.title, found.files, (*found.inputs, *_not_read(selection)), session)
    left = [file for file, _ in selection.passed_over]
    differ = graphs_that_differ(selection.used, left, data.graph)
    data = replace(
        data,
        other_runs=selection.other_runs,
        warnings=(*selection.warnings, *found.warnings, *differ, *data.warnings),
        saves=_saves([*selection.used, *left]),
        left_out=(*selection.left_out, *data.left_out),
    )
    later = work if work is not None and work.later else None
    return data.read_from(ReadAgain(selection.copy(), here(), tuple(found.refs), later))


def _check_readable(selection: Selection) -> None:
    if selection.is_readable:
        return
    first = selection.used[0]
    raise NotReadYet(
        f"this is {_article(first.kind)} {first.kind}; this version can name it, not read it",
        where=str(first.path),
        hint="`tfprof doctor` lists what is there; `tfprof formats` what can be read.",
    )


class _FilesRead:
    """What was read of the files of a selection; captures of several hosts are left for later."""

    def __init__(self, selection: Selection, progress: ProgressOf | None) -> None:
        self._is_alone = len(selection.used) == 1
        self._progress = progress
        self._runs = 0
        self.of_hosts = captures_of_hosts(selection.used)
        self.files: list[ReadFile] = []
        self.inputs: list[Input] = []
        self.refs: list[FileRef] = []
        self.warnings: list[str] = []

    def add(self, file: FoundFile) -> None:
        self.refs.append(FileRef.of(file.path))
        if file in self.of_hosts:
            self.of_hosts[file] = self.refs[-1]
            self.inputs.append(Input(file.path, file.kind))
        elif file.format is not None and file.format.part_of:
            why = f"part of the {file.format.part_of}"
            self.inputs.append(Input(file.path, file.kind, why=why))
        elif file.format is None or file.format.read is None:
            why = "recognised, not read yet"
            self.inputs.append(Input(file.path, file.kind, used=False, why=why))
        else:
            self._read(file, file.format, file.format.read)

    def _read(self, file: FoundFile, format_: Format, reader: Reader) -> None:
        ref, step = self.refs[-1], _step_of(file, self._runs)
        hear = self._progress(file.path, ref.facts.size) if self._progress else None
        try:
            piece = reader(file.path, step, hear)
        except InputUnreadable as fault:
            if file.kind != RECORD or self._is_alone:
                raise
            self.warnings.append(f"{fault}; the run is read without it")
            self.inputs.append(Input(file.path, file.kind, used=False, why=fault.what))
            return
        self.files.append(ReadFile(file, ref, step, piece))
        self.refs += [FileRef.of(path) for path in piece.beside]
        self._runs += file.kind == "RunMetadata"
        self.inputs.append(Input(file.path, format_.name, why=_ABOUT.get(file.kind, "")))


def _not_read(selection: Selection) -> Iterator[Input]:
    """What is told of beside the files that are read."""
    for file, why in selection.opened:
        yield Input(file.path, file.kind, why=why)
    for file, why in selection.passed_over:
        yield Input(file.path, file.kind, used=False, why=why)
    for file, why in selection.elsewhere:
        yield Input(file.path, file.kind, used=False, why=why, elsewhere=True)


def _session(
    files: Mapping[FoundFile, FileRef | None],
    others: Sequence[ReadFile],
    known: Sequence[LeftOut],
    progress: ProgressOf | None,
    work: HostWork | None,
) -> ReadSession | None:
    """The captures of several hosts, which are read one by one."""
    if not files:
        return None
    refs = {file: ref for file, ref in files.items() if ref is not None}
    named = named_captures(refs, record_of(others))
    # not everybody who hears of files shows hosts
    shown: ShowsHosts | None = getattr(progress, "hosts", None)
    return ReadSession(named, read_session([*named.values()], work, shown), known)


def _saves(files: Iterable[FoundFile]) -> tuple[SavedCheckpoint, ...]:
    """Checkpoints that a number tells apart, of a session in the order it saved them."""
    found = [
        SavedCheckpoint(one.path, int(number[1]), one.modified)
        for one in files
        if one.kind == "checkpoint" and (number := _SAVED.search(one.path.name))
    ]
    return tuple(sorted(found, key=lambda one: (one.number, one.path)))


def _step_of(file: FoundFile, number: int) -> int:
    """A recorder calls run metadata after its step; of others only their order is known."""
    named = _NUMBERED.fullmatch(file.path.name) if file.rank is not None else None
    return int(named[1]) if named else number


def _article(noun: str) -> str:
    return "an" if noun[:1] in "AEIOUHX" else "a"


@frozen_dataclass
class ReadAgain:
    """The selection, the folder its paths are seen from, and its files as they were.

    `work` is how hosts are read whoever asks later.
    """

    selection: Selection
    folder: Path
    files: tuple[FileRef, ...]
    work: HostWork | None = None

    def check(self) -> None:
        for file in self.files:
            file.check()

    def load(self) -> ProfileData:
        self.check()
        return read(self.chosen(), work=self.work)

    def chosen(self) -> Selection:
        """With paths as they are seen from here."""
        return self.selection if here() == self.folder else self._from_anywhere()

    def _from_anywhere(self) -> Selection:
        chosen = self.selection
        return Selection(
            chosen.title,
            [self._placed(file) for file in chosen.used],
            [(self._placed(file), why) for file, why in chosen.passed_over],
            [(self._placed(file), why) for file, why in chosen.elsewhere],
            chosen.other_runs,
            chosen.warnings,
            [(self._placed(file), why) for file, why in chosen.opened],
            chosen.left_out,
        )

    def _placed(self, file: FoundFile) -> FoundFile:
        return replace(file, path=opener_for(file.path).absolute(file.path, self.folder))
