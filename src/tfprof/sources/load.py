"""Paths in, profiles out: finds, chooses, reads and joins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tfprof.errors import (
    EmptyFile,
    InputsDisagree,
    NothingRecognised,
    NotReadYet,
    PathNotFound,
    TfprofError,
    UsageError,
    WrongKind,
)
from tfprof.model.oplog import OpLog
from tfprof.model.profile import Declarations, Input, ProfileData
from tfprof.model.trace import Trace
from tfprof.sources.checkpoint_state import INDEX_SUFFIX, newest_prefix, prefix_of
from tfprof.sources.choose import GRAPH_KINDS, Selection, choose_in_folder
from tfprof.sources.found import FoundFile, files_below, inspect
from tfprof.sources.recognise import recognise
from tfprof.sources.registry import Piece, formats
from tfprof.wire.fields import Progress

# hears the file and its size, returns who is told how much of it was read
ProgressOf = Callable[[Path, int], Progress]

# the original's flag for each kind
FLAG_KINDS: Mapping[str, tuple[str, ...]] = {
    "graph_path": ("GraphDef", "MetaGraphDef", "SavedModel"),
    "run_meta_path": ("RunMetadata",),
    "op_log_path": ("OpLog",),
    "checkpoint_path": ("checkpoint",),
    "profile_path": ("ProfileProto",),
    "vars": ("variable table",),
}


@dataclass(frozen=True, slots=True)
class Request:
    """What the user named: paths to look at, and files with the kind they must have."""

    paths: Sequence[Path] = ()
    named: Mapping[str, Sequence[Path]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Choice:
    """What the request comes down to: one selection, or one for each model of a folder."""

    selections: list[Selection]
    warnings: list[str]
    left_over: list[tuple[FoundFile, str]] = field(default_factory=list)


_STATE = "checkpoint"


def choose(request: Request) -> Choice:
    """Look at everything named and decide what to read."""
    if "profile_path" in request.named and request.named.keys() & {"graph_path", "run_meta_path"}:
        raise UsageError(
            "--profile_path holds graph and runs: do not give --graph_path or --run_meta_path"
        )
    named = [f for flag, paths in request.named.items() for p in paths for f in _checked(flag, p)]
    folders = [path for path in request.paths if path.is_dir()]
    files = [f for path in request.paths if not path.is_dir() for f in inspect_named(path)]
    if len(folders) == 1 and not files and not named:
        return _choose_in_one_folder(folders[0])
    selection = Selection(_common_title(request))
    warnings: list[str] = []
    for folder in folders:
        part = _choose_in_one_folder(folder)
        warnings += part.warnings
        if len(part.selections) > 1:
            raise UsageError(
                f"{folder} holds {len(part.selections)} models", hint="Name the files of one."
            )
        selection.used += part.selections[0].used
        selection.passed_over += part.selections[0].passed_over
    selection.used += files + named
    return Choice([selection], warnings)


def _choose_in_one_folder(folder: Path) -> Choice:
    found, warnings = files_below(folder)
    selections, left_over = choose_in_folder(folder, found)
    selections = [selection for selection in selections if selection.used]
    if not selections:
        raise _nothing_in(folder, found)
    empty = [EmptyFile(str(one.path)) for one in found if one.is_empty_capture]
    warnings += [f"{fault}. {fault.hint}" for fault in empty]
    if len(selections) == 1:
        selections[0].passed_over += left_over
        left_over = []
    return Choice(selections, warnings, left_over)


def _nothing_in(folder: Path, found: Sequence[FoundFile]) -> TfprofError:
    for one in found:
        if one.is_empty_capture:  # a run was profiled, and this is what came of it
            return EmptyFile(str(one.path))
    what = "it is empty"
    if found:
        files = "its only file is not" if len(found) == 1 else f"none of the {len(found)} files is"
        what = f"{files} one tfprof knows"
    return NothingRecognised(
        f"nothing to read in this folder: {what}",
        where=str(folder),
        hint="`tfprof formats` lists what can be read.",
    )


def _common_title(request: Request) -> str:
    paths = [*request.paths, *(p for group in request.named.values() for p in group)]
    return str(paths[0]) if paths else ""


def inspect_named(path: Path) -> list[FoundFile]:
    """A file the user named, which must have a format; a part of a checkpoint brings its index."""
    if not path.exists():
        path = _index_of(path)  # a checkpoint is named by the prefix its files share
    found = FoundFile(path, recognise(path), modified=path.stat().st_mtime)
    if found.kind == "checkpoint data":
        return [*inspect_named(_index_of(path.with_name(prefix_of(path)))), found]
    if found.kind == "checkpoint state":
        newest = newest_prefix(path)
        if newest is None:
            raise WrongKind("the state file names no checkpoint", where=str(path))
        return [*inspect_named(newest), found]
    return [found]


def _index_of(prefix: Path) -> Path:
    index = prefix.with_name(prefix.name + INDEX_SUFFIX)
    if not index.exists():
        raise PathNotFound("no such file or folder", where=str(prefix))
    return index


def _checked(flag: str, path: Path) -> list[FoundFile]:
    if flag == "vars":
        if not path.exists():
            raise PathNotFound("no such file", where=str(path))
        found = inspect(path)
        return [replace(found, format=formats()["variable table"])]
    if flag == "checkpoint_path" and path.is_dir():
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


def read_one(request: Request, progress: ProgressOf | None = None) -> ProfileData:
    """The one model that the request comes down to."""
    choice = choose(request)
    if len(choice.selections) > 1:
        raise UsageError(
            f"{request.paths[0]} holds {len(choice.selections)} models",
            hint="Name the files of one; `tfprof PATH` lists them.",
        )
    data = read(choice.selections[0], progress)
    return replace(data, warnings=(*choice.warnings, *data.warnings))


def read(selection: Selection, progress: ProgressOf | None = None) -> ProfileData:
    """Read what was selected and join it into one profile."""
    if not selection.is_readable:
        first = selection.used[0]
        raise NotReadYet(
            f"this is {_article(first.kind)} {first.kind}; this version can name it, not read it",
            where=str(first.path),
            hint="`tfprof doctor` lists what is there; `tfprof formats` what can be read.",
        )
    pieces: list[tuple[FoundFile, Piece]] = []
    inputs: list[Input] = []
    runs = 0
    for file in selection.used:
        if file.format is not None and file.format.part_of:
            inputs.append(Input(file.path, file.kind, why=f"part of the {file.format.part_of}"))
            continue
        if file.format is None or file.format.read is None:
            inputs.append(Input(file.path, file.kind, used=False, why="recognised, not read yet"))
            continue
        hear = progress(file.path, file.path.stat().st_size) if progress else None
        pieces.append((file, file.format.read(file.path, runs, hear)))
        runs += file.kind == "RunMetadata"
        inputs.append(Input(file.path, file.format.name))
    inputs += [Input(f.path, f.kind, used=False, why=why) for f, why in selection.passed_over]
    return _joined(selection.title, pieces, tuple(inputs))


def _article(noun: str) -> str:
    return "an" if noun[:1] in "AEIOUHX" else "a"


def _joined(
    title: str, pieces: list[tuple[FoundFile, Piece]], inputs: tuple[Input, ...]
) -> ProfileData:
    graphs = [(file, piece) for file, piece in pieces if piece.graph is not None]
    own = _best_graphs(graphs)
    if len(own) > 1:
        both = f"{own[0][0].path} and {own[1][0].path}"
        raise InputsDisagree(
            f"both hold a graph: {both}", hint="Name one of them; `tfprof diff` compares."
        )
    traces = _best_traces(pieces)
    _say_what_is_left_out(pieces, traces)
    logs = [piece.oplog for _, piece in pieces if piece.oplog is not None]
    load = own[0][1].graph if own else None
    return ProfileData(
        title,
        inputs,
        load() if load is not None else None,
        _joined_declarations([p.declared for _, p in pieces if p.declared is not None]),
        Trace.joined(traces) if traces else None,
        _joined_logs(logs),
        next((p.checkpoint for _, p in pieces if p.checkpoint is not None), None),
        next((p.keras for _, p in pieces if p.keras is not None), None),
        tuple(w for _, piece in pieces for w in piece.warnings),
    )


def _best_graphs(graphs: list[tuple[FoundFile, Piece]]) -> list[tuple[FoundFile, Piece]]:
    """A graph of its own before one inside a .meta, before one in a log; of logs the newest."""
    for kinds in (("MetaGraphDef", "event file"), ("event file",)):
        own = [(file, piece) for file, piece in graphs if file.kind not in kinds]
        if own:
            return own if kinds != ("event file",) else own[:1]
    return graphs[:1]


def _best_traces(pieces: list[tuple[FoundFile, Piece]]) -> list[Trace]:
    """Runs in files of their own, then captures, then what viewers show; else runs in logs."""
    found = [(file, piece.trace) for file, piece in pieces if piece.trace is not None]
    logs, viewed = "event file", ("Chrome trace", "event file")
    for others in (("XPlane", *viewed), viewed, (logs,), ()):
        own = [trace for file, trace in found if file.kind not in others]
        if own:
            return own
    return []


def _say_what_is_left_out(pieces: list[tuple[FoundFile, Piece]], traces: list[Trace]) -> None:
    """Run metadata and a capture each tell of a run of their own: they are not mixed."""
    for file, piece in pieces:
        captures = ("XPlane", "Chrome trace")
        if file.kind in captures and not any(trace is piece.trace for trace in traces):
            piece.warnings.append(
                f"{file.path}: the times are those of the {_told_by(pieces, traces)} beside it; "
                "name this file alone to see the capture"
            )


def _told_by(pieces: list[tuple[FoundFile, Piece]], traces: list[Trace]) -> str:
    kinds = (f.kind for f, piece in pieces if any(trace is piece.trace for trace in traces))
    return {"XPlane": "capture", "RunMetadata": "run metadata"}.get(next(kinds, ""), "run")


def _joined_declarations(parts: list[Declarations]) -> Declarations:
    joined = Declarations()
    for part in parts:
        joined = Declarations(
            {**joined.collections, **part.collections},
            {**joined.signatures, **part.signatures},
            {**joined.variables, **part.variables},
            {**joined.captures, **part.captures},
            joined.tensorflow_version or part.tensorflow_version,
            joined.tags or part.tags,
        )
    return joined


def _joined_logs(logs: list[OpLog]) -> OpLog | None:
    if len(logs) < 2:
        return logs[0] if logs else None
    types: dict[str, list[str]] = {}
    for log in logs:
        for name, kinds in log.types.items():
            types.setdefault(name, []).extend(kinds)
    float_ops = {name: count for log in logs for name, count in log.float_ops.items()}
    code = next((log.code for log in logs if log.has_code), logs[0].code)
    return OpLog(types, float_ops, code, any(log.has_code for log in logs))


__all__ = ["FLAG_KINDS", "GRAPH_KINDS", "Choice", "ProgressOf", "Request", "choose", "read"]
