"""What a saved profile is made of: the files that a profile was read from, under neutral names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Final

from tfprof.errors import AccessDenied, FileChanged, UsageError
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.checkpoint import OBJECT_GRAPH_KEY
from tfprof.model.profile import ProfileData
from tfprof.sources.checkpoint.state import INDEX_SUFFIX
from tfprof.sources.checkpoint.v2 import Bundle
from tfprof.sources.confidential.files import cleaned, hosts_told
from tfprof.sources.confidential.names import neutral_name
from tfprof.sources.confidential.words import Redactor
from tfprof.sources.files.opener import is_remote, opener_for
from tfprof.sources.find.choose import Selection
from tfprof.sources.find.folders import FoundFile
from tfprof.sources.find.rank_graphs import graphs_that_differ
from tfprof.sources.find.reading import ProgressOf, ReadAgain
from tfprof.sources.saved.manifest import BESIDE, ELSEWHERE, PASSED_OVER, USED, Manifest, SavedFile
from tfprof.sources.saved.packing import Content, packed

_CHUNK: Final = 1 << 20
# TensorFlow's own folders: what they are called tells what is in them
_CAPTURES: Final = ("plugins", "profile")
_SHARD = re.compile(r"\.data-(\d{5,18})-of-\d{5,18}$", re.ASCII)
_UNUSUAL = re.compile(r"[^\w.-]", re.ASCII)


@frozen_dataclass
class ToSave:
    """A profile, ready to be written: `chunks()` are the bytes of the file."""

    manifest: Manifest
    contents: Mapping[str, Content]
    # where the bytes of each member come from
    places: Mapping[str, Path]
    notes: tuple[str, ...] = field(default=())

    @property
    def files(self) -> list[SavedFile]:
        """Those whose bytes are in it."""
        return [one for one in self.manifest.files if one.member]

    @property
    def inputs(self) -> tuple[Path, ...]:
        return tuple(self.places.values())

    def chunks(self) -> Iterator[bytes]:
        return packed(self.manifest, self.contents)


def to_save(
    data: ProfileData,
    version: str,
    *,
    values: bool = False,
    confidential: bool = False,
    found: Iterable[str] = (),
    progress: ProgressOf | None = None,
) -> ToSave:
    """`found` is what was said about the folder of the profile; `version` is ours."""
    recipe = data.origin.recipe if data.origin is not None else None
    if not isinstance(recipe, ReadAgain):
        raise UsageError(
            "only a profile of files can be saved, and this one comes from objects",
            hint="Write the graph and the run metadata to files, and load those.",
        )
    if data.origin is not None and _changed(data, data.origin.parts):
        raise UsageError(
            "this profile was changed after it was read, and only files are saved",
            hint="Save the one that it was made from.",
        )
    recipe.check()
    selection = recipe.chosen()
    files = _Files(_root(selection, data.title), data.checkpoint and data.checkpoint.source, values)
    saved = _listed(files, selection, [one.path for one in recipe.files])
    left = [file for file, _ in selection.passed_over]
    told = [*selection.warnings, *graphs_that_differ(selection.used, left, data.graph)]
    manifest = Manifest(
        data.title,
        tuple(saved),
        f"tfprof {version}",
        selection.other_runs,
        tuple(found),
        tuple(told),
        values,
    )
    contents = {
        one.member: partial(_content, files.paths[one.member], one, progress)
        for one in saved
        if one.member
    }
    made = ToSave(manifest, contents, files.paths, tuple(_whole(selection, values)))
    return without_places(made) if confidential else made


def _changed(data: ProfileData, parts: Mapping[str, object]) -> bool:
    """But for what is said about it."""
    return any(getattr(data, key) is not part for key, part in parts.items() if key != "warnings")


def _listed(files: _Files, selection: Selection, read: Sequence[Path]) -> list[SavedFile]:
    """In the order of reading; what was read through another file comes after."""
    saved = [files.member(one, USED) for one in selection.used]
    known = {_absolute(one.path) for one in selection.used}
    beside = dict.fromkeys(path for path in read if _absolute(path) not in known)
    saved += [files.member(FoundFile(path, None), BESIDE) for path in beside]
    saved += [files.listed(one, PASSED_OVER, why) for one, why in selection.passed_over]
    return saved + [files.listed(one, ELSEWHERE, why) for one, why in selection.elsewhere]


def _whole(selection: Selection, values: bool) -> Iterator[str]:  # noqa: FBT001
    """Files that hold values and cannot be saved without."""
    for one in selection.used:
        is_one_file = one.kind == "checkpoint" and not one.path.name.endswith(INDEX_SUFFIX)
        if not values and (is_one_file or one.kind in ("Keras model", "HDF5")):
            yield f"{one.path}: its weights stand in the same file, and are saved with it"


def without_places(made: ToSave) -> ToSave:
    """The same, and nothing in it tells where the files were made or lie."""
    redactor, folders = Redactor(), dict[str, str]()
    for one in made.files:
        redactor.learn(hosts_told(one.format, made.places[one.member]))
    files, places, contents = list[SavedFile](), dict[str, Path](), dict[str, Content]()
    for one in made.manifest.files:
        name = neutral_name(one.name, redactor, folders)
        file = replace(one, name=name, why=redactor.text(one.why))
        if one.member:
            place = PurePosixPath(one.member)
            file = replace(file, member=str(place.with_name(redactor.text(place.name))))
            clean = cleaned(one.format, made.places[one.member], redactor)
            contents[file.member] = made.contents[one.member]
            if clean is not None:
                file = replace(file, format=clean[0], size=len(clean[1]))
                contents[file.member] = partial(iter, [clean[1]])
            places[file.member] = made.places[one.member]
        files.append(file)

    def without(texts: Iterable[str]) -> tuple[str, ...]:
        """Paths that are known first: a name may have spaces, by which others end."""
        for place in sorted({*map(str, made.inputs), made.manifest.title}, key=len, reverse=True):
            texts = [text.replace(place, Path(place).name) for text in texts]
        return tuple(map(redactor.text, texts))

    manifest = replace(
        made.manifest,
        title=PurePosixPath(files[0].name).name,  # of a folder, its name is part of a path
        files=tuple(files),
        found=without(made.manifest.found),
        warnings=without(made.manifest.warnings),
        confidential=True,
    )
    return replace(made, manifest=manifest, contents=contents, places=places)


@dataclass(slots=True)
class _Files:
    """Numbers the members, and knows where the bytes of each come from."""

    root: Path
    values_of: object
    values: bool
    paths: dict[str, Path] = field(default_factory=dict)

    def member(self, file: FoundFile, role: str) -> SavedFile:
        one = self.listed(file, role, "")
        # a file that was named twice is read twice
        known = (member for member, path in self.paths.items() if path == file.path)
        new = f"files/{len(self.paths)}/{_UNUSUAL.sub('_', file.path.name)}"
        member = next(known, new)
        self.paths[member] = file.path
        size = opener_for(file.path).facts(file.path).size
        return replace(one, member=member, size=size, kept=self._kept(file))

    def listed(self, file: FoundFile, role: str, why: str) -> SavedFile:
        name = Path(os.path.relpath(_absolute(file.path), self.root)).as_posix()
        made = file.format.name if file.format is not None else ""
        return SavedFile(name, made, role, "", 0, file.modified, file.rank, why or file.why_not)

    def _kept(self, file: FoundFile) -> tuple[tuple[int, int], ...] | None:
        """Of the values of a checkpoint, the list of its objects, which is none: it names them."""
        if self.values or not isinstance(self.values_of, Bundle):
            return None
        numbered = _SHARD.search(file.path.name)
        shard = -1 if numbered is None else int(numbered[1])
        if shard < 0 or self.values_of.shard_path(shard).name != file.path.name:
            return None
        names = self.values_of.places.get(OBJECT_GRAPH_KEY)
        if names is None or names.shard != shard or names.offset < 0 or names.size < 0:
            return ()
        size = opener_for(file.path).facts(file.path).size
        return ((min(names.offset, size), min(names.offset + names.size, size)),)


def _root(selection: Selection, title: str) -> Path:
    """The folder that all of them lie in, or more of it where its name tells what is inside."""
    every = [one.path for one in selection.used]
    every += [one.path for one, _ in (*selection.passed_over, *selection.elsewhere)]
    places = [str(_absolute(path).parent) for path in every]
    if opener_for(Path(title)).is_folder(Path(title)):
        places.append(str(_absolute(Path(title))))
    common = Path(os.path.commonpath(places))
    if common.parts[-3:-1] == _CAPTURES:
        return common.parents[2]
    return common.parents[1] if common.parts[-2:] == _CAPTURES else common


def _absolute(path: Path) -> Path:
    if is_remote(path):  # its scheme is like the name of a disk
        return Path("/") / path
    return Path(os.path.abspath(path))  # noqa: PTH100  (links stay what they are called)


def _content(path: Path, file: SavedFile, progress: ProgressOf | None) -> Iterator[bytes]:
    hear = progress(path, file.size) if progress is not None else None
    done = 0
    for begin, end in file.kept if file.kept is not None else [(0, file.size)]:
        for chunk in _read(path, begin, end):
            done += len(chunk)
            yield chunk
            if hear is not None:
                hear(done)


def _read(path: Path, begin: int, end: int) -> Iterator[bytes]:
    opener = opener_for(path)
    for offset in range(begin, end, _CHUNK):
        size = min(_CHUNK, end - offset)
        try:
            chunk = opener.read_at(path, offset, size)
        except OSError as fault:
            raise AccessDenied.because(fault, str(path)) from None
        if len(chunk) < size:
            hint = "Save it again when nobody writes to it."
            raise FileChanged("the file became shorter", where=str(path), hint=hint)
        yield chunk
