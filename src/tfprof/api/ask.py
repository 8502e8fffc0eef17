"""The questions that start from paths, not from one loaded profile: for the command line."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

from tfprof.answers.digest import Digest, digest
from tfprof.answers.doctor import doctor
from tfprof.answers.models import models
from tfprof.answers.stored_values import Done
from tfprof.answers.summary import summary
from tfprof.errors import InputMissing, InputUnreadable, TfprofError
from tfprof.model.profile import Input, ProfileData
from tfprof.reports.shared.question import Question
from tfprof.sources.choose import Selection
from tfprof.sources.load import Choice, ProgressOf, Request, choose, read
from tfprof.views.result import Result


def ask_summary(
    request: Request,
    progress: ProgressOf | None = None,
    signature: str | None = None,
    *,
    stats: bool = False,
    question: Question | None = None,
) -> Result:
    """One model on one screen; of a folder of models a line each."""
    choice = choose(request)
    if len(choice.selections) == 1:
        data = read(choice.selections[0], progress)
        with_all = replace(data, warnings=(*choice.warnings, *data.warnings))
        return summary(
            with_all, signature, stats=stats, done=_values_read(data, progress), question=question
        )
    profiles: list[Digest] = []
    unread: list[str] = []
    faults: list[TfprofError] = []
    unread += _named_only(choice)
    for selection in choice.selections:
        try:
            profiles.append(digest(read(selection, progress)))
        except InputUnreadable as fault:
            faults.append(fault)
            unread.append(str(fault))
    if not profiles:
        raise faults[0]
    return models(str(request.paths[0]), profiles, choice.warnings, unread)


def _values_read(data: ProfileData, progress: ProgressOf | None) -> Done | None:
    """Progress over the values of a checkpoint."""
    if progress is None or data.checkpoint is None:
        return None
    whole = sum(tensor.stored_bytes for tensor in data.checkpoint.tensors.values())
    hear = progress(Path(data.checkpoint.path), whole)
    return lambda read, _: hear(read)


def _named_only(choice: Choice) -> list[str]:
    """Captures that belong to none of the models, a line for each kind."""
    kinds = Counter(f.kind for f, _ in choice.left_over if f.kind)
    return [
        f"Also here: {count} x {kind}; `tfprof doctor` lists them" for kind, count in kinds.items()
    ]


def ask_doctor(request: Request, progress: ProgressOf | None = None) -> Result:
    """Never stops at a bad file: it is the answer."""
    title = str(request.paths[0]) if request.paths else "the files given"
    try:
        choice = choose(request)
    except (InputUnreadable, InputMissing) as fault:
        if not request.paths or not any(path.exists() for path in request.paths):
            raise
        return doctor(title, _as_found(request), [], [_with_hint(fault)], [])
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
            found += data.inputs
            try:
                profiles.append(digest(data))
            except InputUnreadable as fault:  # damage deep inside shows when it is looked at
                problems.append(_with_hint(fault))
    found += [Input(f.path, f.kind, used=False, why=why) for f, why in choice.left_over]
    return doctor(title, found, profiles, problems, choice.warnings)


def _as_found(request: Request) -> list[Input]:
    from tfprof.sources.found import files_below, inspect

    found = []
    for path in request.paths:
        files = files_below(path)[0] if path.is_dir() else [inspect(path)]
        found += [Input(f.path, f.kind, used=False, why=f.why_not) for f in files]
    return found


def _unread(selection: Selection) -> list[Input]:
    named = [(f, "recognised, not read") for f in selection.used]
    return [Input(f.path, f.kind, used=False, why=why) for f, why in named + selection.passed_over]


def _with_hint(fault: TfprofError) -> str:
    return f"{fault}. {fault.hint}" if fault.hint else str(fault)
