"""Looks at everything in some paths. Never stops at a bad file: it is the answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tfprof.analyses.checkpoint.restore import restores
from tfprof.analyses.checkpoint.verify import damaged_tensors
from tfprof.errors import InputMissing, InputUnreadable, TfprofError, ValuesNotSaved
from tfprof.model import units
from tfprof.model.profile import Input, ProfileData
from tfprof.reports.shared.digest import Digest, digest
from tfprof.reports.shared.missing import missing_inputs
from tfprof.reports.shared.recorded_run import recorded_run, said_by_recorder
from tfprof.reports.shared.whole_hosts import cut_off
from tfprof.results.answered import SCHEMA, Answered, Subject, Used
from tfprof.results.doctor import Checksums, DoctorResult, FileRow, RestoreResult
from tfprof.sources.files.opener import here, opener_for
from tfprof.sources.find.choose import Selection
from tfprof.sources.find.folders import FoundFile, files_below, inspect
from tfprof.sources.find.load import ProgressOf, Request, choose, read
from tfprof.sources.find.trace_files import FilesTrace

_DAMAGE_SHOWN = 5
_VERIFIED_UP_TO = 2 * 10**9
_UP_TO_ITS_END = "up to its end, not for steps"


def ask_paths(request: Request, progress: ProgressOf | None = None) -> Answered[DoctorResult]:
    title = str(request.paths[0]) if request.paths else "the files given"
    try:
        choice = choose(request)
    except (InputUnreadable, InputMissing) as fault:
        if not request.paths or not any(opener_for(path).exists(path) for path in request.paths):
            raise
        return _told(title, _as_found(request), [], [_with_hint(fault)], [])
    profiles: list[Digest] = []
    problems: list[str] = []
    found: list[Input] = []
    for selection in choice.selections:
        try:
            data = read(selection, progress)
        except InputUnreadable as fault:
            problems.append(_with_hint(fault))
            found += _unread(selection)
        else:
            try:
                profiles.append(digest(data))
                found += _cut_off(data)
            except InputUnreadable as fault:  # damage deep inside shows when it is looked at
                problems.append(_with_hint(fault))
                found += data.inputs
    found += [_not_used(one, why) for one, why in choice.left_over]
    return _told(title, found, profiles, problems, choice.warnings)


def _as_found(request: Request) -> list[Input]:
    return [
        _not_used(one, one.why_not)
        for path in request.paths
        for one in (files_below(path)[0] if opener_for(path).is_folder(path) else [inspect(path)])
    ]


def _unread(selection: Selection) -> list[Input]:
    named = [(one, "recognised, not read") for one in selection.used]
    return [_not_used(one, why) for one, why in named + selection.passed_over + selection.elsewhere]


def _cut_off(data: ProfileData) -> Iterator[Input]:
    """What was read up to where it ends is used, and not for all."""
    left_out = cut_off(data)
    sources = [host.source for host in data.hosts if host.rank in left_out]
    files = [file for one in sources if isinstance(one, FilesTrace) for file in one.files]
    cut = {file.file.path for file in files}
    for one in data.inputs:
        is_cut = opener_for(one.path).absolute(one.path, here()) in cut if cut else False
        yield replace(one, why=_UP_TO_ITS_END) if is_cut else one


def _not_used(one: FoundFile, why: str) -> Input:
    return Input(one.path, one.kind, used=False, why=why)


def _with_hint(fault: TfprofError) -> str:
    return f"{fault}. {fault.hint}" if fault.hint else str(fault)


def _told(
    title: str,
    found: Sequence[Input],
    profiles: Sequence[Digest],
    problems: Sequence[str],
    warnings: Sequence[str],
) -> Answered[DoctorResult]:
    """`problems` are the errors that reading what was found would end in."""
    one = profiles[0] if len(profiles) == 1 else None
    checksums, damage = _verified(one) if one is not None else (None, [])
    result = DoctorResult(
        tuple(FileRow(str(i.path), i.format or None, i.used, i.why or None) for i in found),
        tuple(missing_inputs(one)) if one is not None else (),
        _restore(one) if one is not None else None,
        checksums,
        len(profiles),
        tuple(sorted({p.data.declared.tensorflow_version for p in profiles} - {""})),
        recorded_run(one.data) if one is not None else None,
        one.data.other_runs if one is not None and one.data.record is not None else 0,
    )
    told = [w for p in profiles for w in (*p.data.warnings, *said_by_recorder(p.data))]
    notes = (*problems, *damage, *warnings, *told)
    used = tuple(Used(str(i.path), i.format) for i in found if i.used)
    looked_at = f"{units.plural(len(found), 'file')} looked at, {len(used):,} used"
    return Answered(SCHEMA, "doctor", used, notes, result, Subject(title, looked_at), notes)


def _restore(known: Digest) -> RestoreResult | None:
    """Nothing without both a graph and a checkpoint."""
    graph, checkpoint = known.data.graph, known.data.checkpoint
    if graph is None or checkpoint is None:
        return None
    savers = restores(graph, known.parameters.variables, checkpoint)
    return RestoreResult(savers[0].restored, savers)


def _verified(known: Digest) -> tuple[Checksums | None, list[str]]:
    """The checksums of a checkpoint that can be read in seconds, and what is damaged."""
    checkpoint = known.data.checkpoint
    if checkpoint is None:
        return None, []
    count = len(checkpoint.tensors)
    size = sum(tensor.stored_bytes for tensor in checkpoint.tensors.values())
    if size > _VERIFIED_UP_TO:
        return Checksums(count, size, whole=None), []
    faults = [*damaged_tensors(checkpoint)]
    damage = [str(fault) for fault in faults if not isinstance(fault, ValuesNotSaved)]
    saved = len(damage) == len(faults)
    whole = (not damage) if saved or damage else None
    return Checksums(count, size, whole, saved), damage[:_DAMAGE_SHOWN]
