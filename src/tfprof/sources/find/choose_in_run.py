"""Which files of a run folder make up its profile: its ranks, each with one capture, are one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.hosts import LeftOut
from tfprof.model.run_record import RecordedCapture
from tfprof.sources.files.opener import opener_for
from tfprof.sources.find.choose import CAPTURE, RUN_KINDS, Selection, age_of_capture, choose_among
from tfprof.sources.find.folders import FoundFile
from tfprof.sources.find.rank_graphs import listed_ranks
from tfprof.sources.find.run_folders import RunFolder
from tfprof.sources.formats.run_record import KIND

_FUNCTIONS, _RUN_METADATA = "functions", "run_meta"
_CAPTURES = Path("plugins", "profile")
_OTHER_FUNCTION = "another function of the run; name it to read it"
_OTHER = "another run was asked for; --run picks this one"


@frozen_dataclass
class _Taken:
    """A capture of a rank: its folder, and what the record says of it."""

    folder: Path
    said: RecordedCapture | None

    @property
    def is_whole(self) -> bool:
        return self.said is None or self.said.complete is not False

    @property
    def first_step(self) -> int | None:
        return self.said.first_step if self.said is not None else None


def choose_in_run(
    run: RunFolder, files: Sequence[FoundFile], asked: tuple[str, ...] = ()
) -> Selection:
    """`asked` names a rank, a capture or run metadata of the run, from the outside in."""
    ranks = _ranks_asked(run, asked)
    own: dict[int, list[FoundFile]] = {rank: [] for rank in run.ranks}
    beside = list[FoundFile]()
    for file in files:
        rank = _rank_of(run, file.path)
        mine = beside if rank is None else own[rank]
        mine.append(replace(file, rank=rank))
    whole = Selection(str(run.path if len(ranks) == len(run.ranks) else run.ranks[ranks[0]]))
    taken = _captures(run, {rank: own[rank] for rank in ranks}, asked, whole.warnings)
    first = ranks[0]
    for rank in ranks:
        mine = own[rank] if rank != first else [*own[rank], *beside]
        part = _of_rank(run, rank, mine, taken.get(rank), asked, is_first=rank == first)
        whole.used += part.used
        whole.passed_over += part.passed_over
    for rank in (rank for rank in run.ranks if rank not in ranks):
        whole.elsewhere += [(f, f.why_not or _OTHER) for f in own[rank]]
    whole.used.sort(key=lambda file: file.kind == KIND)  # what is read first names the run
    _say_who_is_missing(ranks, whole)
    return whole


def captures_in_run(run: RunFolder, name: str) -> bool:
    """Whether any rank has a capture or run metadata of this name; without reading them."""
    if Path(name).name != name or name == "..":
        return False
    place = Path() if name.startswith(_RUN_METADATA) else _CAPTURES
    there = (folder / place / name for folder in run.ranks.values())
    return any(opener_for(path).exists(path) for path in there)


def _ranks_asked(run: RunFolder, asked: tuple[str, ...]) -> list[int]:
    named = [rank for rank, folder in run.ranks.items() if folder.name in asked[:1]]
    return named if named and len(run.ranks) > 1 else [*run.ranks]


def _rank_of(run: RunFolder, path: Path) -> int | None:
    """None for what lies beside the ranks."""
    if not path.is_relative_to(run.path):
        return None
    if run.path in run.by_folder:  # of one process alone
        return run.by_folder[run.path]
    return run.by_folder.get(run.path / path.relative_to(run.path).parts[0])


def _of_rank(
    run: RunFolder,
    rank: int,
    files: Sequence[FoundFile],
    taken: _Taken | None,
    asked: tuple[str, ...],
    *,
    is_first: bool,
) -> Selection:
    records, left = list[FoundFile](), list[FoundFile]()
    passed: list[tuple[FoundFile, str]] = []
    functions = run.ranks[rank] / _FUNCTIONS
    for file in files:
        capture = _capture_of(file)
        if file.kind == KIND:
            records.append(file)
        elif file.path.is_relative_to(functions):
            passed.append((file, file.why_not or _OTHER_FUNCTION))
        elif capture is not None and taken is not None and capture != taken.folder:
            passed.append((file, _why_not(capture, taken, asked)))
        elif is_first or file.kind == CAPTURE or file.format is None:
            left.append(file)
        else:
            passed.append((file, f"of rank {rank}; name {run.ranks[rank].name} to read it"))
    left, others = _only_asked(left, asked)
    part = choose_among(str(run.path), left)
    part.used += records
    part.passed_over += [*passed, *others]
    return part


def _only_asked(
    files: Sequence[FoundFile], asked: tuple[str, ...]
) -> tuple[list[FoundFile], list[tuple[FoundFile, str]]]:
    """Without run metadata of other steps, where one is asked for by its name."""
    runs = [one for one in files if one.kind in RUN_KINDS]
    if not any(one.path.name in asked for one in runs):
        return [*files], []
    others = [one for one in runs if one.path.name not in asked]
    return [one for one in files if one not in others], [(one, _OTHER) for one in others]


def _why_not(capture: Path, taken: _Taken, asked: tuple[str, ...]) -> str:
    if taken.folder.name in asked:
        return _OTHER
    newer = capture.name < taken.folder.name  # it is called after the time it began
    why = "is newer" if newer else "is whole, or of the steps that all ranks have"
    return f"the capture {taken.folder.name} {why}; --run {capture.name} picks this one"


def _capture_of(file: FoundFile) -> Path | None:
    """The folder of the capture that a file is part of, or lies beside."""
    folder = file.path.parent
    return folder if file.kind == CAPTURE or folder.parent.name == "profile" else None


def _captures(
    run: RunFolder,
    files: Mapping[int, Sequence[FoundFile]],
    asked: tuple[str, ...],
    warnings: list[str],
) -> dict[int, _Taken]:
    """One of each rank: the newest that is whole, of the same steps where all have such a one."""
    found = {rank: _of_one(run, rank, some) for rank, some in files.items()}
    found = {rank: some for rank, some in found.items() if some}
    named = {
        rank: [one for one in some if one.folder.name in asked] for rank, some in found.items()
    }
    if any(named.values()):
        steps = {one.first_step for some in named.values() for one in some} - {None}
        for rank, some in found.items():
            alike = [one for one in some if one.first_step in steps]
            named[rank] = named[rank] or alike
        found = {rank: some for rank, some in named.items() if some}
    whole = {rank: [one for one in some if one.is_whole] for rank, some in found.items()}
    for rank, some in whole.items():
        if not some:
            name = found[rank][-1].folder.name
            warnings.append(
                f"the capture {name} of rank {rank} ended before all its steps were taken; "
                "there is no other"
            )
    left = {rank: whole[rank] or found[rank] for rank in found}
    return _of_same_steps(left, warnings)


def _of_same_steps(found: Mapping[int, Sequence[_Taken]], warnings: list[str]) -> dict[int, _Taken]:
    newest = {rank: some[-1] for rank, some in found.items()}
    steps = {one.first_step for one in newest.values()}
    if len(steps) < 2 or None in steps:
        return newest
    each = [{one.first_step for one in some} for some in found.values()]
    common = {step for step in set.intersection(*each) if step is not None}
    if common:
        last = max(common)
        return {
            rank: next(one for one in reversed(some) if one.first_step == last)
            for rank, some in found.items()
        }
    begin = ", ".join(_begin(newest))
    warnings.append(f"the captures of the ranks are of different steps: {begin}")
    return newest


def _begin(taken: Mapping[int, _Taken]) -> Iterator[str]:
    for rank, one in taken.items():
        yield f"rank {rank} from step {one.first_step}"


def _of_one(run: RunFolder, rank: int, files: Sequence[FoundFile]) -> list[_Taken]:
    """The captures of a rank, the newest last."""
    captures = [one for one in files if one.kind == CAPTURE]
    folders = {one.path.parent for one in captures}
    record = run.records.get(rank)
    process = record.first if record is not None else None
    return [
        _Taken(folder, process.capture_called(folder.name) if process is not None else None)
        for folder in sorted(folders, key=lambda folder: age_of_capture(folder, captures))
    ]


def _say_who_is_missing(ranks: Sequence[int], chosen: Selection) -> None:
    captured = {file.rank for file in chosen.of_kind(CAPTURE)}
    empty = [rank for rank in ranks if rank not in captured]
    if captured and empty:
        which = listed_ranks(empty)
        chosen.left_out += [LeftOut(f"rank {rank}", "no capture of it") for rank in empty]
        chosen.warnings.append(f"no capture of {which}: the answer is of the others")
