"""Steps that somebody marked: by a number, or by what a marker is called."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tfprof.analyses.steps.host_marks import HostMarks, Marks, ends_of, is_evaluation, names_of
from tfprof.late_pattern import late_pattern
from tfprof.model.op_names import op_name
from tfprof.model.units import plural
from tfprof.results.step_windows import Dropped

Ints = npt.NDArray[np.int64]

# as XProf has it
_BY_NAME = late_pattern(r"(train|test|TraceContext)[^/]*")


def numbered_marks(host: HostMarks) -> Marks | None:
    """Events with a step number, whatever they are called."""
    rows, numbers = host.numbered
    roots = np.isin(rows, host.roots)
    dropped = []
    if roots.any() and not roots.all():
        dropped = [Dropped(
            f"{_events(host, rows[~roots])} with a step_num",
            "other markers say that they are the roots of steps (_r)",
        )]  # fmt: skip
        rows, numbers = rows[roots], numbers[roots]
    found = _most_frequent(host, rows)
    if found is None:
        return None
    line, mine = found
    dropped += _not_chosen(host, rows, mine)
    number = numbers[np.searchsorted(rows, mine)]
    what = f"{_events(host, mine)} with a step_num on thread {host.thread(line)}"
    return Marks("step_num", what, host.place, host.plane, line, mine, number, dropped)


def named_marks(host: HostMarks) -> Marks | None:
    """Events that are called as steps are; one alone may be about anything."""
    alike = [_BY_NAME.fullmatch(n) is not None and not op_name(n) for n in names_of(host.plane)]
    rows = host.rows[np.array(alike, bool)[host.plane.events.name[host.rows]]]
    rows = rows[~np.isin(rows, host.calls)]
    found = _most_frequent(host, rows)
    if found is None or len(found[1]) < 2:
        return None
    line, mine = found
    what = f"{_events(host, mine)} on thread {host.thread(line)}"
    dropped = _not_chosen(host, rows, mine)
    return Marks("name", what, host.place, host.plane, line, mine, dropped=dropped)


def _most_frequent(host: HostMarks, rows: Ints) -> tuple[int, Ints] | None:
    """Of one name on one thread; training if there is a choice."""
    best: tuple[tuple[bool, int, int], int, Ints] | None = None
    line, name = host.plane.line_of(rows), host.plane.events.name[rows]
    for code in dict.fromkeys(zip(line.tolist(), name.tolist(), strict=True)):
        mine = host.outermost(rows[(line == code[0]) & (name == code[1])])
        text = names_of(host.plane)[code[1]]
        score = not is_evaluation(text), len(mine), -int(host.plane.events.start_ps[mine[0]])
        if best is None or score > best[0]:
            best = score, code[0], mine
    return best[1:] if best is not None else None


def _not_chosen(host: HostMarks, rows: Ints, chosen: Ints) -> list[Dropped]:
    """Markers beside those that are steps: within them, around them, or on other threads.

    What lies between two steps is told with the periods.
    """
    events, plane = host.plane.events, host.plane
    rest = rows[~np.isin(rows, chosen)]
    begins, ends = events.start_ps[chosen], ends_of(plane, chosen)
    line = plane.line_of(chosen[:1])[0]
    before = np.searchsorted(begins, events.start_ps[rest], side="right") - 1
    within = (before >= 0) & (ends_of(plane, rest) <= ends[np.maximum(before, 0)])
    after = np.minimum(np.searchsorted(begins, events.start_ps[rest]), len(begins) - 1)
    around = (events.start_ps[rest] <= begins[after]) & (ends_of(plane, rest) >= ends[after])
    elsewhere = plane.line_of(rest) != line
    kinds = (
        (elsewhere, "on another thread than most markers"),
        (within & ~elsewhere, "within another marker"),
        (around & ~within & ~elsewhere, "around several steps"),
    )
    return [
        Dropped(_events(host, rest[mask & (events.name[rest] == code)]), why)
        for mask, why in kinds
        for code in dict.fromkeys(events.name[rest[mask]].tolist())
    ]


def _events(host: HostMarks, rows: Ints) -> str:
    names = dict.fromkeys(host.plane.name_of(row) for row in rows[:64].tolist())
    return f"{plural(len(rows), 'event')} {', '.join(f'`{name}`' for name in names)}"
