"""The captures of a run, looked at: steps of each process, and a summary of them all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tfprof.errors import TfprofError
from tfprof.model.quantity import Quantity
from tfprof.reports.summary import Query, ask
from tfprof.results.answered import SCHEMA, Answered, Subject
from tfprof.results.capture import CapturedHost, CaptureResult, HostLeftOut
from tfprof.results.summary import SummaryResult
from tfprof.sources.find.load import Request, read_one

if TYPE_CHECKING:
    from tfprof.sources.find.load import ProgressOf

_ELSEWHERE: Final = "the capture is on the disk of the process"
# of <run>/rank-0/plugins/profile/<time>/<host>.xplane.pb
_RUN_ABOVE: Final = 4


def captured(
    files: Sequence[tuple[str, Path]],
    remote: Sequence[tuple[str, str]],
    left_out: Sequence[HostLeftOut],
    seconds: float,
    progress: ProgressOf | None,
) -> Answered[CaptureResult]:
    """`files` and `remote` are by the address of the process."""
    told = [_summary([path], progress) for _, path in files]
    hosts = [_host(host, path, one) for (host, path), one in zip(files, told, strict=True)]
    hosts += [_remote_host(host, path) for host, path in remote]
    if len(files) > 1:
        told.append(_summary([files[0][1].parents[_RUN_ABOVE]], progress))
    whole = told[-1] if told and isinstance(told[-1], Answered) else None
    if whole is not None:  # who is left out is told here
        again = tuple(f"{one.host} is not in it" for one in left_out)
        notes_of_all = tuple(one for one in whole.notes if not one.startswith(again))
        whole = replace(whole, notes=notes_of_all)
    folder = [str(path.parents[_RUN_ABOVE]) for _, path in files[:1]]
    steps = hosts[0].steps
    result = CaptureResult(tuple(folder), tuple(hosts), steps, tuple(left_out), seconds, whole)
    notes = dict.fromkeys([
        *(f"{one.host} was left out: {one.why}" for one in left_out),
        *(f"{host} wrote its capture to its own disk: {path}" for host, path in remote),
        *(str(one) for one in told if isinstance(one, TfprofError)),
    ])  # fmt: skip
    warnings = dict.fromkeys([*notes, *_unknown(hosts), *(whole.notes if whole else ())])
    subject = Subject(folder[0] if folder else "captures on other machines")
    return Answered(SCHEMA, "capture", (), tuple(warnings), result, subject, tuple(notes))


def _summary(
    files: Sequence[Path], progress: ProgressOf | None
) -> Answered[SummaryResult] | TfprofError:
    """What was captured is there, whatever becomes of the first look at it."""
    try:
        return ask(read_one(Request(files), progress), Query(), progress)
    except TfprofError as fault:
        return fault


def _host(host: str, path: Path, told: Answered[SummaryResult] | TfprofError) -> CapturedHost:
    steps = step = Quantity.unknown("the capture could not be summed up")
    if isinstance(told, Answered):
        steps, step = told.data.time.steps, told.data.time.step_us
    size = Quantity.measured(path.stat().st_size)
    return CapturedHost(host, size, steps, step, str(path), None)


def _remote_host(host: str, path: str) -> CapturedHost:
    unknown = Quantity.unknown(_ELSEWHERE)
    return CapturedHost(host, unknown, unknown, unknown, None, path)


def _unknown(hosts: Sequence[CapturedHost]) -> list[str]:
    """Why numbers are null."""
    named = ("bytes", "steps", "step_us")
    return [
        f"{name} of {one.host}: {getattr(one, name).reason}"
        for one in hosts
        for name in named
        if not getattr(one, name).known
    ]
