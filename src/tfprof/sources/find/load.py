"""Paths in, profiles out: finds and chooses what to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path

from tfprof.errors import (
    AccessDenied,
    EmptyFile,
    NothingRecognised,
    PathNotFound,
    TfprofError,
    UsageError,
    WrongKind,
)
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.host_work import HostWork
from tfprof.model.profile import ProfileData
from tfprof.sources.checkpoint.state import INDEX_SUFFIX, newest_prefix, prefix_of
from tfprof.sources.files.opener import opener_for, spelt
from tfprof.sources.files.registry import formats
from tfprof.sources.find.choose import GRAPH_KINDS, Selection, choose_in_folder
from tfprof.sources.find.folders import FoundFile, files_below, inspect
from tfprof.sources.find.reading import ProgressOf, read
from tfprof.sources.find.recognise import recognise
from tfprof.sources.find.saved_selection import opened, saved_selection
from tfprof.sources.formats.saved_profile import KIND as SAVED
from tfprof.stopwatch import LOAD, part

# the original's flag for each kind
FLAG_KINDS: Mapping[str, tuple[str, ...]] = {
    "graph_path": ("GraphDef", "MetaGraphDef", "SavedModel"),
    "run_meta_path": ("RunMetadata",),
    "op_log_path": ("OpLog",),
    "checkpoint_path": ("checkpoint",),
    "profile_path": ("ProfileProto",),
    "vars": ("variable table",),
}


@frozen_dataclass
class Request:
    """What the user named: paths to look at, and files with the kind they must have.

    `run` is one of several in a folder.
    """

    paths: Sequence[Path] = ()
    named: Mapping[str, Sequence[Path]] = field(default_factory=dict)
    run: str | None = None


@frozen_dataclass
class Choice:
    """What the request comes down to: one selection, or one for each model of a folder."""

    selections: list[Selection]
    warnings: list[str]
    left_over: list[tuple[FoundFile, str]] = field(default_factory=list)


_STATE = "checkpoint"


@part(LOAD)
def choose(request: Request) -> Choice:
    """Look at everything named and decide what to read."""
    named = {flag: [*map(spelt, paths)] for flag, paths in request.named.items()}
    try:
        return _choose(replace(request, paths=[*map(spelt, request.paths)], named=named))
    except OSError as fault:  # a place that may not be looked at, a name that is too long
        raise AccessDenied.because(fault, str(fault.filename or "")) from None


def _choose(request: Request) -> Choice:
    if "profile_path" in request.named and request.named.keys() & {"graph_path", "run_meta_path"}:
        raise UsageError(
            "--profile_path holds graph and runs: do not give --graph_path or --run_meta_path"
        )
    named = [f for flag, paths in request.named.items() for p in paths for f in _checked(flag, p)]
    folders = [path for path in request.paths if opener_for(path).is_folder(path)]
    files = [f for path in request.paths if path not in folders for f in inspect_named(path)]
    saved = [saved_selection(f.path) for f in files if f.kind == SAVED]
    files = [f for f in files if f.kind != SAVED]
    if request.run is not None and not folders:
        raise UsageError("--run picks a run of a folder, and none is given")
    if len(folders) == 1 and not files and not named:
        return _choose_in_one_folder(folders[0], request.run)
    if len(saved) == 1 and not folders and not files and not named:
        return Choice([saved[0].selection], saved[0].found)
    selection = Selection(_common_title(request))
    warnings: list[str] = []
    for folder in folders:
        part = _choose_in_one_folder(folder, request.run)
        warnings += part.warnings
        if len(part.selections) > 1:
            raise _several(folder, part.selections)
        selection.add(part.selections[0])
    for one in saved:
        warnings += one.found
        selection.add(one.selection)
    selection.used += files + named
    return Choice([selection], warnings)


def _choose_in_one_folder(folder: Path, run: str | None) -> Choice:
    # who names files has no runs to choose from
    from tfprof.sources.find.recorded import choose_recorded, choose_recorded_below
    from tfprof.sources.find.runs import choose_run

    recorded = choose_recorded(folder, run)
    if recorded is not None:
        return Choice([recorded.selection], recorded.warnings)
    found, warnings = files_below(folder)
    recorded = choose_recorded_below(folder, found, run)
    if recorded is not None:
        return Choice([recorded.selection], [*warnings, *recorded.warnings])
    if run is None:
        selections, left_over = choose_in_folder(folder, found)
    else:
        selections, left_over = choose_run(folder, found, run)
    selections = [opened(selection, warnings) for selection in selections if selection.used]
    if not selections:
        raise _nothing_in(folder, found)
    empty = [EmptyFile(str(one.path)) for one in found if one.is_empty_capture]
    warnings += [f"{fault}. {fault.hint}" for fault in empty]
    if len(selections) == 1:
        selections[0].elsewhere += left_over
        left_over = []
    return Choice(selections, warnings, left_over)


def _several(folder: Path, selections: Sequence[Selection]) -> UsageError:
    # that of the last: the first may be of the folder itself
    last = Path(selections[-1].title).relative_to(folder).as_posix()
    return UsageError(
        f"{folder} holds {len(selections)} models or runs",
        hint=f"`tfprof {folder}` lists them; --run {last} picks one.",
    )


def _nothing_in(folder: Path, found: Sequence[FoundFile]) -> TfprofError:
    for one in found:
        if one.is_empty_capture:  # a run was profiled, and this is what came of it
            return EmptyFile(str(one.path))
    closed = [one for one in found if one.closed]
    if closed:
        more = f", and {len(closed) - 1:,} more files" if len(closed) > 1 else ""
        return AccessDenied(f"{closed[0].why_not}{more}", where=str(closed[0].path))
    what = "it is empty"
    if found:
        files = "its only file is not" if len(found) == 1 else f"none of the {len(found)} files is"
        what = f"{files} one tfprof knows"
        if len(found) == 1:
            what += f" ({found[0].path.name}: {found[0].why_not})"
    return NothingRecognised(
        f"nothing to read in this folder: {what}",
        where=str(folder),
        hint="`tfprof formats` lists what can be read.",
    )


def _common_title(request: Request) -> str:
    paths = [*request.paths, *(p for group in request.named.values() for p in group)]
    return str(paths[0]) if paths else ""


def inspect_named(path: Path, named_by: Sequence[Path] = ()) -> list[FoundFile]:
    """A file the user named, which must have a format; a part of a checkpoint brings its index.

    `named_by` are the files of a checkpoint that led here.
    """
    if path in named_by:
        raise WrongKind("the files of the checkpoint name each other in a circle", where=str(path))
    if not opener_for(path).exists(path):
        path = _index_of(path)  # a checkpoint is named by the prefix its files share
    found = FoundFile(path, recognise(path), modified=opener_for(path).facts(path).modified)
    if found.kind == "checkpoint data":
        index = _index_of(path.with_name(prefix_of(path)))
        return [*inspect_named(index, [*named_by, path]), found]
    if found.kind == "checkpoint state":
        newest = newest_prefix(path)
        if newest is None:
            raise WrongKind("the state file names no checkpoint", where=str(path))
        return [*inspect_named(newest, [*named_by, path]), found]
    return [found]


def _index_of(prefix: Path) -> Path:
    index = prefix.with_name(prefix.name + INDEX_SUFFIX)
    if not opener_for(index).exists(index):
        raise PathNotFound("no such file or folder", where=str(prefix))
    return index


def _checked(flag: str, path: Path) -> list[FoundFile]:
    if flag == "vars":
        if not opener_for(path).exists(path):
            raise PathNotFound("no such file", where=str(path))
        found = inspect(path)
        return [replace(found, format=formats()["variable table"])]
    if flag == "checkpoint_path" and opener_for(path).is_folder(path):
        path = path / _STATE  # the folder is named for its newest checkpoint
    files = inspect_named(path)
    found = files[0]
    if found.kind not in FLAG_KINDS[flag]:
        raise WrongKind(
            f"--{flag} wants {' or '.join(FLAG_KINDS[flag])}; this is {found.kind}",
            where=str(path),
            hint=f"Give the path without a flag: `tfprof {path}`.",
        )
    return files


def only_one(request: Request, choice: Choice) -> Selection:
    if len(choice.selections) > 1:
        raise _several(request.paths[0], choice.selections)
    return choice.selections[0]


def read_one(
    request: Request, progress: ProgressOf | None = None, work: HostWork | None = None
) -> ProfileData:
    """The one model that the request comes down to; `work` as for `read`."""
    choice = choose(request)
    data = read(only_one(request, choice), progress, work)
    return replace(data, warnings=(*choice.warnings, *data.warnings))


__all__ = ["FLAG_KINDS", "GRAPH_KINDS", "Choice", "ProgressOf", "Request", "choose", "read"]
