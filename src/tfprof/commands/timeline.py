"""`tfprof timeline PATH...`: what ran when, drawn here or written for a trace viewer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tfprof.commands.command import Command, Files, HelpGroup
from tfprof.commands.options.inputs import INPUTS, request_of
from tfprof.commands.options.option import Option, OptionSection, Takes, Values
from tfprof.commands.options.scheduler import SCHEDULER, host_work
from tfprof.errors import UsageError

if TYPE_CHECKING:
    from tfprof.model.profile import ProfileData
    from tfprof.reports.timeline import Query
    from tfprof.results.answered import Answered
    from tfprof.results.timeline import TimelineResult
    from tfprof.sources.find.load import ProgressOf

TRACE_SUFFIXES = (".trace.json", ".trace.json.gz")
_TIMELINE = OptionSection(
    "timeline (-o FILE.trace.json[.gz] writes a trace)",
    (
        Option("--step", "this step", Takes.WHOLE, "N"),
        Option("--from", "from this time on, in ms from the first event", Takes.NUMBER, "MS",
               key="begin"),
        Option("--to", "up to this time", Takes.NUMBER, "MS", key="end"),
        Option("--thread", "threads or streams called so", metavar="REGEX"),
        Option("--min-duration", "events of at least so many microseconds", Takes.NUMBER, "US",
               default=0),
        Option("--all", "with what thread pools note about themselves", Takes.FLAG,
               key="everything"),
        Option("--args", "write all that is known of each event", Takes.FLAG, key="all_args"),
    ),
)  # fmt: skip


def query_of(values: Values) -> Query:
    from tfprof.reports.timeline import Query

    shortest = values.number("min_duration") or 0
    if shortest < 0:
        raise UsageError(f"--min-duration takes microseconds, not {shortest:g}")
    return Query(
        values.whole("step"),
        values.number("begin"),
        values.number("end"),
        values.text("thread"),
        shortest,
        values.flag("everything"),
        values.flag("all_args"),
    )


def _answer(values: Values, progress: ProgressOf | None) -> Answered[TimelineResult] | Files:
    from tfprof.reports.timeline import TASKS, ask
    from tfprof.sources.find.load import read_one

    query, target = query_of(values), _trace_target(values)
    with host_work(values, lambda: TASKS) as work:
        data = read_one(request_of(values, "timeline"), progress, work)
        if target is None:
            return ask(data, query)
    force = values.flag("force")
    then = "; open it in https://ui.perfetto.dev or chrome://tracing"
    chunks = {target: trace_chunks(data, query, target)}
    return Files(chunks, force, then, tuple(data.warnings), data.files_read)


def trace_chunks(data: ProfileData, query: Query, target: Path) -> Iterator[bytes]:
    """Events are written as they are made: a trace of millions is never held whole."""
    from tfprof.renderers.trace.chrome_trace import gzipped, render
    from tfprof.reports.timeline import trace_of

    chunks = render(*trace_of(data, query))
    yield from gzipped(chunks) if target.name.lower().endswith(".gz") else chunks


def _trace_target(values: Values) -> Path | None:
    """Where a trace is to go; None where the answer itself is asked for."""
    output = values.text("output_file")
    if not output or values.flag("json") or values.text("format"):
        return None
    return Path(output) if output.lower().endswith(TRACE_SUFFIXES) else None


COMMAND = Command(
    "timeline",
    HelpGroup.WHILE,
    "what ran when: lanes and critical path; a trace for Perfetto",
    "tfprof timeline examples/slow_input --step 5",
    "trace",
    (*INPUTS, _TIMELINE, SCHEDULER),
    "timeline",
    _answer,
    query=query_of,
    suffixes=TRACE_SUFFIXES,
)
