"""Reads what was selected; and reads it again, from what is left of it in a pickle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from tfprof.errors import NotReadYet
from tfprof.model.profile import Input, ProfileData
from tfprof.sources.files.file_ref import FileRef
from tfprof.sources.files.opener import here, opener_for
from tfprof.sources.find.choose import Selection
from tfprof.sources.find.folders import FoundFile
from tfprof.sources.find.joining import ReadFile, joined
from tfprof.wire.fields import Progress

# hears the file and its size, returns who is told how much of it was read
ProgressOf = Callable[[Path, int], Progress]


def read(selection: Selection, progress: ProgressOf | None = None) -> ProfileData:
    """Read what was selected and join it into one profile."""
    if not selection.is_readable:
        first = selection.used[0]
        raise NotReadYet(
            f"this is {_article(first.kind)} {first.kind}; this version can name it, not read it",
            where=str(first.path),
            hint="`tfprof doctor` lists what is there; `tfprof formats` what can be read.",
        )
    files: list[ReadFile] = []
    inputs: list[Input] = []
    refs: list[FileRef] = []
    runs = 0
    for file in selection.used:
        refs.append(FileRef.of(file.path))
        if file.format is not None and file.format.part_of:
            inputs.append(Input(file.path, file.kind, why=f"part of the {file.format.part_of}"))
            continue
        if file.format is None or file.format.read is None:
            inputs.append(Input(file.path, file.kind, used=False, why="recognised, not read yet"))
            continue
        hear = progress(file.path, refs[-1].facts.size) if progress else None
        piece = file.format.read(file.path, runs, hear)
        files.append(ReadFile(file, refs[-1], runs, piece))
        refs += [FileRef.of(path) for path in piece.beside]
        runs += file.kind == "RunMetadata"
        inputs.append(Input(file.path, file.format.name))
    inputs += [Input(f.path, f.kind, used=False, why=why) for f, why in selection.passed_over]
    inputs += [
        Input(f.path, f.kind, used=False, why=why, elsewhere=True) for f, why in selection.elsewhere
    ]
    data = joined(selection.title, files, tuple(inputs))
    data = replace(data, other_runs=selection.other_runs)
    return data.read_from(_ReadAgain(selection.copy(), here(), tuple(refs)))


def _article(noun: str) -> str:
    return "an" if noun[:1] in "AEIOUHX" else "a"


@dataclass(frozen=True, slots=True)
class _ReadAgain:
    """The selection, the folder its paths are seen from, and its files as they were."""

    selection: Selection
    folder: Path
    files: tuple[FileRef, ...]

    def check(self) -> None:
        for file in self.files:
            file.check()

    def load(self) -> ProfileData:
        self.check()
        return read(self.selection if here() == self.folder else self._from_anywhere())

    def _from_anywhere(self) -> Selection:
        chosen = self.selection
        return Selection(
            chosen.title,
            [self._placed(file) for file in chosen.used],
            [(self._placed(file), why) for file, why in chosen.passed_over],
            [(self._placed(file), why) for file, why in chosen.elsewhere],
            chosen.other_runs,
        )

    def _placed(self, file: FoundFile) -> FoundFile:
        return replace(file, path=opener_for(file.path).absolute(file.path, self.folder))
