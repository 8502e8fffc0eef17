"""A history on a screen: what got slower first, then a line a run, the newest on top."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from tfprof.model import units
from tfprof.model.quantity import Quantity
from tfprof.printable import place
from tfprof.reports.diff.view_models import signed_number
from tfprof.results.answered import Answered
from tfprof.results.categories import Category
from tfprof.results.log import FIRST, LogResult, RunRow, WorkRow
from tfprof.views.shapes import (
    Column,
    Facts,
    Fold,
    Notes,
    Part,
    Report,
    Table,
    Unit,
    Value,
    without_empty,
)

_SHOWN = 30
_TELLING = ("parameters", "FLOPs", "batch", "devices", "hosts")
_TOLD = 3
_QUANTITIES = ("step_us", "input_bound", "peak_bytes", "params", "flops")
_PARTS_TOLD = 2
_LABELS = {category.value: category.label for category in Category}


def view(answered: Answered[LogResult]) -> Report:
    found = answered.data
    names = short_paths([row.path for row in found.runs])
    parts: list[Part] = [
        Facts(list(_facts(found, names))),
        _runs(found.runs, names, several=len(found.works) > 1),
        _unread(found.runs, names),
        _works(found),
        Notes(answered.notes),
    ]
    return Report(*answered.subject.lines, without_empty(parts))


def _facts(found: LogResult, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    yield "Runs", _count(found)
    told = [*zip(found.runs, names, strict=True)]
    for label, chosen in (
        ("Slower", [one for one in told if one[0].is_slower]),
        ("Faster", [one for one in told if one[0].is_faster]),
    ):
        for at, (row, name) in enumerate(chosen[:_TOLD]):
            yield label if not at else "", f"{name}: {change_told(row)}"
        if len(chosen) > _TOLD:
            yield "", f"and {len(chosen) - _TOLD:,} more"
    if any(row.compared for row in found.runs) and not any(row.significant for row in found.runs):
        yield "Changed", "no step time, beyond the noise"
    yield from _index(found)


def _count(found: LogResult) -> str:
    said = [f"{len(found.runs):,}"]
    if found.left_out:
        said[0] += f" of {len(found.runs) + found.left_out:,}"
    works = len({row.work for row in found.runs if row.work is not None})
    if works > 1:
        said.append(f"{works:,} kinds of work")
    days = sorted(row.when[:10] for row in found.runs if row.when is not None)
    if days:
        said.append(days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}")
    unread = sum(row.unread for row in found.runs)
    return ", ".join([*said, *([f"{unread:,} not readable"] if unread else [])])


def _index(found: LogResult) -> Iterator[tuple[str, str]]:
    use = found.index
    if use.known and use.read:
        yield "Read", f"{use.read:,} new; {units.plural(use.known, 'place')} known from the index"
    elif use.known:
        yield "Read", "nothing new: all known from the index"


def change_told(row: RunRow) -> str:
    """12.1 ms → 15.3 ms, +26.4% (95%: +12.0% to +40.8%) over 5 runs before."""
    now = row.step_us.number or 0.0
    said = f"{units.duration(row.before_us or 0.0)} → {units.duration(now)}"
    if row.change is not None:
        said += f", {units.signed_share(row.change)}"
    if row.interval is not None:
        low, high = (units.signed_share(max(-1.0, one)) for one in row.interval)
        said += f" (95%: {low} to {high})"
    because = [*_because(row)]
    return f"{said}: {', '.join(because)}" if because else said


def _because(row: RunRow) -> Iterator[str]:
    for key, moved in [*(row.because or {}).items()][:_PARTS_TOLD]:
        yield f"{_LABELS.get(key, key)} {signed_number(units.duration, moved)}"


def _runs(rows: Sequence[RunRow], names: Sequence[str], *, several: bool) -> Table:
    """A screen has what runs differ in; what they are is said of their work."""
    cells: list[Sequence[Value]] = [
        [
            row.when, name, row.path, row.step_us, row.change, verdict(row), row.input_bound,
            row.peak_bytes, row.params, row.flops,
            *(_kind(getattr(row, key)) for key in _QUANTITIES), row.work, row.when_from,
            row.kind, row.steps,
            row.before_us, *(row.interval or (None, None)), row.compared, row.state or "",
            row.why or "",
        ]
        for row, name in zip(rows, names, strict=True)
    ]  # fmt: skip
    fold = Fold(_SHOWN, then=" (--last N shows fewer; -o runs.csv has all)")
    return Table(_columns(several=several), cells, fold=fold)


def _kind(quantity: Quantity) -> str:
    """What the mark of a number on a screen says, as JSON calls it; empty where it has none."""
    return quantity.kind.value if quantity.known and quantity.kind.mark else ""


def _columns(*, several: bool) -> list[Column]:
    return [
        Column("when", "when", Unit.MOMENT),
        Column("run", "run", tells_rows=True),
        Column("path", "path", on_screen=False),
        Column("step_us", "step", Unit.MICROS),
        Column("change", "change", Unit.CHANGE),
        Column("verdict", ""),
        Column("input_bound", "input", Unit.SHARE),
        Column("peak_bytes", "peak", Unit.BYTES),
        Column("params", "params", Unit.SCALED, on_screen=False),
        Column("flops", "FLOPs", Unit.SCALED, on_screen=False),
        *(Column(f"{key}_kind", f"{key} kind", on_screen=False) for key in _QUANTITIES),
        Column("work", "work", Unit.COUNT, on_screen=several),
        Column("when_from", "time from", on_screen=False),
        Column("kind", "kind", on_screen=False),
        Column("steps", "steps", Unit.COUNT, on_screen=False),
        Column("before_us", "before", Unit.MICROS, on_screen=False),
        Column("low", "at least", Unit.CHANGE, on_screen=False),
        Column("high", "at most", Unit.CHANGE, on_screen=False),
        Column("compared", "runs before", Unit.COUNT, on_screen=False),
        Column("state", "state", on_screen=False),
        Column("why", "why", Unit.PROSE, on_screen=False),
    ]


def verdict(row: RunRow) -> str:
    if row.unread:
        return "unread"
    if row.significant is not None:
        return "noise" if not row.significant else "slower" if row.is_slower else "faster"
    return "first" if row.why == FIRST else "?"


def _unread(rows: Sequence[RunRow], names: Sequence[str]) -> Table:
    cells = [[name, row.why] for row, name in zip(rows, names, strict=True) if row.unread]
    columns = [Column("run", "not readable", tells_rows=True), Column("why", "why", Unit.PROSE)]
    return Table(columns, cells, "Not readable", Fold(10))


def _works(found: LogResult) -> Table:
    """What runs of it are, and what told the first of them from the run before."""
    columns = [
        Column("work", "work"), Column("runs", "runs", Unit.COUNT),
        *(Column(what.lower(), what) for what in _TELLING),
        Column("differs", "what is new", Unit.PROSE),
    ]  # fmt: skip
    cells: list[Sequence[Value]] = [
        [
            str(one.work), one.runs, *(one.facts.get(what, "?") for what in _TELLING),
            "" if _is_seen(one, found.works) else one.differs or "",
        ]
        for one in found.works
    ]  # fmt: skip
    return Table(columns, cells, fold=Fold(10))


def _is_seen(one: WorkRow, works: Sequence[WorkRow]) -> bool:
    """Whether the columns tell it from all others."""
    mine = [one.facts.get(what) for what in _TELLING]
    others = ([other.facts.get(what) for what in _TELLING] for other in works if other is not one)
    return mine not in others


def short_paths(paths: Sequence[str]) -> list[str]:
    """Without the folder that all lie in."""
    if len(paths) < 2:
        return [path.rstrip("/").rpartition("/")[2] or path for path in paths]
    # as paths have them: one slash in an address, too
    plain = [str(PurePath(path)) for path in paths]
    try:
        common = os.path.commonpath(plain)
    except ValueError:  # some from the root on, some from here
        return [*paths]
    shown = [path[len(common) :].lstrip("/") if common else "" for path in plain]
    return [short or place(path) for short, path in zip(shown, paths, strict=True)]
