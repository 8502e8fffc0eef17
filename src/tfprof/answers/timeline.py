"""What ran when: the lanes of a step, and the chain of executions that decides its end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tfprof.analyses.steps.windows import StepWindow, typical
from tfprof.analyses.timeline.picked import last_end, picked
from tfprof.answers.common import recognised, used_inputs, written_by
from tfprof.answers.timeline_asked import PS, PS_A_NANOSECOND, Timeline, TimelineQuestion
from tfprof.answers.timeline_export import pieces
from tfprof.answers.timeline_lanes import drawing, lanes_data, lanes_of
from tfprof.answers.timeline_path import path_data, path_facts, path_of, path_table, types_on_path
from tfprof.errors import UsageError
from tfprof.model import units
from tfprof.model.profile import ProfileData
from tfprof.views.result import Result
from tfprof.views.shapes import Facts, Notes, Part, Report, without_empty
from tfprof.views.tracks import Piece, TraceHead

_EXPORT = "-o FILE.trace.json.gz writes all events for Perfetto."


def chrome_pieces(
    data: ProfileData, question: TimelineQuestion
) -> tuple[TraceHead, Iterator[Piece]]:
    """All of the run, or the step or part asked for, for a trace viewer."""
    timeline = Timeline(data, question)
    filters = timeline.filters(timeline.step())
    if not any(True for plane in timeline.space.planes for _ in picked(plane, filters)):
        raise _nothing_left()
    head = TraceHead({
        "producer": "tfprof",
        "source": data.title,
        "origin_ns": timeline.space.origin_ns + timeline.zero // PS_A_NANOSECOND,
    })  # fmt: skip
    return head, pieces(
        timeline.space, filters, timeline.counters, timeline.zero, all_args=question.all_args
    )


def timeline(data: ProfileData, question: TimelineQuestion) -> Result:
    """One step, the typical one if none is named; or the part asked for; else all."""
    asked = Timeline(data, question)
    window = asked.step()
    if window is None and question.begin_ms is None and question.end_ms is None:
        window = typical(asked.steps)
    filters = asked.filters(window)
    begin = filters.begin if filters.begin is not None else asked.zero
    end = filters.end if filters.end is not None else last_end(asked.space)
    drawn = list(lanes_of(asked, filters, begin, end))
    if not drawn:
        raise _nothing_left()
    path = path_of(asked, begin, end)
    rows = types_on_path(asked, path)
    warnings = list(data.warnings)
    if not asked.steps:
        warnings.append("the run marks no steps: all of it is shown")
    facts = [("Shown", _shown(asked, window, begin, end))]
    facts += [("Critical path", text) for text in path_facts(path, end - begin)]

    def as_data() -> dict[str, Any]:
        return {
            "window": {
                "step": window.number if window is not None else None,
                "from_us": asked.since_zero(begin),
                "to_us": asked.since_zero(end),
            },
            "steps": [
                {"step": s.number, "from_us": asked.since_zero(s.begin), "time_us": s.duration / PS}
                for s in asked.steps
            ],
            "lanes": lanes_data(drawn),
            "critical_path": path_data(asked, path, rows),
        }

    parts: list[Part] = [
        Facts(facts),
        drawing(asked, drawn, begin, end),
        path_table(rows),
        Notes([*warnings[:1], _EXPORT]),
    ]
    subtitle = recognised(data.inputs) + written_by(data)
    report = Report(data.title, subtitle, without_empty(parts))
    return Result("timeline", used_inputs(data), warnings, as_data, report)


def _nothing_left() -> UsageError:
    return UsageError("no event is left", hint="Loosen --thread, --min-duration or the times.")


def _shown(asked: Timeline, window: StepWindow | None, begin: int, end: int) -> str:
    length = units.duration((end - begin) / PS)
    since = units.duration(asked.since_zero(begin))
    if window is None:
        return f"{length} from {since} on"
    known = f"{asked.steps[0].number} to {asked.steps[-1].number}"
    which = f"the typical one of {known}" if asked.question.step is None else f"of {known}"
    text = f"step {window.number}, {which}" if len(asked.steps) > 1 else "the only step"
    return f"{text}: {length} from {since} on"
