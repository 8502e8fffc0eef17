"""Which of the files found make up a profile.

A training log directory has standard names (graph.pbtxt, model.ckpt-*, tfprof_log, run_meta*): all
of them are one run. Any other name stands for a model of its own, and files that share the name
belong together.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field, replace
from pathlib import Path

from tfprof.frozen_dataclass import frozen_dataclass, mutable_dataclass
from tfprof.late_pattern import late_pattern
from tfprof.model.hosts import LeftOut
from tfprof.sources.checkpoint.state import newest_prefix, prefix_of
from tfprof.sources.find.folders import FoundFile
from tfprof.sources.formats.saved_profile import KIND as SAVED

# names that say "of this run", not "of a model called so"
_RUN_NAME = late_pattern(
    r"(graph|saved_model|model\.ckpt.*|checkpoint|tfprof_log|op_?log|run_?meta(data)?([_.-]?\d+)?"
    r"|ckpt.*|.*\.ckpt(-\d+)?|profile_\d+|events\.out\.tfevents.*|.*\.xplane"
    r"|timeline([_.-]?(step)?[_.-]?\d+)*)"
)
_SUFFIXES = late_pattern(
    r"((\.graph)?\.(pb|pbtxt)|\.meta|\.run_?meta(\.pb|\.pbtxt)?|_vars\.json|\.index"
    r"|\.data-\d{5}-of-\d{5}|\.keras|\.h5|\.hdf5|\.trace\.json(\.gz)?|\.json|\.xplane\.(pb|riegeli))$"
)
# folders whose files belong to the run above them
_PART_OF_RUN = late_pattern(
    r"^(variables|assets|plugins|train|validation|eval|eval_.*|ckpt.*|checkpoints?)$"
)
# TensorFlow 2 writes a capture to plugins/profile/<time>/<host>.xplane.pb
_CAPTURES = "profile"
CAPTURE = "XPlane"
_CAPTURE_NAME = late_pattern(r"(.+)\.xplane\.(?:pb|riegeli)")
# what trace viewers show
_PICTURE = "Chrome trace"
_NUMBERED = late_pattern(r"^(.*?)[_.-]?\d+$")

GRAPH_KINDS = ("SavedModel", "GraphDef", "MetaGraphDef", "ProfileProto")
_MODEL_KINDS = (*GRAPH_KINDS, "Keras model", "HDF5")
RUN_KINDS = ("RunMetadata",)
CHECKPOINT_KINDS = ("checkpoint", "checkpoint data", "checkpoint state")


@mutable_dataclass
class Selection:
    """The files of one profile: what is used, in reading order, and what is passed over and why.

    `elsewhere` are files of the other runs in the folder, `opened` those that the used ones lie in,
    with where they come from.
    """

    title: str
    used: list[FoundFile] = field(default_factory=list)
    passed_over: list[tuple[FoundFile, str]] = field(default_factory=list)
    elsewhere: list[tuple[FoundFile, str]] = field(default_factory=list)
    other_runs: int = 0
    warnings: list[str] = field(default_factory=list)
    opened: list[tuple[FoundFile, str]] = field(default_factory=list)
    # hosts that are known to have no capture here
    left_out: list[LeftOut] = field(default_factory=list)

    def add(self, other: Selection) -> None:
        """What is there, too."""
        self.used += other.used
        self.passed_over += other.passed_over
        self.elsewhere += other.elsewhere
        self.other_runs += other.other_runs
        self.warnings += other.warnings
        self.opened += other.opened
        self.left_out += other.left_out

    def copy(self) -> Selection:
        return replace(
            self,
            used=[*self.used],
            passed_over=[*self.passed_over],
            elsewhere=[*self.elsewhere],
            warnings=[*self.warnings],
            opened=[*self.opened],
            left_out=[*self.left_out],
        )

    def of_kind(self, *kinds: str) -> list[FoundFile]:
        return [file for file in self.used if file.kind in kinds]

    @property
    def is_readable(self) -> bool:
        return any(f.format is not None and f.format.read is not None for f in self.used)


@frozen_dataclass
class _Key:
    folder: Path
    stem: str


def choose_in_folder(
    folder: Path, files: Sequence[FoundFile]
) -> tuple[list[Selection], list[tuple[FoundFile, str]]]:
    """One selection for a log directory, several for a folder of models; and what is in none."""
    groups = _grouped(folder, files)
    with_model = {key: group for key, group in groups.items() if _has_model(group)}
    here = [key for key in with_model if key.folder == folder]
    saved = {key: group for key, group in groups.items() if _is_saved(group)}
    own = {key: group for key, group in groups.items() if key not in saved}
    if saved and not any(map(is_run, own.values())):
        own = saved  # each is a run of its own, where there is no other
    chosen = {key: with_model[key] for key in here} or with_model or own
    rest = (f for key, group in groups.items() if key not in chosen for f in group)
    why = "belongs to another model or run; name it to read it"
    left_over = [(f, f.why_not or why) for f in rest]
    selections = [choose_among(_title(key), group) for key, group in chosen.items()]
    others = sum(is_run(group) for key, group in groups.items() if key not in chosen)
    for one in selections:
        one.other_runs = others
    return selections, left_over


def runs_below(folder: Path, files: Sequence[FoundFile]) -> dict[str, list[FoundFile]]:
    """The files of every model or run, by its title, wherever it lies in the folder."""
    return {_title(key): group for key, group in _grouped(folder, files).items()}


def _title(key: _Key) -> str:
    return str(key.folder / key.stem) if key.stem else str(key.folder)


def is_run(group: Sequence[FoundFile]) -> bool:
    """Whether anything could be read of it: a model, or times."""
    return any(f.kind in (*_MODEL_KINDS, CAPTURE, *RUN_KINDS, SAVED) for f in group)


def _has_model(group: Sequence[FoundFile]) -> bool:
    return any(f.kind in _MODEL_KINDS for f in group)


def _is_saved(group: Sequence[FoundFile]) -> bool:
    return any(f.kind == SAVED for f in group)


def _grouped(folder: Path, files: Sequence[FoundFile]) -> dict[_Key, list[FoundFile]]:
    groups: dict[_Key, list[FoundFile]] = {}
    for file in files:
        groups.setdefault(_key(folder, file), []).append(file)
    models = {key for key, group in groups.items() if _has_model(group)}
    # run metadata and variable tables carry the name of their model plus what sets them apart
    for key in [key for key in groups if key not in models and not _is_saved(groups[key])]:
        begins = (_Key(key.folder, key.stem[:end]) for end in range(len(key.stem) - 1, -1, -1))
        owner = next((begin for begin in begins if begin in models), None)
        if owner is not None:
            groups[owner] += groups.pop(key)
        elif all(map(_is_of_host, groups[key])):
            # a capture has the name of its host: those in one folder are one profile
            captures = groups.pop(key)
            groups.setdefault(_Key(key.folder, ""), []).extend(captures)
    return groups


def _is_of_host(file: FoundFile) -> bool:
    """A capture, or what is left of one."""
    lost = file.format is None and _CAPTURE_NAME.fullmatch(file.path.name) is not None
    return file.kind == CAPTURE or lost


def _key(root: Path, file: FoundFile) -> _Key:
    path = file.path
    if file.kind == SAVED:
        return _Key(path.parent, path.name)
    folder = run_around(root, path)
    stem = _SUFFIXES.sub("", path.name)
    return _Key(folder, "" if _RUN_NAME.fullmatch(stem) or folder != path.parent else stem)


def run_around(root: Path, path: Path) -> Path:
    """The folder of the run that a file belongs to, by the names of folders alone."""
    folder = path.parent
    if folder != root and folder.parent.name == _CAPTURES:
        folder = folder.parent
    while folder != root and any(_PART_OF_RUN.match(p) for p in folder.relative_to(root).parts):
        folder = folder.parent
    return folder


def choose_among(title: str, files: Sequence[FoundFile]) -> Selection:
    """The best file of each kind out of those that belong to one run."""
    selection = Selection(title)
    for file in files:
        if file.format is None:
            selection.passed_over.append((file, file.why_not))
    known = sorted(
        (f for f in files if f.format is not None), key=lambda f: f.age_key, reverse=True
    )
    known = _without_saved(selection, known)
    known = _choose_capture(selection, known)
    _leave_out_hosts(selection, files)
    known = _without_pictures_of_runs(selection, known)
    graph = _choose_graph(selection, known)
    runs = [f for f in known if f.kind in RUN_KINDS]
    _choose_runs(selection, runs)
    _choose_checkpoint(selection, [f for f in known if f.kind in CHECKPOINT_KINDS])
    for kind in dict.fromkeys(f.kind for f in known):
        if kind not in (*GRAPH_KINDS, *RUN_KINDS, *CHECKPOINT_KINDS):
            _choose_newest(selection, [f for f in known if f.kind == kind])
    if graph is not None:
        selection.used.insert(0, graph)
    return selection


def _without_saved(selection: Selection, known: Sequence[FoundFile]) -> list[FoundFile]:
    """What was saved from a run stands for another one: the files themselves say what is now."""
    saved = [f for f in known if f.kind == SAVED]
    rest = [f for f in known if f.kind != SAVED]
    if rest:
        selection.passed_over += [(f, "a saved profile; name it to read it") for f in saved]
    return rest or saved[:1]


def _choose_capture(selection: Selection, known: Sequence[FoundFile]) -> list[FoundFile]:
    """The newest capture, whose hosts are a file each; returns what is no part of a capture."""
    captures = [f for f in known if f.kind == CAPTURE]
    rest = [f for f in known if f.kind != CAPTURE]
    if not captures:
        return rest
    folders = {f.path.parent for f in captures}
    newest = max(folders, key=lambda folder: age_of_capture(folder, captures))
    selection.used += sorted((f for f in captures if f.path.parent == newest), key=_path)
    why = f"the capture {newest.name} is newer; name the folder of this one to read it"
    selection.passed_over += [(f, why) for f in captures if f.path.parent != newest]
    # XProf leaves what it computed beside the captures, in files that look like anything
    made = [f for f in rest if f.path.parent in folders and f.path.parent.parent.name == _CAPTURES]
    selection.passed_over += [(f, "made from the capture by another tool") for f in made]
    return [f for f in rest if f not in made]


def _leave_out_hosts(selection: Selection, files: Sequence[FoundFile]) -> None:
    """Those beside the captures whose own is none: each file is a host."""
    folders = {f.path.parent for f in selection.of_kind(CAPTURE)}
    for file in files:
        name = _CAPTURE_NAME.fullmatch(file.path.name)
        if file.format is None and name is not None and file.path.parent in folders:
            one = LeftOut(name[1], file.why_not)
            selection.left_out.append(one)
            selection.warnings += [] if file.is_empty_capture else [str(one)]


def _without_pictures_of_runs(selection: Selection, known: Sequence[FoundFile]) -> list[FoundFile]:
    """A trace for a viewer is made from a run: where the run itself is, that says more."""
    runs = [*selection.of_kind(CAPTURE), *(f for f in known if f.kind in RUN_KINDS)]
    drawn = [f for f in known if f.kind == _PICTURE] if runs else []
    selection.passed_over += [(f, f"the run is in {runs[0].path.name}") for f in drawn]
    return [f for f in known if f not in drawn]


def age_of_capture(folder: Path, captures: Sequence[FoundFile]) -> tuple[list[int], float, str]:
    """Sorts older captures first: by the time in the name of the folder, then by that of files."""
    modified = max(f.modified for f in captures if f.path.parent == folder)
    return [int(n) for n in re.findall(r"\d+", folder.name)], modified, str(folder)


def _path(file: FoundFile) -> Path:
    return file.path


def _choose_graph(selection: Selection, known: Sequence[FoundFile]) -> FoundFile | None:
    """A graph file before a .meta, binary before text; the newest .meta for what it declares."""
    order = {kind: rank for rank, kind in enumerate(GRAPH_KINDS)}
    graphs = [f for f in known if f.kind in order]
    graphs.sort(key=lambda f: (order[f.kind], f.format is not None and f.format.name != f.kind))
    if not graphs:
        return None
    best, *others = graphs
    declared = best.kind in ("SavedModel", "MetaGraphDef", "ProfileProto")
    for other in others:
        if other.kind == "MetaGraphDef" and not declared:
            selection.used.append(other)
            declared = True
        else:
            older = other.format is best.format
            why = f"older than {best.path.name}" if older else f"the graph is in {best.path.name}"
            selection.passed_over.append((other, why))
    return best


def _choose_runs(selection: Selection, runs: Sequence[FoundFile]) -> None:
    """The newest run; with it the others of a numbered series, each a step."""
    if not runs:
        return
    newest = runs[0]
    series = _series(newest)
    steps = [f for f in runs if f is newest or (series and _series(f) == series)]
    selection.used += reversed(steps)
    why = f"{newest.path.name} is newer; name this file to read it"
    selection.passed_over += [(f, why) for f in runs if f not in steps]


def _series(file: FoundFile) -> str:
    match = _NUMBERED.match(_SUFFIXES.sub("", file.path.name))
    return match.group(1) if match else ""


def _choose_checkpoint(selection: Selection, files: Sequence[FoundFile]) -> None:
    """The checkpoint that the state file names, else the newest; with its data shards."""
    indexes = [f for f in files if f.kind == "checkpoint"]
    if not indexes:
        selection.passed_over += [(f, "its index is not here") for f in files]
        return
    states = [f for f in files if f.kind == "checkpoint state"]
    named = {newest_prefix(f.path) for f in states}
    best = next((f for f in indexes if _prefix(f) in named), indexes[0])
    for file in files:
        if file is best or _prefix(file) == _prefix(best) or file.kind == "checkpoint state":
            selection.used.append(file)
        else:
            selection.passed_over.append((file, f"older than {best.path.name}"))


def _prefix(file: FoundFile) -> Path:
    return file.path.with_name(prefix_of(file.path))


def _choose_newest(selection: Selection, files: Sequence[FoundFile]) -> None:
    several_belong = files[0].kind == "event file"
    selection.used += files if several_belong else files[:1]
    if not several_belong:
        selection.passed_over += [(f, f"older than {files[0].path.name}") for f in files[1:]]
