"""The processes that were sampled, the summary of their captures, and what to ask next."""

from __future__ import annotations

from dataclasses import replace

from tfprof.model import units
from tfprof.reports import summary
from tfprof.reports.shared.words import shell_path
from tfprof.results.answered import Answered
from tfprof.results.capture import CaptureResult
from tfprof.views.shapes import Column, Facts, Fold, Notes, OneScreen, Report, Table, Unit, Value

_HOSTS_SHOWN = 8


def view(answered: Answered[CaptureResult]) -> Report:
    """One screen, like the summary that is part of it."""
    found = answered.data
    own = answered.notes
    shown = Report("", "", []) if found.summary is None else summary.view(found.summary)
    facts = [row for part in shown.parts if isinstance(part, Facts) for row in part.rows]
    notes = [line for part in shown.parts if isinstance(part, Notes) for line in part.lines]
    tables = [part for part in shown.parts if not isinstance(part, Facts | Notes)]
    facts += [("Next", _next(folder)) for folder in found.written]
    parts = [Facts(facts), _hosts(found), *tables, Notes([*own, *notes], len(own) + 1)]
    screen = shown.screen or OneScreen(0, ())
    screen = replace(screen, kept_notes=len(own) + screen.kept_notes)
    return Report(answered.subject.title, _sampled(found), parts, screen)


def _sampled(found: CaptureResult) -> str:
    """worker-0:6009 sampled for 2.000 s, 10.05 MB; 2 of 3 processes sampled for 2.000 s."""
    asked = len(found.hosts) + len(found.left_out)
    lasted = f"sampled for {units.duration(found.seconds * units.MICROS_A_SECOND)}"
    if asked == 1:
        size = found.hosts[0].bytes.number
        return f"{found.hosts[0].host} {lasted}" + (f", {units.size(size)}" if size else "")
    if found.left_out:
        return f"{len(found.hosts):,} of {asked:,} processes {lasted}"
    return f"{asked:,} processes {lasted}"


def _hosts(found: CaptureResult) -> Table:
    columns = [
        Column("host", "process"),
        Column("bytes", "capture", Unit.BYTES),
        Column("steps", "steps", Unit.COUNT),
        Column("step_us", "step", Unit.MICROS),
    ]
    rows: list[list[Value]] = [[one.host, one.bytes, one.steps, one.step_us] for one in found.hosts]
    several = len(found.hosts) + len(found.left_out) > 1
    return Table(columns, rows, fold=Fold(_HOSTS_SHOWN), on_screen=several)


def _next(folder: str) -> str:
    return f"`tfprof steps {shell_path(folder)}`; input, layers and timeline take it, too"
